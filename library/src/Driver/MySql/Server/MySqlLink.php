<?php

declare(strict_types=1);

namespace Larder\Driver\MySql\Server;

use Larder\Dsn\Endpoint;
use Larder\Lock\Backoff;
use Larder\Process\Pid;
use Larder\Process\Quietly;
use PDO;
use PDOException;
use PDOStatement;

/**
 * A connection to a MySQL or MariaDB server, which several tables may use. It is opened on first use, and again after it was
 * lost and after a fork. PDO counts its timeouts in whole seconds.
 */
final class MySqlLink
{
    /** What the client says of a socket before which too many wait; it is told at once, not after the timeout. */
    private const QUEUE_IS_FULL = '[2002] Resource temporarily unavailable';
    /** Microseconds between two tries then: so much at first, so much at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 20_000;
    /** Making a table writes to a disk that may be busy, and is done once. */
    private const MAKING_SECONDS = 10;
    private const STATEMENTS_KEPT = 32;

    private ?PDO $database = null;
    private int $process = 0;
    private readonly int $opener;

    /** @var array<string, PDOStatement> by their SQL */
    private array $statements = [];

    /** @var list<PDO|PDOStatement> of the process this one was forked from: freeing them would end them there too */
    private array $inherited = [];

    /** @param \SensitiveParameterValue $password of which no dump is made, nor a serialized copy */
    public function __construct(
        private readonly Endpoint $endpoint,
        private readonly string $name,
        private readonly string $user,
        private readonly \SensitiveParameterValue $password,
        private readonly float $timeout,
        private readonly bool $persistent,
    ) {
        $this->opener = Pid::own();
    }

    public function isOpen(): bool
    {
        return $this->process === Pid::own();
    }

    /** @throws PDOException */
    public function prepared(string $sql): PDOStatement
    {
        if (\count($this->statements) > self::STATEMENTS_KEPT) {
            $this->statements = [];
        }

        return $this->statements[$sql] ??= $this->database()->prepare($sql);
    }

    /** The statements that were prepared are of no use any more. */
    public function forget(): void
    {
        $this->statements = [];
    }

    /** A late reply must not answer the next request. */
    public function drop(): void
    {
        $this->statements = [];
        $this->database = null;
        $this->process = 0;
    }

    /** A connection that waits longer for an answer; this one where the server has no place for another. */
    public function patient(): PDO
    {
        try {
            return $this->connect(self::MAKING_SECONDS, persistent: false);
        } catch (PDOException) {
            return $this->database();
        }
    }

    /**
     * Connects, unless it is connected.
     *
     * @throws PDOException
     */
    public function database(): PDO
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
        /** @var string $password */
        $password = $this->password->getValue();
        $where = $this->endpoint->socket === null
            ? \sprintf(str_contains($this->endpoint->host, ':') ? 'host=[%s];port=%d' : 'host=%s;port=%d', $this->endpoint->host, $this->endpoint->port)
            : 'unix_socket=' . $this->endpoint->socket;
        // PDO has no option for it, and without it a day is waited for an answer.
        $before = ini_set('mysqlnd.net_read_timeout', (string) $seconds);

        try {
            return Quietly::run(fn(): PDO => new PDO(\sprintf('mysql:%s;dbname=%s;charset=binary', $where, $this->name), $this->user, $password, [
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
}
