<?php

declare(strict_types=1);

namespace Larder\Driver\MySql\Server;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Lock\Backoff;
use Larder\Process\Pid;
use Larder\Process\Quietly;
use PDO;
use PDOException;
use PDOStatement;

/**
 * A connection to a MySQL or MariaDB server, for one table. It is opened on first use, and again after it was lost
 * and after a fork. PDO counts its timeouts in whole seconds.
 */
final class MySqlConnection
{
    /** Codes of the server for a connection that has ended, or that exceeds its limit. */
    private const LOST = [1040, 1053, 1927, 4031];
    /** The client's own codes: no connection, lost, answers that make no sense. */
    private const OF_CLIENT = 2000;
    private const NO_SUCH_TABLE = 1146;
    private const STATEMENTS_KEPT = 32;
    /** What the client says of a socket before which too many wait; it is told at once, not after the timeout. */
    private const QUEUE_IS_FULL = '[2002] Resource temporarily unavailable';
    /** Microseconds between two tries then: so much at first, so much at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 20_000;
    /** Making a table writes to a disk that may be busy, and is done once. */
    private const MAKING_SECONDS = 10;

    private ?PDO $database = null;
    private int $process = 0;
    private readonly int $opener;
    /** Of which no dump is made, nor a serialized copy. */
    private readonly \SensitiveParameterValue $password;
    private string $table = '';
    private string $definition = '';
    private bool $hasTable = false;

    /** @var array<string, PDOStatement> by their SQL */
    private array $statements = [];

    /** @var list<PDO|PDOStatement> of the process this one was forked from: freeing them would end them there too */
    private array $inherited = [];

    /** @throws StoreUnavailable when the extension is missing */
    public function __construct(
        private readonly Endpoint $endpoint,
        private readonly string $name,
        private readonly string $user,
        #[\SensitiveParameter]
        string $password,
        private readonly float $timeout = 1.0,
        private readonly bool $persistent = false,
    ) {
        StoreUnavailable::unlessLoaded('mysql', 'pdo_mysql', 'mysql');
        $this->opener = Pid::own();
        $this->password = new \SensitiveParameterValue($password);
    }

    /** @return array<string, string> without the password */
    public function __debugInfo(): array
    {
        return ['endpoint' => (string) $this->endpoint, 'database' => $this->name, 'user' => $this->user];
    }

    /** @param string $definition what follows CREATE TABLE and its name */
    public function useTable(string $table, string $definition): void
    {
        $this->table = $table;
        $this->definition = $definition;
    }

    /**
     * Connects, unless it is connected, and makes the table when it is missing.
     *
     * @throws StoreUnavailable
     */
    public function reach(): void
    {
        try {
            $database = $this->connection();
        } catch (PDOException $cause) {
            throw StoreUnavailable::because(
                'mysql',
                \sprintf('no connection to the database %s at %s (%s)', $this->name, $this->endpoint, $cause->getMessage()),
                'Is the server running there, and are user and password right? To install it: apt-get install mariadb-server',
                $cause,
            );
        }
        if (!$this->hasTable) {
            Quietly::run(fn() => $this->findTable($database));
            $this->hasTable = true;
        }
    }

    /**
     * One round trip for a statement that was run before.
     *
     * @param list<string|int|float|null> $parameters
     * @throws PDOException when the server refuses
     * @throws StoreFailed when it is unreachable
     */
    public function run(string $sql, array $parameters = []): PDOStatement
    {
        try {
            return $this->execute($sql, $parameters);
        } catch (PDOException $error) {
            if (($error->errorInfo[1] ?? null) === self::NO_SUCH_TABLE) {
                $this->hasTable = false; // somebody has dropped it: it is recreated
                $this->statements = [];
            } elseif (!$this->isLost($error)) {
                throw $error;
            }
        }
        // It may have been closed for having been idle long.
        try {
            return $this->execute($sql, $parameters);
        } catch (PDOException $error) {
            throw $this->isLost($error)
                ? StoreFailed::because('mysql', \sprintf('no proper answer from %s (%s)', $this->endpoint, $error->getMessage()), $error)
                : $error;
        }
    }

    /**
     * @param list<string|int|float|null> $parameters
     * @return bool false when the server refuses
     * @throws StoreFailed when it is unreachable
     */
    public function tries(string $sql, array $parameters = []): bool
    {
        try {
            $this->run($sql, $parameters);

            return true;
        } catch (PDOException) {
            return false;
        }
    }

    /** @param list<string|int|float|null> $parameters */
    private function execute(string $sql, array $parameters): PDOStatement
    {
        if ($this->process !== Pid::own() || !$this->hasTable) {
            try {
                $this->reach();
            } catch (StoreUnavailable $none) {
                throw StoreFailed::because('mysql', $none->what, $none);
            }
        }
        if (\count($this->statements) > self::STATEMENTS_KEPT) {
            $this->statements = [];
        }
        // PHP warns besides throwing when the connection is lost, or the server talks nonsense.
        return Quietly::run(function () use ($sql, $parameters): PDOStatement {
            $statement = $this->statements[$sql] ??= $this->connection()->prepare($sql);
            $statement->execute($parameters);

            return $statement;
        });
    }

    /** Whether the connection is of no use any more; it is closed then, as a late reply must not answer the next request. */
    private function isLost(PDOException $error): bool
    {
        $code = $error->errorInfo[1] ?? self::OF_CLIENT;
        $isLost = \in_array($code, self::LOST, true) || ($code >= self::OF_CLIENT && $code < self::OF_CLIENT + 1000);
        if ($isLost) {
            $this->statements = [];
            $this->database = null;
            $this->process = 0;
        }

        return $isLost;
    }

    private function connection(): PDO
    {
        if ($this->database !== null && $this->process === Pid::own()) {
            return $this->database;
        }
        if ($this->database !== null) {
            $this->inherited = [...$this->inherited, $this->database, ...array_values($this->statements)];
            $this->database = null;
        }
        $this->statements = [];
        // In a fork no persistent connection: it would be the parent's.
        $this->database = $this->connect(max(1, (int) ceil($this->timeout)), $this->persistent && $this->opener === Pid::own());
        $this->process = Pid::own();

        return $this->database;
    }

    /** When many processes begin at once, the queue before a unix socket is full for a moment: that is no outage. */
    private function connect(int $seconds, bool $persistent): PDO
    {
        for ($backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, $this->timeout);; $backoff->pause()) {
            try {
                return $this->connectNow($seconds, $persistent);
            } catch (PDOException $refusal) {
                if ($backoff->isOver() || !str_ends_with($refusal->getMessage(), self::QUEUE_IS_FULL)) {
                    throw $refusal;
                }
            }
        }
    }

    private function connectNow(int $seconds, bool $persistent): PDO
    {
        $where = $this->endpoint->socket === null
            ? \sprintf(str_contains($this->endpoint->host, ':') ? 'host=[%s];port=%d' : 'host=%s;port=%d', $this->endpoint->host, $this->endpoint->port)
            : 'unix_socket=' . $this->endpoint->socket;
        // PDO has no option for it, and without it a day is waited for an answer.
        $before = ini_set('mysqlnd.net_read_timeout', (string) $seconds);

        try {
            return Quietly::run(fn(): PDO => new PDO(\sprintf('mysql:%s;dbname=%s;charset=binary', $where, $this->name), $this->user, $this->password->getValue(), [
                PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
                PDO::ATTR_EMULATE_PREPARES => false,
                // An update that finds its row counts it, even if it writes what is there.
                PDO::MYSQL_ATTR_FOUND_ROWS => true,
                PDO::ATTR_TIMEOUT => $seconds,
                PDO::ATTR_PERSISTENT => $persistent ? 'larder' : false, // a name of its own: the program's connections stay the program's
            ]));
        } finally {
            if ($before !== false) {
                ini_set('mysqlnd.net_read_timeout', $before);
            }
        }
    }

    private function findTable(PDO $database): void
    {
        try {
            $database->query(\sprintf('SELECT 1 FROM %s LIMIT 0', $this->table));
        } catch (PDOException $cause) {
            if (($cause->errorInfo[1] ?? null) !== self::NO_SUCH_TABLE) {
                throw $this->tableUnavailable('read', $cause);
            }

            try {
                $this->patient($database)->exec(\sprintf('CREATE TABLE IF NOT EXISTS %s %s', $this->table, $this->definition));
            } catch (PDOException $cause) {
                throw $this->tableUnavailable('made', $cause);
            }
        }
    }

    /** A connection that waits longer for an answer; that one where the server has no place for another. */
    private function patient(PDO $database): PDO
    {
        try {
            return $this->connect(self::MAKING_SECONDS, persistent: false);
        } catch (PDOException) {
            return $database;
        }
    }

    private function tableUnavailable(string $done, PDOException $cause): StoreUnavailable
    {
        $this->isLost($cause);

        return StoreUnavailable::because(
            'mysql',
            \sprintf('the table %s.%s cannot be %s (%s)', $this->name, $this->table, $done, $cause->getMessage()),
            \sprintf('The user %s needs the rights SELECT, INSERT, DELETE and CREATE there', $this->user),
            $cause,
        );
    }
}
