<?php

declare(strict_types=1);

namespace Larder\Driver\Pdo;

use Larder\Exception\NotSupported;
use Larder\Process\Quietly;
use PDO;
use PDOException;
use PDOStatement;

/** What differs between the databases. The cases are the names of PDO's drivers. */
enum PdoDialect: string
{
    case MySql = 'mysql';
    case PostgreSql = 'pgsql';
    case Sqlite = 'sqlite';

    /** As it stands in statements. */
    public const TABLE = 'larder_cache';
    /** Of MySQL: a character may end in the byte of a backslash, so code that does not know of them escapes quotes wrongly. */
    public const CHARSETS_WITH_BACKSLASHES = ['big5', 'cp932', 'gb18030', 'gbk', 'sjis'];

    private const COLUMNS = '(namespace, name, full_key, value, expires, version)';
    /** What PDO says of the status of a connection to PostgreSQL. */
    private const BAD_CONNECTION = 'Bad connection.';
    private const DEADLOCK = 1213;
    private const LOCK_TIMEOUT = 1205;
    /** The application has locked other tables, and may use those alone. */
    private const TABLES_LOCKED = [1099, 1100];
    /** Another result is still read from this connection. */
    private const OUT_OF_SYNC = 2014;
    /** Codes of a MySQL server for a connection that has ended, or that exceeds its limit. */
    private const MYSQL_LOST = [1040, 1053, 1927, 4031];

    /** @throws NotSupported */
    public static function of(PDO $client): self
    {
        $name = $client->getAttribute(PDO::ATTR_DRIVER_NAME);

        return (\is_string($name) ? self::tryFrom($name) : null)
            ?? throw new NotSupported(\sprintf('A cache cannot use a PDO object of the driver %s. It can use: %s', \is_string($name) ? $name : '?', implode(', ', array_column(self::cases(), 'value'))));
    }

    /**
     * The current database or schema as an identifier, which the application may change at any time; what tells the server and
     * the database from others; of MySQL also whether statements commit, the longest packet and the character set of statements.
     */
    public function settings(): string
    {
        return match ($this) {
            self::MySql => "SELECT CONCAT('`', REPLACE(DATABASE(), '`', '``'), '`'), CONCAT_WS(' ', @@hostname, @@port, @@socket, @@datadir), @@autocommit, @@max_allowed_packet, @@character_set_client",
            self::PostgreSql => "SELECT quote_ident(current_schema()), concat_ws(' ', inet_server_addr(), current_setting('port'), extract(epoch FROM pg_postmaster_start_time()), current_database())",
            self::Sqlite => "SELECT NULL, file FROM pragma_database_list WHERE name = 'main'",
        };
    }

    /** @return list<string> statements that make the table, and change nothing if it is there */
    public function definition(): array
    {
        return match ($this) {
            self::MySql => ['CREATE TABLE IF NOT EXISTS larder_cache (namespace VARBINARY(32) NOT NULL, name VARBINARY(32) NOT NULL,'
                . ' full_key BLOB NOT NULL, value LONGBLOB NOT NULL, expires DOUBLE NOT NULL, version VARBINARY(16) NOT NULL,'
                . ' PRIMARY KEY (namespace, name), KEY larder_cache_expires (namespace, expires)) ENGINE=InnoDB'],
            self::PostgreSql => ['CREATE UNLOGGED TABLE IF NOT EXISTS larder_cache (namespace text NOT NULL, name text NOT NULL,'
                . ' full_key bytea NOT NULL, value bytea NOT NULL, expires double precision NOT NULL, version text NOT NULL,'
                . ' PRIMARY KEY (namespace, name))',
                'CREATE INDEX IF NOT EXISTS larder_cache_expires ON larder_cache (namespace, expires) WHERE expires > 0'],
            self::Sqlite => ['CREATE TABLE IF NOT EXISTS larder_cache (namespace TEXT NOT NULL, name TEXT NOT NULL,'
                . ' full_key BLOB NOT NULL, value BLOB NOT NULL, expires REAL NOT NULL, version TEXT NOT NULL,'
                . ' PRIMARY KEY (namespace, name))',
                'CREATE INDEX IF NOT EXISTS larder_cache_expires ON larder_cache (namespace, expires) WHERE expires > 0'],
        };
    }

    /** Writes rows over those that are there. */
    public function write(int $rows): string
    {
        $values = '(?, ?, ?, ?, ?, ?)' . str_repeat(', (?, ?, ?, ?, ?, ?)', $rows - 1);

        return match ($this) {
            self::MySql => \sprintf('REPLACE INTO larder_cache %s VALUES %s', self::COLUMNS, $values),
            default => \sprintf('INSERT INTO larder_cache %s VALUES %s ON CONFLICT (namespace, name) DO UPDATE SET full_key = EXCLUDED.full_key,'
                . ' value = EXCLUDED.value, expires = EXCLUDED.expires, version = EXCLUDED.version', self::COLUMNS, $values),
        };
    }

    /** Writes a row, unless there is one. */
    public function writeNew(): string
    {
        return match ($this) {
            self::MySql => \sprintf('INSERT IGNORE INTO larder_cache %s VALUES (?, ?, ?, ?, ?, ?)', self::COLUMNS),
            default => \sprintf('INSERT INTO larder_cache %s VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING', self::COLUMNS),
        };
    }

    public function isMissingTable(PDOException $error): bool
    {
        return match ($this) {
            self::MySql => self::code($error) === 1146,
            self::PostgreSql => self::state($error) === '42P01',
            self::Sqlite => str_contains($error->getMessage(), 'no such table'),
        };
    }

    /** Whether another writer was first, or the application has removed all prepared statements, so that it may succeed now. */
    public function isConflict(PDOException $error): bool
    {
        return match ($this) {
            self::MySql => \in_array(self::code($error), [self::DEADLOCK, self::LOCK_TIMEOUT], true),
            self::PostgreSql => \in_array(self::state($error), ['40001', '40P01', '26000', '23505', '42P07'], true), // the last two: the table was made
            self::Sqlite => false,
        };
    }

    /** Whether the application's own use of the connection is in the way. */
    public function isBusy(PDOException $error): bool
    {
        return match ($this) {
            self::MySql => \in_array(self::code($error), [self::OUT_OF_SYNC, ...self::TABLES_LOCKED], true),
            self::PostgreSql => self::state($error) === '25P02',
            self::Sqlite => str_contains($error->getMessage(), 'within a transaction'),
        };
    }

    /** Whether the connection is of no use any more. */
    public function isLost(PDOException $error): bool
    {
        $code = self::code($error);

        return match ($this) {
            self::MySql => \in_array($code, self::MYSQL_LOST, true) || ($code >= 2000 && $code < 3000 && $code !== self::OUT_OF_SYNC),
            self::PostgreSql => preg_match('/^(?:08...|53300|57P0.|HY000)$/D', self::state($error)) === 1,
            self::Sqlite => false,
        };
    }

    /** Whether the connection of an object that says it is in a transaction has ended. Ends no transaction, and reads no result. */
    public function isBroken(PDO $client): bool
    {
        try {
            return match ($this) {
                self::MySql => Quietly::run(static fn(): mixed => $client->getAttribute(PDO::ATTR_SERVER_INFO)) === false && $this->isLost(self::error($client)),
                self::PostgreSql => $client->getAttribute(PDO::ATTR_CONNECTION_STATUS) === self::BAD_CONNECTION,
                self::Sqlite => false,
            };
        } catch (PDOException $error) {
            return $this->isLost($error);
        }
    }

    /** What has failed, where the application does not let PDO throw. */
    public static function error(PDO|PDOStatement $of): PDOException
    {
        $info = $of->errorInfo();
        $error = new PDOException(implode(' ', array_filter($info, is_scalar(...))));
        $error->errorInfo = $info;

        return $error;
    }

    private static function code(PDOException $error): int
    {
        $code = $error->errorInfo[1] ?? 0;

        return \is_int($code) ? $code : 0;
    }

    private static function state(PDOException $error): string
    {
        $state = $error->errorInfo[0] ?? '';

        return \is_string($state) ? $state : '';
    }
}
