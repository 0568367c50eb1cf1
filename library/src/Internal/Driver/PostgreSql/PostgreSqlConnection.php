<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PostgreSql;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Lock\Backoff;
use Larder\Internal\Process\Functions;
use Larder\Process\Pid;

/** A connection to a PostgreSQL server, for several tables. It opens on first use, after a loss and after a fork. */
final class PostgreSqlConnection
{
    /** The server cancels a statement before the client does, so that the connection can be used again. */
    private const SERVERS_SHARE = 0.9;
    /** Message of a pooler that takes no settings from its clients. */
    private const NO_OPTIONS = 'unsupported startup parameter';
    /** Message of libpq for a unix socket with a full queue. */
    private const QUEUE_IS_FULL = 'Resource temporarily unavailable';
    private const CONFLICTS = 100;
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 20_000;

    private const ADVICE = [
        'Peer authentication failed' => "On its unix socket this server takes the name of the system's user:"
            . ' run as that user, or connect by host and password',
        'does not support SSL' => 'Turn ssl on in the server, or set another sslmode',
        'authentication failed|no password supplied' => 'Are the user and the password in the DSN right?'
            . ' Special characters in them are written %2F for /, %3F for ?, %40 for @',
        'no pg_hba\.conf entry' => 'Add a line for this database, user and host to pg_hba.conf, and reload the server',
        'database ".*" does not exist' => 'Create it: createdb DATABASE',
        'role ".*" does not exist' => 'Create it: createuser USER',
        'Permission denied' => 'May the user of this process enter the folder of the socket? ls -ld shows it',
        'permission denied for schema' => 'Let the user make tables: GRANT CREATE ON SCHEMA public TO USER,'
            . ' or CREATE SCHEMA AUTHORIZATION USER',
        'read-only transaction|during recovery' => 'Name the primary server: a standby cannot be written to,'
            . ' and has no unlogged tables',
        'permission denied' => 'The user needs the rights SELECT, INSERT, UPDATE and DELETE on the table;'
            . ' its owner has them',
    ];

    private ?PostgreSqlLink $link = null;
    private int $process = 0;
    private bool $prepares = true;
    /** libpq's option that sets the server's timeout; a pooler may refuse it. */
    private string $options;

    /** @var list<PostgreSqlLink> of the parent of this fork: freeing them would end them there too */
    private array $inherited = [];

    private readonly \SensitiveParameterValue $settings;

    /**
     * @param string $user empty for the user of this process
     * @throws StoreUnavailable if the extension is missing
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
        // The exception and its parents are loaded for this call alone.
        if (!class_exists(\PgSql\Connection::class, false)) {
            StoreUnavailable::unlessLoaded('pgsql', 'pgsql', 'pgsql');
        }
        // libpq takes the folder of a socket, and derives the file's name from a port.
        [$host, $port] = match (true) {
            $endpoint->socket === null => [$endpoint->host, (string) $endpoint->port],
            preg_match('~^(.*)/\.s\.PGSQL\.(\d+)$~D', $endpoint->socket, $parts) === 1 => [$parts[1], $parts[2]],
            default => [$endpoint->socket, ''],
        };
        $settings = ['host' => $host, 'port' => $port, 'dbname' => $database];
        $settings += ['user' => $user, 'password' => $password, 'sslmode' => $tls];
        $text = '';
        foreach (array_filter($settings, static fn(string $value): bool => $value !== '') as $name => $value) {
            $text .= \sprintf(" %s='%s'", $name, addcslashes($value, "'\\"));
        }
        $this->settings = new \SensitiveParameterValue($text);
        $this->options = \sprintf(" options='-c statement_timeout=%d'", max(1, 1000 * self::SERVERS_SHARE * $timeout));
    }

    /** @return array<string, string> without the password */
    public function __debugInfo(): array
    {
        return ['endpoint' => (string) $this->endpoint, 'database' => $this->database, 'user' => $this->user];
    }

    /**
     * Creates the table if it is missing, and writes no rows to it: a server that only reads refuses that.
     *
     * @throws StoreUnavailable
     */
    public function reach(PostgreSqlTable $table): void
    {
        $this->link = $this->ready($table);

        try {
            $this->run($table, 'INSERT INTO {table} SELECT * FROM {table} WHERE false', [], true);
        } catch (PostgreSqlError|StoreFailed $refusal) {
            $said = $refusal instanceof StoreFailed ? $refusal->what : "$this->endpoint: {$refusal->getMessage()}";

            throw StoreUnavailable::because('pgsql', $said, self::advice($said) ?? 'Its log says more', $refusal);
        }
    }

    /**
     * One round trip.
     *
     * @param list<string> $parameters as text
     * @param bool $mayRepeat as for SqlConnection
     * @throws PostgreSqlError if the server refuses
     * @throws StoreFailed if it is away
     */
    public function run(PostgreSqlTable $table, string $sql, array $parameters, bool $mayRepeat): \PgSql\Result
    {
        for ($conflicts = $repairs = 0;;) {
            try {
                return $this->execute($table, $sql, $parameters, $mayRepeat);
            } catch (PostgreSqlError $error) {
                if ($error->is(PostgreSqlError::CONFLICTS) && ++$conflicts < self::CONFLICTS) {
                    Functions::sleep(random_int(0, self::PAUSE * min($conflicts, 10)));
                } elseif (++$repairs > 1 || !$this->mayHelp($error, $table, $mayRepeat)) {
                    throw $this->failure($error);
                }
            }
        }
    }

    /** Prepares to run a statement again; false if that would not help, or could run it twice. */
    private function mayHelp(PostgreSqlError $error, PostgreSqlTable $table, bool $mayRepeat): bool
    {
        if ($error->is(PostgreSqlError::NOT_PREPARED)) {
            $this->prepares = false;
            $this->link = null;
        } elseif ($error->is(PostgreSqlError::TABLE_CHANGED)) {
            $this->link = null; // it is created again, or refused
            $table->forget();
        } else {
            return $error->isLost() && $mayRepeat;
        }

        return true;
    }

    /**
     * In a session that was kept, a statement that an earlier request prepared proves that it found the table, so no
     * request looks for it again. As the connection may have ended since, only statements that may be repeated are
     * tried so.
     *
     * @param list<string> $parameters
     */
    private function execute(PostgreSqlTable $table, string $sql, array $parameters, bool $mayRepeat): \PgSql\Result
    {
        $name = $this->persistent ? $table->nameOf($sql) : null;

        try {
            $link = $this->ready($table, $name === null || !$mayRepeat);
            if ($name !== null && !$table->isFoundOn($link)) {
                $result = $this->alone($link, fn() => $link->runPrepared($name, $parameters, $this->timeout));
                if ($result !== null) {
                    return $result;
                }
                $link = $this->ready($table);
            }
        } catch (StoreUnavailable $none) {
            $cause = $none->getPrevious();
            // libpq gives no code for a login that the server refused, but its text does.
            $isAway = $cause instanceof PostgreSqlError && ($cause->isLost() || $cause->isTimeout())
                && self::advice($cause->getMessage()) === null;

            throw $isAway
                ? StoreFailed::because('pgsql', $none->what, $none)
                : StoreFailed::refused('pgsql', $none->what);
        }

        $sql = $table->statement($sql);

        return $this->alone($link, fn(): \PgSql\Result => $link->run($sql, $parameters, $this->timeout, $name));
    }

    /**
     * During the call no other code has the link: a signal handler opens another one, or throws.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
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

    /**
     * @param bool $isToBeFound false if an earlier request may have found the table
     * @throws StoreUnavailable if there is no connection, or the table is not ours
     */
    private function ready(PostgreSqlTable $table, bool $isToBeFound = true): PostgreSqlLink
    {
        if ($this->process !== Pid::own()) {
            $this->inherited = [...$this->inherited, ...($this->link === null ? [] : [$this->link])];
            $this->process = Pid::own();
            $this->link = null;
        }
        if ($this->link?->isStale() === true) {
            $this->link->discard(); // the server closed it, as it does at a restart
            $this->link = null;
        }
        $kept = $this->link;
        if ($kept !== null && $table->isFoundOn($kept)) {
            return $kept;
        }

        try {
            $link = $kept ?? $this->connect();
            if (!$isToBeFound && $table->mayHaveBeenFound()) {
                return $link;
            }

            try {
                $this->find($table, $link);
            } catch (PostgreSqlError $error) {
                if (($kept === null && !$this->persistent) || !$error->isLost()) {
                    throw $error;
                }
                $link = $this->connect(); // it was lost after its last use
                $this->find($table, $link);
            }
        } catch (PostgreSqlError $cause) {
            throw $this->unavailable($cause, $table);
        }

        return $link;
    }

    private function find(PostgreSqlTable $table, PostgreSqlLink $link): void
    {
        $this->alone($link, fn() => $table->find($link, $this->timeout));
    }

    /** When many processes start at once, the queue of a unix socket is full for a moment: that is no outage. */
    private function connect(): PostgreSqlLink
    {
        for ($backoff = null;; $backoff->pause()) {
            try {
                return PostgreSqlLink::open(
                    $this->settings,
                    $this->options,
                    $this->timeout,
                    $this->persistent,
                    $this->prepares,
                );
            } catch (PostgreSqlError $refusal) {
                if ($this->options !== '' && str_contains($refusal->getMessage(), self::NO_OPTIONS)) {
                    $this->options = '';

                    return $this->connect();
                }
                $backoff ??= new Backoff(self::PAUSE, self::LONGEST_PAUSE, $this->timeout);
                if ($backoff->isOver() || !str_contains($refusal->getMessage(), self::QUEUE_IS_FULL)) {
                    throw $refusal;
                }
            }
        }
    }

    /** The exception to throw: the same if the server refused one statement. */
    private function failure(PostgreSqlError $error): PostgreSqlError|StoreFailed
    {
        $said = $error->getMessage();
        $isReadOnly = $error->state === PostgreSqlError::READ_ONLY;
        $late = \sprintf('%s did not reply within %g s', $this->endpoint, $this->timeout);

        return match (true) {
            $error->isTimeout() => StoreFailed::because('pgsql', $late, $error),
            $error->isLost() => StoreFailed::because('pgsql', "no connection to $this->endpoint ($said)", $error),
            $isReadOnly => StoreFailed::ofRequest('pgsql', "$this->endpoint: $said", $error),
            $error->is(PostgreSqlError::TABLE_CHANGED) => StoreFailed::refused('pgsql', "$this->endpoint: $said"),
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
                : \sprintf('cannot use the table "%s" at %s (%s)', $table->name, $this->endpoint, $said),
            str_replace(['DATABASE', 'USER'], [$this->database, $this->user], $advice),
            $cause,
        );
    }

    /** @return string|null null if only an outage explains the message */
    private static function advice(string $said): ?string
    {
        foreach (self::ADVICE as $pattern => $advice) {
            if (preg_match("~$pattern~", $said) === 1) {
                return $advice;
            }
        }

        return null;
    }
}
