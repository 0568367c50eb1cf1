<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Pdo;

use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\BorrowedClient;
use Larder\Internal\Driver\Sql\Dialect;
use Larder\Internal\Driver\Sql\MySqlDialect;
use Larder\Internal\Driver\Sql\PostgreSqlDialect;
use Larder\Internal\Driver\Sql\SqlConnection;
use Larder\Internal\Driver\Sql\SqliteDialect;
use Larder\Internal\Driver\Sql\Statements;
use Larder\Internal\Driver\Sql\Trouble;
use Larder\Internal\Process\Functions;
use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;
use PDO;
use PDOException;
use PDOStatement;

/**
 * Statements of the cache on a PDO object of the application, each a transaction of its own. While the application has
 * a transaction open, none is run. It would end with that transaction, be invisible and hold locks until then, and an
 * error or a deadlock would abort what the application does.
 */
final class BorrowedPdo extends SqlConnection
{
    public const NAME = 'pdo';

    private const TABLE = 'larder_cache';
    private const TRIES = 20;
    private const MICROSECONDS_APART = 500;
    private const STATEMENT_BYTES = 65_536;
    private const NANOSECONDS_BETWEEN_LOOKS = 1_000_000_000;
    /** A character may end in the byte of a backslash, which code that assumes another set escapes wrongly. */
    private const CHARSETS_WITH_BACKSLASHES = ['big5', 'cp932', 'gb18030', 'gbk', 'sjis'];

    private ?PDO $prepared = null;
    /** The client whose connection has failed. */
    private ?object $lost = null;
    private int $process = 0;
    private int $nextLook = 0;
    private Dialect $dialect;
    private int $longest = \PHP_INT_MAX;
    /** With the database or schema that was the current one at first use. */
    private string $table = self::TABLE;
    private string $server = '';

    /** @var list<PDOStatement> of the parent of this fork: freeing them would end them there too */
    private array $inherited = [];

    public function __construct(
        private readonly BorrowedClient $client,
        private readonly Statements $statements = new Statements(),
    ) {}

    public static function dialectOf(PDO $client): Dialect
    {
        $name = $client->getAttribute(PDO::ATTR_DRIVER_NAME);

        return match ($name) {
            'mysql' => new MySqlDialect(),
            'pgsql' => new PostgreSqlDialect(),
            'sqlite' => new SqliteDialect(),
            default => throw new NotSupported(\sprintf(
                'A cache cannot use a PDO object of the driver %s. It can use: mysql, pgsql, sqlite',
                \is_string($name) ? $name : '?',
            )),
        };
    }

    public function dialect(): Dialect
    {
        $this->client();

        return $this->dialect;
    }

    public function server(): ?string
    {
        return $this->prepared !== null && $this->prepared === $this->client->ifThere() ? $this->server : null;
    }

    /** MySQL closes the connection on a statement that is too long. */
    public function longest(): int
    {
        $this->ready();

        return $this->longest;
    }

    public function reach(): void
    {
        try {
            $this->run('SELECT 1 FROM {table} WHERE namespace {=} ? AND name {=} ?', ['', ''], 'BEGIN');
            $this->run('INSERT INTO {table} SELECT * FROM {table} WHERE false', [], 'BEGIN IMMEDIATE');
        } catch (StoreFailed|PDOException $error) {
            throw StoreUnavailable::because(
                'pdo',
                $error instanceof StoreFailed
                    ? $error->what
                    : \sprintf('the table larder_cache cannot be used (%s)', $error->getMessage()),
                "The application's user needs the right to make that table,"
                    . ' and SELECT, INSERT, UPDATE and DELETE on it',
                $error,
            );
        }
    }

    /** If the user may not read, the cache is useless. That is an error, not a miss. */
    public function rows(string $sql, array $parameters): array
    {
        // The driver of PostgreSQL returns bytes as streams.
        $text = static fn(mixed $value): mixed => \is_resource($value) ? stream_get_contents($value) : $value;

        try {
            return array_map(
                static fn(array $row): array => array_map($text, $row),
                $this->run($sql, $parameters, 'BEGIN')[0],
            );
        } catch (PDOException $error) {
            throw StoreFailed::refused('pdo', $error->getMessage());
        }
    }

    public function change(string $sql, array $parameters, bool $mayRepeat = true): ?int
    {
        try {
            return $this->run($sql, $parameters, 'BEGIN IMMEDIATE')[1];
        } catch (PDOException $error) {
            return $this->trouble($error) === Trouble::Forbidden
                ? throw StoreFailed::ofRequest('pdo', $error->getMessage(), $error)
                : null;
        }
    }

    /**
     * @param list<string|int|array{string}> $parameters
     * @return array{list<list<mixed>>, int} as Statements::run()
     */
    private function run(string $sql, array $parameters, string $begin): array
    {
        for ($try = 1;; ++$try) {
            try {
                // The application may have chosen PDO::ERRMODE_WARNING.
                return Warnings::suppress(function () use ($sql, $parameters, $begin): array {
                    $client = $this->ready();
                    $sql = $this->dialect->sql($sql, $this->table);

                    return $this->alone($client, $begin, fn() => $this->statements->run($client, $sql, $parameters));
                });
            } catch (PDOException $error) {
                $this->statements->kept = [];
                $trouble = $this->trouble($error);
                if ($trouble === Trouble::Busy) {
                    $what = 'the application has a transaction open, or reads a result, on its PDO object';

                    throw StoreFailed::busy('pdo', $what);
                }
                if ($trouble === Trouble::Lost) {
                    $this->lost = $this->client->ifThere();

                    throw $this->noAnswer($error);
                }
                if ($try === self::TRIES || ($trouble !== Trouble::MissingTable && $trouble !== Trouble::Conflict)) {
                    throw $error;
                }
                if ($trouble === Trouble::MissingTable) {
                    $this->createTable();
                } else { // processes that change one row at once would meet again
                    Functions::sleep(random_int(0, self::MICROSECONDS_APART * $try));
                }
            }
        }
    }

    private function trouble(PDOException $error): Trouble
    {
        return Statements::trouble($this->dialect, $error);
    }

    private function noAnswer(PDOException $error): StoreFailed
    {
        $what = \sprintf('no proper answer to %s (%s)', $this->client->endpoint(), $error->getMessage());

        return StoreFailed::because('pdo', $what, $error);
    }

    /** Called when a statement misses the table: even to find that it is there, SQLite would wait for other writers. */
    private function createTable(): void
    {
        $client = $this->ready();
        foreach ($this->dialect->definition() as $statement) {
            try {
                $sql = $this->dialect->sql($statement, $this->table);
                $create = static fn() => $client->exec($sql) === false ? throw Statements::error($client) : null;
                Warnings::suppress(fn() => $this->alone($client, 'BEGIN IMMEDIATE', $create));
            } catch (PDOException $error) {
                if ($this->trouble($error) !== Trouble::Conflict) {
                    throw $error;
                }
            }
        }
    }

    /**
     * A transaction around a statement of SQLite. PHP does not report if the application has begun one: BEGIN fails
     * then. On the other databases each statement is a transaction.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
     */
    private function alone(PDO $client, string $begin, \Closure $work): mixed
    {
        if (!$this->dialect instanceof SqliteDialect) {
            return $work();
        }
        if ($client->exec($begin) === false) {
            throw Statements::error($client);
        }
        $end = 'ROLLBACK';
        $last = $client->lastInsertId();

        try {
            $answer = $work();
            if ($client->lastInsertId() !== $last) {
                self::restoreLastInsertId($client, (int) $last);
            }
            $end = 'COMMIT';

            return $answer;
        } finally {
            if ($client->exec($end) === false && $end === 'COMMIT') {
                $error = Statements::error($client);
                $client->exec('ROLLBACK');

                throw $error;
            }
        }
    }

    /** The application may still ask for that of its own row. SQLite knows the rowid last inserted in any table. */
    private static function restoreLastInsertId(PDO $client, int $last): void
    {
        $client->exec('CREATE TEMPORARY TABLE IF NOT EXISTS larder_last (id INTEGER PRIMARY KEY)');
        $client->exec(\sprintf('INSERT INTO temp.larder_last VALUES (%d)', $last));
        $client->exec('DELETE FROM temp.larder_last');
    }

    private function ready(): PDO
    {
        $client = $this->client();
        $isBusy = $this->isInTransaction($client);
        if ($isBusy ? $this->isBroken($client) : $client === $this->lost) {
            $isOther = $this->client->renew();
            if (!$isOther && $isBusy) {
                throw StoreFailed::because('pdo', \sprintf('%s has lost its connection', $this->client->endpoint()));
            }
            $client = $this->client();
            $isBusy = $this->isInTransaction($client);
        }
        if ($isBusy) {
            throw StoreFailed::busy('pdo', 'the application has a transaction open on its PDO object');
        }
        $this->lost = null;
        if ($this->prepared === null) {
            $this->readSettings($client);
            $this->prepared = $client;
        }

        return $client;
    }

    private function client(): PDO
    {
        /** @var PDO $client */
        $client = $this->client->get();
        if ($client !== $this->prepared) {
            $this->prepared = null;
            $this->takeOver($client);
        }

        return $client;
    }

    private function isInTransaction(PDO $client): bool
    {
        return $client->inTransaction() || ($this->dialect instanceof MySqlDialect
            && \in_array($client->getAttribute(PDO::ATTR_AUTOCOMMIT), [0, false], true));
    }

    /**
     * True if the transaction has ended with its connection, which PDO does not notice. The server is asked once a
     * second at most; that ends no transaction, and reads no result.
     */
    private function isBroken(PDO $client): bool
    {
        if (!$this->client->isRenewable() || hrtime(true) < $this->nextLook) {
            return false;
        }

        try {
            $ask = static fn(): mixed => $client->getAttribute(PDO::ATTR_SERVER_INFO);
            $isBroken = match ($this->dialect::class) {
                MySqlDialect::class => Warnings::suppress($ask) === false
                    && $this->trouble(Statements::error($client)) === Trouble::Lost,
                PostgreSqlDialect::class => $client->getAttribute(PDO::ATTR_CONNECTION_STATUS) === 'Bad connection.',
                default => false,
            };
        } catch (PDOException $error) {
            $isBroken = $this->trouble($error) === Trouble::Lost;
        }
        $this->nextLook = $isBroken ? 0 : (int) hrtime(true) + self::NANOSECONDS_BETWEEN_LOOKS;

        return $isBroken;
    }

    private function takeOver(PDO $client): void
    {
        try {
            $this->dialect = self::dialectOf($client);
        } catch (NotSupported $refusal) {
            throw StoreFailed::because('pdo', $refusal->getMessage());
        }
        if ($this->client->isInFork() && $client->getAttribute(PDO::ATTR_PERSISTENT) === true) {
            throw $this->client->shared();
        }
        if ($this->process !== Pid::own()) {
            $this->inherited = [...$this->inherited, ...array_values($this->statements->kept)];
            $this->process = Pid::own();
        }
        $this->statements->kept = [];
    }

    private function readSettings(PDO $client): void
    {
        try {
            try {
                $settings = Warnings::suppress(fn(): array => $this->settings($client, true));
            } catch (PDOException $error) {
                $settings = $this->trouble($error) === Trouble::UnknownVariable
                    ? Warnings::suppress(fn(): array => $this->settings($client, false))
                    : throw $error;
            }
        } catch (PDOException $error) {
            $trouble = $this->trouble($error);
            $this->lost = $trouble === Trouble::Lost ? $client : null;

            throw $trouble === Trouble::Busy
                ? StoreFailed::busy('pdo', 'the application reads a result on its PDO object')
                : $this->noAnswer($error);
        }
        [$place, $server, $commits, $packet, $charset] = [...$settings, null, null, null, null, null];
        $this->table = (string) $place === '' ? self::TABLE : \sprintf('%s.%s', $place, self::TABLE);
        // Two MySQL servers may differ in nothing but their address. A database in memory belongs to this object alone.
        $this->server = serialize([
            $this->dialect::class,
            $this->table,
            (string) $server === '' ? random_bytes(16) : $server,
            $this->dialect instanceof MySqlDialect ? $client->getAttribute(PDO::ATTR_CONNECTION_STATUS) : '',
        ]);
        if (!$this->dialect instanceof MySqlDialect) {
            return;
        }
        if ((int) $commits === 0) {
            $what = 'each statement of the application opens a transaction on its PDO object (autocommit=0)';

            throw StoreFailed::busy('pdo', $what);
        }
        if (\in_array($charset, self::CHARSETS_WITH_BACKSLASHES, true) && $client->quote("\xBF'") === "'\xBF\\''") {
            throw StoreFailed::because('pdo', "the application has chosen the character set $charset by SET NAMES,"
                . ' of which PDO does not know, so it quotes wrongly:'
                . " write charset=$charset into the DSN of its PDO object");
        }
        // Emulated prepares double the length of bytes that they escape.
        $this->longest = max(0, intdiv((int) $packet - self::STATEMENT_BYTES, 2));
    }

    /**
     * The current database or schema as an identifier, which the application may change at any time; a name of server
     * and database that no other has. Of MySQL also: do statements commit, the longest packet, the character set.
     *
     * @param bool $hasId false for a MySQL server that knows none
     * @return list<int|string|null>
     */
    private function settings(PDO $client, bool $hasId): array
    {
        $version = $client->getAttribute(PDO::ATTR_SERVER_VERSION);
        $id = match (true) {
            !$hasId => 'NULL',
            \is_string($version) && str_contains($version, 'MariaDB') => '@@server_uid',
            default => '@@server_uuid',
        };
        $sql = match ($this->dialect::class) {
            MySqlDialect::class => "SELECT CONCAT('`', REPLACE(DATABASE(), '`', '``'), '`'),"
                . " CONCAT_WS(' ', $id, @@hostname, @@port, @@socket, @@datadir),"
                . ' @@autocommit, @@max_allowed_packet, @@character_set_client',
            PostgreSqlDialect::class => "SELECT quote_ident(current_schema()), concat_ws(' ', inet_server_addr(),"
                . " current_setting('port'), extract(epoch FROM pg_postmaster_start_time()), current_database())",
            default => "SELECT NULL, file FROM pragma_database_list WHERE name = 'main'",
        };
        $answer = $client->prepare($sql, Statements::OPTIONS);
        if ($answer === false || !$answer->execute()) {
            throw Statements::error($answer === false ? $client : $answer);
        }
        /** @var list<int|string|null>|false $settings */
        $settings = $answer->fetch(PDO::FETCH_NUM);
        $answer->closeCursor();

        return $settings === false ? [] : $settings;
    }
}
