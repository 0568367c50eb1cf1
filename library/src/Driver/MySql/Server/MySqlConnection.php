<?php

declare(strict_types=1);

namespace Larder\Driver\MySql\Server;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Process\Quietly;
use PDO;
use PDOException;
use PDOStatement;

/**
 * A connection to a MySQL or MariaDB server, for one table. Those for other tables may share it.
 */
final class MySqlConnection
{
    /** Codes of the server for a connection that has ended, or that exceeds its limit. */
    private const LOST = [1040, 1053, 1927, 4031];
    /** The client's own codes: no connection, lost, answers that make no sense. */
    private const OF_CLIENT = 2000;
    private const NO_SUCH_TABLE = 1146;

    private readonly MySqlLink $link;
    private string $table = '';
    private string $definition = '';
    private bool $hasTable = false;

    /** @throws StoreUnavailable when the extension is missing */
    public function __construct(
        private readonly Endpoint $endpoint,
        private readonly string $name,
        private readonly string $user,
        #[\SensitiveParameter]
        string $password,
        float $timeout = 1.0,
        bool $persistent = false,
    ) {
        StoreUnavailable::unlessLoaded('mysql', 'pdo_mysql', 'mysql');
        $this->link = new MySqlLink($endpoint, $name, $user, new \SensitiveParameterValue($password), $timeout, $persistent);
    }

    /** @return array<string, string> without the password */
    public function __debugInfo(): array
    {
        return ['endpoint' => (string) $this->endpoint, 'database' => $this->name, 'user' => $this->user];
    }

    /**
     * The same connection for a table.
     *
     * @param string $definition what follows CREATE TABLE and its name
     */
    public function forTable(string $table, string $definition): self
    {
        $its = clone $this;
        $its->table = $table;
        $its->definition = $definition;
        $its->hasTable = false;

        return $its;
    }

    /**
     * Connects, unless it is connected, and makes the table when it is missing.
     *
     * @throws StoreUnavailable
     */
    public function reach(): void
    {
        try {
            $database = $this->link->database();
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
                $this->link->forget();
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
        if (!$this->link->isOpen() || !$this->hasTable) {
            try {
                $this->reach();
            } catch (StoreUnavailable $none) {
                throw StoreFailed::because('mysql', $none->what, $none);
            }
        }
        // PHP warns besides throwing when the connection is lost, or the server talks nonsense.
        return Quietly::run(function () use ($sql, $parameters): PDOStatement {
            $statement = $this->link->prepared($sql);
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
            $this->link->drop();
        }

        return $isLost;
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
                $this->link->patient()->exec(\sprintf('CREATE TABLE IF NOT EXISTS %s %s', $this->table, $this->definition));
            } catch (PDOException $cause) {
                throw $this->tableUnavailable('made', $cause);
            }
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
