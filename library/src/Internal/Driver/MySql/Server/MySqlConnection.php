<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\MySql\Server;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Sql\Dialect;
use Larder\Internal\Driver\Sql\MySqlDialect;
use Larder\Internal\Driver\Sql\SqlConnection;
use Larder\Internal\Driver\Sql\Statements;
use Larder\Internal\Driver\Sql\Trouble;
use Larder\Internal\Process\Warnings;
use PDOException;

/** A connection to a MySQL or MariaDB server, for one table. Those for other tables may share the link. */
final class MySqlConnection extends SqlConnection
{
    public const NAME = 'mysql';

    /** Limit after conflicts with other transactions. */
    private const TRIES = 10;
    /** Bytes of a value for which a server may end the connection instead of refusing it. */
    private const LARGE = 1_000_000;

    private readonly MySqlLink $link;
    private Dialect $dialect;
    private string $table = '';
    /** @var list<string> statements that create the table */
    private array $definition = [];
    private bool $isSent = false;

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
        $password = new \SensitiveParameterValue($password);
        $this->link = new MySqlLink($endpoint, $name, $user, $password, $timeout, $persistent);
        $this->dialect = new MySqlDialect();
    }

    /** @return array<string, string> without the password */
    public function __debugInfo(): array
    {
        return ['endpoint' => (string) $this->endpoint, 'database' => $this->name, 'user' => $this->user];
    }

    /** @param list<string>|null $definition null for the table of a SqlStore */
    public function forTable(string $namespace, string $engine, ?array $definition = null): self
    {
        $its = clone $this;
        $its->table = \sprintf('`larder_%s_%s`', $namespace, $engine);
        $its->definition = $definition ?? (new MySqlDialect($engine, isShared: false))->definition();

        return $its;
    }

    public function dialect(): Dialect
    {
        return $this->dialect;
    }

    /** From a table that another program has changed, all is a miss. */
    public function rows(string $sql, array $parameters): array
    {
        try {
            return $this->run($sql, $parameters)[0];
        } catch (PDOException) {
            return [];
        }
    }

    public function change(string $sql, array $parameters, bool $mayRepeat = true): ?int
    {
        for ($try = 1;; ++$try) {
            try {
                return $this->run($sql, $parameters, $mayRepeat)[1];
            } catch (PDOException $error) {
                if ($try === self::TRIES || Statements::trouble($this->dialect, $error) !== Trouble::Conflict) {
                    return null;
                }
            } catch (StoreFailed $failure) {
                // The server hangs up on a value that is too large, too: another statement then reaches it.
                if (self::bytes($parameters) < self::LARGE) {
                    throw $failure;
                }
                $this->run('DO 0', []);

                return null;
            }
        }
    }

    /** Creates the table if it is missing, and writes no rows to it: a server that only reads refuses that. */
    public function reach(): void
    {
        try {
            $this->link->database();
        } catch (PDOException $cause) {
            throw $this->unreachable($cause);
        }

        try {
            $this->run('INSERT INTO {table} SELECT * FROM {table} WHERE false', []);
        } catch (PDOException|StoreFailed $refusal) {
            throw $this->tableUnavailable('written', $refusal);
        }
    }

    /**
     * One round trip for a statement that was run before.
     *
     * @param list<string|int|array{string}> $parameters
     * @return array{list<list<mixed>>, int} as Statements::run()
     * @throws PDOException if the server refuses
     * @throws StoreFailed if it is unreachable
     */
    public function run(string $sql, array $parameters, bool $mayRepeat = true): array
    {
        $sql = $this->dialect->sql($sql, $this->table);

        try {
            return $this->execute($sql, $parameters);
        } catch (PDOException $error) {
            if (Statements::trouble($this->dialect, $error) === Trouble::MissingTable) {
                $this->createTable();
            } elseif (!$this->isLost($error)) {
                throw $this->refusal($error);
            } elseif (!$mayRepeat && $this->isSent) {
                throw $this->noAnswer($error, ': the change may or may not have been made');
            }
        }
        // The server may have closed the connection because it was idle.
        try {
            return $this->execute($sql, $parameters);
        } catch (PDOException $error) {
            throw $this->isLost($error) ? $this->noAnswer($error) : $this->refusal($error);
        }
    }

    private function noAnswer(PDOException $error, string $more = ''): StoreFailed
    {
        $what = \sprintf('no proper answer from %s (%s)%s', $this->endpoint, $error->getMessage(), $more);

        return StoreFailed::because('mysql', $what, $error);
    }

    /**
     * @param list<string|int|array{string}> $parameters
     * @return array{list<list<mixed>>, int}
     */
    private function execute(string $sql, array $parameters): array
    {
        try {
            $this->link->database();
        } catch (PDOException $cause) {
            $none = $this->unreachable($cause);

            throw StoreFailed::because('mysql', $none->what, $none);
        }
        // PHP also warns if the connection is lost, or the reply makes no sense.
        return Warnings::suppress(fn(): array => $this->link->run($sql, $parameters, $this->isSent));
    }

    /** The exception to throw: the same, or another if the server refuses all statements of this kind. */
    private function refusal(PDOException $error): PDOException|StoreFailed
    {
        return Statements::trouble($this->dialect, $error) === Trouble::Forbidden
            ? StoreFailed::ofRequest('mysql', \sprintf('%s: %s', $this->endpoint, $error->getMessage()), $error)
            : $error;
    }

    /** True if the connection cannot be used any more. It is closed: a late reply must not answer the next request. */
    private function isLost(PDOException $error): bool
    {
        // Without a code it is an answer that makes no sense; so is a result where none is expected.
        $isLost = !isset($error->errorInfo[1])
            || \in_array(Statements::trouble($this->dialect, $error), [Trouble::Lost, Trouble::Busy], true);
        if ($isLost) {
            $this->link->drop();
        }

        return $isLost;
    }

    /** Called when a statement misses the table: looking for it would cost every request round trips. */
    private function createTable(): void
    {
        $this->link->forget();

        try {
            foreach ($this->definition as $statement) {
                $sql = $this->dialect->sql($statement, $this->table);
                Warnings::suppress(fn() => $this->link->withLongTimeout()->exec($sql));
            }
        } catch (PDOException $cause) {
            $none = $this->tableUnavailable('made', $cause);

            throw StoreFailed::because('mysql', $none->what, $none);
        }
    }

    private function unreachable(PDOException $cause): StoreUnavailable
    {
        return StoreUnavailable::because(
            'mysql',
            \sprintf('no connection to the database %s at %s (%s)', $this->name, $this->endpoint, $cause->getMessage()),
            'Is the server running there, and are user and password right?'
                . ' To install it: apt-get install mariadb-server',
            $cause,
        );
    }

    private function tableUnavailable(string $done, PDOException|StoreFailed $cause): StoreUnavailable
    {
        if ($cause instanceof StoreFailed && $cause->getPrevious() instanceof StoreUnavailable) {
            return $cause->getPrevious();
        }

        $why = $cause instanceof StoreFailed ? $cause->what : $cause->getMessage();

        return StoreUnavailable::because(
            'mysql',
            "the table $this->name.$this->table cannot be $done ($why)",
            "The user $this->user needs the rights SELECT, INSERT, UPDATE, DELETE and CREATE there,"
                . ' on a server that is not read-only',
            $cause,
        );
    }
}
