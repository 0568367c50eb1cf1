<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

/** MySQL and MariaDB. */
final class MySqlDialect extends Dialect
{
    protected const TOKENS = [...parent::TOKENS, '{by expiry}' => ' FORCE INDEX (larder_expires)'];

    public function __construct(private readonly string $engine = 'InnoDB', private readonly bool $isShared = true) {}

    public function writeNew(string $key): string
    {
        return self::insert('INSERT IGNORE', $key);
    }

    public function definition(): array
    {
        [$column, $prefix] = $this->isShared ? ['namespace VARBINARY(32) NOT NULL, ', 'namespace, '] : ['', ''];

        return ["CREATE TABLE IF NOT EXISTS {table} ({$column}name VARBINARY(32) NOT NULL, full_key BLOB NOT NULL,"
            . ' value LONGBLOB NOT NULL, expires BIGINT NOT NULL, version VARBINARY(16) NOT NULL,'
            . " PRIMARY KEY ({$prefix}name), KEY larder_expires ({$prefix}expires)) ENGINE=$this->engine"];
    }

    public function trouble(string $state, int $code, string $message): Trouble
    {
        return match ($code) {
            1146 => Trouble::MissingTable,
            1205, 1213 => Trouble::Conflict, // a timeout for a lock, a deadlock
            1193 => Trouble::UnknownVariable,
            // The application still reads a result, or has locked other tables and may use those alone.
            2014, 1099, 1100 => Trouble::Busy,
            1142, 1143, 1290, 1792, 1836 => Trouble::Forbidden,
            // The server has ended the connection, or exceeds its limit.
            1040, 1053, 1927, 4031 => Trouble::Lost,
            default => $code >= 2000 && $code < 3000 ? Trouble::Lost : Trouble::Refused, // those are the client's
        };
    }
}
