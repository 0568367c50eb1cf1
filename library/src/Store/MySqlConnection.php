<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Endpoint;
use Larder\Exception\StoreUnavailable;
use PDO;
use PDOException;
use PDOStatement;

/** A connection to a MySQL or MariaDB server, opened anew when it was lost, and in a fork. */
final class MySqlConnection
{
    /** Codes of the client and the server for a connection that has ended. */
    private const LOST = [2006, 2013, 1927, 4031];
    private const NO_SUCH_TABLE = 1146;
    private const STATEMENTS_KEPT = 32;

    private PDO $database;
    private int $process = 0;

    /** @var array<string, PDOStatement> by their SQL */
    private array $statements = [];

    /** @var list<PDO> of the process this one was forked from: freeing them would end its connections */
    private array $inherited = [];

    public function __construct(
        private readonly Endpoint $endpoint,
        private readonly string $name,
        private readonly string $user,
        #[\SensitiveParameter]
        private readonly string $password,
        private readonly float $timeout = 1.0,
        private readonly bool $persistent = false,
    ) {}

    /**
     * Connects, and makes the table when it is missing.
     *
     * @throws StoreUnavailable
     */
    public function open(string $table, string $definition): void
    {
        StoreUnavailable::unlessLoaded('mysql', 'pdo_mysql', 'mysql');

        try {
            $this->connect();
        } catch (PDOException $cause) {
            throw StoreUnavailable::because(
                'mysql',
                \sprintf('no connection to the database %s at %s (%s)', $this->name, $this->endpoint, $cause->getMessage()),
                'Is the server running there, and are user and password right? To have one: apt-get install mariadb-server',
                $cause,
            );
        }

        try {
            $this->run(\sprintf('SELECT 1 FROM %s LIMIT 0', $table))->closeCursor();
        } catch (PDOException $cause) {
            if (($cause->errorInfo[1] ?? null) !== self::NO_SUCH_TABLE) {
                throw $this->tableUnavailable($table, 'read', $cause);
            }

            try {
                $this->database->exec(\sprintf('CREATE TABLE IF NOT EXISTS %s %s', $table, $definition));
            } catch (PDOException $cause) {
                throw $this->tableUnavailable($table, 'made', $cause);
            }
        }
    }

    /**
     * One round trip for a statement that was run before.
     *
     * @param list<string|int|float> $parameters
     * @throws PDOException
     */
    public function run(string $sql, array $parameters = []): PDOStatement
    {
        try {
            return $this->execute($sql, $parameters);
        } catch (PDOException $error) {
            if (!\in_array($error->errorInfo[1] ?? null, self::LOST, true)) {
                throw $error;
            }
            $this->connect();

            return $this->execute($sql, $parameters);
        }
    }

    /**
     * @param list<string|int|float> $parameters
     * @return bool false when the server refuses or is away
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

    /**
     * @param list<string|int|float> $parameters
     * @throws PDOException
     */
    private function execute(string $sql, array $parameters): PDOStatement
    {
        if ($this->process !== getmypid()) {
            $this->connect();
        }
        if (\count($this->statements) > self::STATEMENTS_KEPT) {
            $this->statements = [];
        }
        // PHP warns besides throwing when the connection is lost.
        $statement = $this->statements[$sql] ??= @$this->database->prepare($sql);
        @$statement->execute($parameters);

        return $statement;
    }

    /** @throws PDOException */
    private function connect(): void
    {
        $this->statements = [];
        if ($this->process !== 0 && $this->process !== getmypid()) {
            $this->inherited[] = $this->database;
        }
        $where = $this->endpoint->socket === null
            ? \sprintf('host=%s;port=%d', $this->endpoint->host, $this->endpoint->port)
            : 'unix_socket=' . $this->endpoint->socket;
        $this->database = @new PDO(\sprintf('mysql:%s;dbname=%s;charset=binary', $where, $this->name), $this->user, $this->password, [
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_EMULATE_PREPARES => false,
            // An update that finds its row counts it, even if it writes what is there.
            PDO::MYSQL_ATTR_FOUND_ROWS => true,
            PDO::ATTR_TIMEOUT => max(1, (int) ceil($this->timeout)),
            // In a fork no persistent connection: it would be the parent's.
            PDO::ATTR_PERSISTENT => $this->persistent && $this->inherited === [],
        ]);
        $this->process = (int) getmypid();
    }

    private function tableUnavailable(string $table, string $done, PDOException $cause): StoreUnavailable
    {
        return StoreUnavailable::because(
            'mysql',
            \sprintf('the table %s.%s cannot be %s (%s)', $this->name, $table, $done, $cause->getMessage()),
            \sprintf('The user %s needs the rights SELECT, INSERT, DELETE and CREATE there', $this->user),
            $cause,
        );
    }
}
