<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\MySql\Server;

use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Sql\Statements;
use Larder\Internal\Lock\Backoff;
use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;
use PDO;
use Pdo\Mysql;
use PDOException;
use PDOStatement;

/**
 * A connection to a MySQL or MariaDB server, which several tables may use. It is opened on first use, after a loss and
 * after a fork. PDO counts its timeouts in whole seconds.
 */
final class MySqlLink
{
    /** The client's message for a unix socket with a full queue. It comes at once, not after the timeout. */
    private const QUEUE_IS_FULL = '[2002] Resource temporarily unavailable';
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 20_000;
    /** Creating a table writes to a disk that may be busy, and is done once. */
    private const CREATING_SECONDS = 10;

    private ?PDO $database = null;
    private int $process = 0;

    /** @var list<PDO|PDOStatement> of the parent of this fork: freeing them would end them there too */
    private array $inherited = [];

    public function __construct(
        private readonly Endpoint $endpoint,
        private readonly string $name,
        private readonly string $user,
        private readonly \SensitiveParameterValue $password,
        private readonly float $timeout,
        private readonly bool $persistent,
        private readonly Statements $statements = new Statements(),
    ) {}

    /**
     * @param list<string|int|array{string}> $parameters
     * @param bool $isSent false until the statement may have been executed
     * @return array{list<list<mixed>>, int} as Statements::run()
     * @throws PDOException
     */
    public function run(string $sql, array $parameters, bool &$isSent): array
    {
        $isSent = false;
        $database = $this->database();
        $result = $this->statements->run($database, $sql, $parameters, $isSent);
        // If the server has autocommit=0, a statement begins a transaction, and its reply reports that.
        if ($database->inTransaction()) {
            $database->exec('SET autocommit = 1');
        }

        return $result;
    }

    public static function address(Endpoint $endpoint, string $database): string
    {
        $host = str_contains($endpoint->host, ':') ? "[$endpoint->host]" : $endpoint->host;
        // A name must not add settings of its own, such as another host.
        [$socket, $database] = str_replace(';', ';;', [(string) $endpoint->socket, $database]);
        $where = $endpoint->socket === null ? "host=$host;port=$endpoint->port" : "unix_socket=$socket";

        return "mysql:$where;dbname=$database;charset=binary";
    }

    public function forget(): void
    {
        $this->statements->kept = [];
    }

    /** A late reply must not answer the next request. */
    public function drop(): void
    {
        $this->statements->kept = [];
        $this->database = null;
        $this->process = 0;
    }

    /** A connection that waits longer for an answer; this one if the server accepts no other. */
    public function withLongTimeout(): PDO
    {
        try {
            return $this->connect(self::CREATING_SECONDS, persistent: false);
        } catch (PDOException) {
            return $this->database();
        }
    }

    public function database(): PDO
    {
        if ($this->database !== null && $this->process === Pid::own()) {
            return $this->database;
        }
        if ($this->database !== null) {
            $this->inherited = [...$this->inherited, $this->database, ...array_values($this->statements->kept)];
            $this->database = null;
        }
        $this->statements->kept = [];
        $this->database = $this->connect(max(1, (int) ceil($this->timeout)), $this->persistent);
        $this->process = Pid::own();

        return $this->database;
    }

    /** When many processes start at once, the queue of a unix socket is full for a moment: that is no outage. */
    private function connect(int $seconds, bool $persistent): PDO
    {
        for ($backoff = null;; $backoff->pause()) {
            try {
                return $this->connectNow($seconds, $persistent);
            } catch (PDOException $refusal) {
                $backoff ??= new Backoff(self::PAUSE, self::LONGEST_PAUSE, $this->timeout);
                if ($backoff->isOver() || !str_ends_with($refusal->getMessage(), self::QUEUE_IS_FULL)) {
                    throw $refusal;
                }
            }
        }
    }

    private function connectNow(int $seconds, bool $persistent): PDO
    {
        // PDO has no option for this timeout, whose default is a day.
        $before = self::set('mysqlnd.net_read_timeout', (string) $seconds);

        try {
            return Warnings::suppress(function () use ($seconds, $persistent): PDO {
                /** @var string $password */
                $password = $this->password->getValue();

                return new PDO(self::address($this->endpoint, $this->name), $this->user, $password, [
                    PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
                    PDO::ATTR_EMULATE_PREPARES => false,
                    // An update that finds its row counts it, even if it writes what is there.
                    (\PHP_VERSION_ID < 80_400 ? PDO::MYSQL_ATTR_FOUND_ROWS : Mysql::ATTR_FOUND_ROWS) => true,
                    PDO::ATTR_TIMEOUT => $seconds,
                    // Neither the program's connections nor, in a fork, its parent's.
                    PDO::ATTR_PERSISTENT => $persistent ? 'larder ' . Pid::own() : false,
                ]);
            });
        } finally {
            if ($before !== false) {
                self::set('mysqlnd.net_read_timeout', $before);
            }
        }
    }

    /** @return string|false the old value; false if the host disables ini_set(): PHP's own limit stays */
    private static function set(string $setting, string $value): string|false
    {
        try {
            return ini_set($setting, $value);
        } catch (\Error) {
            return false;
        }
    }
}
