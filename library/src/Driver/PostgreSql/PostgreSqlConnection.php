<?php

declare(strict_types=1);

namespace Larder\Driver\PostgreSql;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Lock\Backoff;
use Larder\Process\Pid;

/** A connection to a PostgreSQL server, for the tables of some namespaces. It is opened on first use, and again after it was lost and after a fork. */
final class PostgreSqlConnection
{
    /** The server cancels a statement before the client does, so that the connection can be used again. */
    private const SERVERS_SHARE = 0.9;
    /** What libpq says of a unix socket before which too many wait. */
    private const QUEUE_IS_FULL = 'Resource temporarily unavailable';
    /** Microseconds between two tries then: so much at first, so much at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 20_000;

    /** What the server says => what to do. */
    private const ADVICE = [
        'Peer authentication failed' => 'On its unix socket this server takes the name of the system\'s user: run as that user, or connect by host and password',
        'does not support SSL' => 'Turn ssl on in the server, or set another sslmode',
        'authentication failed|no password supplied' => 'Are the user and the password in the DSN right? Special characters in them are written %2F for /, %3F for ?, %40 for @',
        'no pg_hba\.conf entry' => 'Add a line for this database, user and host to pg_hba.conf, and reload the server',
        'database ".*" does not exist' => 'Create it: createdb DATABASE',
        'role ".*" does not exist' => 'Create it: createuser USER',
        'Permission denied' => 'May the user of this process enter the folder of the socket? ls -ld shows it',
        'unsupported startup parameter' => 'Allow it in pgbouncer.ini: ignore_startup_parameters = options',
        'permission denied for schema' => 'Let the user make tables: GRANT CREATE ON SCHEMA public TO USER, or CREATE SCHEMA AUTHORIZATION USER',
        'read-only transaction|during recovery' => 'Name the primary server: a standby cannot be written to, and has no unlogged tables',
        'permission denied' => 'The user needs the rights SELECT, INSERT, UPDATE and DELETE on the table; its owner has them',
    ];

    private ?PostgreSqlLink $link = null;
    private int $process = 0;
    private bool $prepares = true;

    /** @var list<PostgreSqlLink> of the process this one was forked from: freeing them would end them there too */
    private array $inherited = [];

    /** Of which no dump is made, nor a serialized copy. */
    private readonly \SensitiveParameterValue $settings;

    /**
     * @param string $user empty for the user of this process
     * @throws StoreUnavailable when the extension is missing
     */
    public function __construct(
        private readonly Endpoint $endpoint,
        private readonly string $database,
        private readonly string $user,
        #[\SensitiveParameter]
        string $password,
        private readonly float $timeout = 1.0,
        private readonly bool $persistent = false,
        string $tls = '',
    ) {
        StoreUnavailable::unlessLoaded('pgsql', 'pgsql', 'pgsql');
        [$host, $port] = $endpoint->socket === null ? [$endpoint->host, (string) $endpoint->port] : self::folder($endpoint->socket);
        $settings = [
            'host' => $host,
            'port' => $port,
            'dbname' => $database,
            'user' => $user,
            'password' => $password,
            'sslmode' => $tls,
            'options' => \sprintf('-c statement_timeout=%d', max(1, 1000 * self::SERVERS_SHARE * $timeout)),
        ];
        $text = '';
        foreach (array_filter($settings, static fn(string $value): bool => $value !== '') as $name => $value) {
            $text .= \sprintf(" %s='%s'", $name, addcslashes($value, "'\\"));
        }
        $this->settings = new \SensitiveParameterValue($text);
    }

    /** @return array<string, string> without the password */
    public function __debugInfo(): array
    {
        return ['endpoint' => (string) $this->endpoint, 'database' => $this->database, 'user' => $this->user];
    }

    /**
     * Connects, unless it is connected, and makes the table when it is missing.
     *
     * @throws StoreUnavailable
     */
    public function reach(PostgreSqlTable $table): void
    {
        $this->link = $this->ready($table);
    }

    /**
     * One round trip.
     *
     * @param list<string> $parameters as text
     * @return list<list<string|null>> the rows
     * @throws PostgreSqlError when the server refuses
     * @throws StoreFailed when it is away
     */
    public function rows(PostgreSqlTable $table, string $sql, array $parameters, int $columns): array
    {
        $result = $this->run($table, $sql, $parameters, true);
        if (pg_num_fields($result) !== $columns) {
            throw StoreFailed::because('pgsql', \sprintf('the reply of %s has %d columns, not %d', $this->endpoint, pg_num_fields($result), $columns));
        }
        /** @var list<list<string|null>> $rows */
        $rows = pg_fetch_all($result, \PGSQL_NUM);

        return $rows;
    }

    /**
     * @param list<string> $parameters as text
     * @param bool $mayRepeat whether it comes to the same if it is run twice: where a reply is lost, nobody knows whether
     *                        it was run
     * @return int how many rows were changed
     * @throws PostgreSqlError when the server refuses
     * @throws StoreFailed when it is away
     */
    public function change(PostgreSqlTable $table, string $sql, array $parameters, bool $mayRepeat = true): int
    {
        return pg_affected_rows($this->run($table, $sql, $parameters, $mayRepeat));
    }

    /**
     * @param list<string> $parameters
     * @throws PostgreSqlError
     * @throws StoreFailed
     */
    private function run(PostgreSqlTable $table, string $sql, array $parameters, bool $mayRepeat): \PgSql\Result
    {
        try {
            return $this->execute($table, $sql, $parameters);
        } catch (PostgreSqlError $error) {
            if ($error->isAboutPreparing()) {
                $this->prepares = false;
                $this->link = null;
            } elseif ($error->isAboutTheTable()) {
                $this->link = null; // it was dropped, or changed: it is recreated, or refused
                $table->forget();
            } elseif (!$error->isLost() || !$mayRepeat) {
                throw $this->failure($error);
            }
        }
        try {
            return $this->execute($table, $sql, $parameters);
        } catch (PostgreSqlError $error) {
            throw $this->failure($error);
        }
    }

    /**
     * @param list<string> $parameters
     * @throws PostgreSqlError
     * @throws StoreFailed
     */
    private function execute(PostgreSqlTable $table, string $sql, array $parameters): \PgSql\Result
    {
        try {
            $link = $this->ready($table);
        } catch (StoreUnavailable $none) {
            $cause = $none->getPrevious();
            // libpq gives no code for a login that the server refused, so its text tells.
            $isAway = $cause instanceof PostgreSqlError && ($cause->isLost() || $cause->isTimeout()) && self::advice($cause->getMessage()) === null;

            throw $isAway ? StoreFailed::because('pgsql', $none->what, $none) : StoreFailed::refused('pgsql', $none->what);
        }

        $sql = str_replace($table->quoted, $table->qualified(), $sql);

        return $this->alone($link, fn(): \PgSql\Result => $link->run($sql, $parameters, $this->timeout));
    }

    /**
     * While it waits nobody else has the link: a handler of signals that comes meanwhile gets another one, or throws.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
     * @throws PostgreSqlError
     * @throws StoreUnavailable
     */
    private function alone(PostgreSqlLink $link, \Closure $work): mixed
    {
        $this->link = null;
        $isUsable = false;

        try {
            $result = $work();
            $isUsable = true;

            return $result;
        } catch (PostgreSqlError $error) {
            $isUsable = !$error->isLost() && $error->state !== PostgreSqlError::TIMED_OUT;

            throw $error;
        } finally {
            if ($isUsable) {
                $this->link = $link;
            } else {
                $link->discard();
            }
        }
    }

    /** @throws StoreUnavailable when there is no connection, or the table is not ours */
    private function ready(PostgreSqlTable $table): PostgreSqlLink
    {
        if ($this->process !== Pid::own()) {
            $this->inherited = [...$this->inherited, ...($this->link === null ? [] : [$this->link])];
            $this->process = Pid::own();
            $this->link = null;
        }
        if ($this->link?->isStale() === true) {
            $this->link->discard(); // closed for having been idle long, as by a restart
            $this->link = null;
        }
        $kept = $this->link;
        if ($kept !== null && $table->isFoundOn($kept)) {
            return $kept;
        }

        try {
            $link = $kept ?? $this->connect();

            try {
                $this->find($table, $link);
            } catch (PostgreSqlError $error) {
                if (($kept === null && !$this->persistent) || !$error->isLost()) {
                    throw $error;
                }
                $link = $this->connect(); // it was lost after another request or namespace used it
                $this->find($table, $link);
            }
        } catch (PostgreSqlError $cause) {
            throw $this->unavailable($cause, $table);
        }

        return $link;
    }

    /**
     * @throws PostgreSqlError
     * @throws StoreUnavailable
     */
    private function find(PostgreSqlTable $table, PostgreSqlLink $link): void
    {
        $this->alone($link, function () use ($table, $link): void {
            $table->find($link, $this->timeout);
        });
    }

    /**
     * When many processes begin at once, the queue before a unix socket is full for a moment: that is no outage.
     *
     * @throws PostgreSqlError
     */
    private function connect(): PostgreSqlLink
    {
        for ($backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, $this->timeout);; $backoff->pause()) {
            try {
                return PostgreSqlLink::open($this->settings, $this->timeout, $this->persistent, $this->prepares);
            } catch (PostgreSqlError $refusal) {
                if ($backoff->isOver() || !str_contains($refusal->getMessage(), self::QUEUE_IS_FULL)) {
                    throw $refusal;
                }
            }
        }
    }

    /** What is thrown in the place of an error that is no refusal of one statement. */
    private function failure(PostgreSqlError $error): PostgreSqlError|StoreFailed
    {
        return match (true) {
            $error->isTimeout() => StoreFailed::because('pgsql', \sprintf('%s did not reply within %g s', $this->endpoint, $this->timeout), $error),
            $error->isLost() => StoreFailed::because('pgsql', \sprintf('no connection to %s (%s)', $this->endpoint, $error->getMessage()), $error),
            $error->isAboutTheTable() => StoreFailed::refused('pgsql', \sprintf('%s: %s', $this->endpoint, $error->getMessage())),
            default => $error,
        };
    }

    private function unavailable(PostgreSqlError $cause, PostgreSqlTable $table): StoreUnavailable
    {
        $said = $cause->isTimeout() ? \sprintf('no reply within %g s', $this->timeout) : $cause->getMessage();
        $advice = self::advice($said) ?? 'Is the server running there? To install it: apt-get install postgresql';

        return StoreUnavailable::because(
            'pgsql',
            $cause->isLost() || $cause->isTimeout()
                ? \sprintf('cannot connect to the database %s at %s (%s)', $this->database, $this->endpoint, $said)
                : \sprintf('cannot use the table %s at %s (%s)', $table->quoted, $this->endpoint, $said),
            str_replace(['DATABASE', 'USER'], [$this->database, $this->user], $advice),
            $cause,
        );
    }

    /** @return string|null null for what only a server that is away explains */
    private static function advice(string $said): ?string
    {
        foreach (self::ADVICE as $pattern => $advice) {
            if (preg_match("~$pattern~", $said) === 1) {
                return $advice;
            }
        }

        return null;
    }

    /**
     * libpq wants the folder of a socket, and makes the file's name of a port.
     *
     * @return array{string, string}
     */
    private static function folder(string $socket): array
    {
        return preg_match('~^(.*)/\.s\.PGSQL\.(\d+)$~D', $socket, $parts) === 1 ? [$parts[1], $parts[2]] : [$socket, ''];
    }
}
