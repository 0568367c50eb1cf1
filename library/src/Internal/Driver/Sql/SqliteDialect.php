<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

/** SQLite. Each write gives its row the highest number: the least was written longest ago, and is evicted first. */
final class SqliteDialect extends Dialect
{
    public function sql(string $statement, string $table): string
    {
        return parent::sql(strtr($statement, [
            '{order}' => ', rowid = (SELECT max(rowid) + 1 FROM {table})',
            '{by expiry}' => ' INDEXED BY {table}_expires',
        ]), $table);
    }

    public function writeNew(string $key): string
    {
        return self::insert('INSERT OR IGNORE', $key);
    }

    public function delete(string $scope, array $namespace, string $condition, array $parameters, int $limit): array
    {
        $sql = "DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE $scope$condition LIMIT $limit)";

        return [$sql, [...$namespace, ...$parameters]];
    }

    public function deletesAcrossNamespaces(): bool
    {
        return true;
    }

    public function definition(): array
    {
        return [
            'CREATE TABLE IF NOT EXISTS {table} (namespace TEXT NOT NULL, name TEXT NOT NULL, full_key BLOB NOT NULL,'
            . ' value BLOB NOT NULL, expires INTEGER NOT NULL, version TEXT NOT NULL, PRIMARY KEY (namespace, name))',
            'CREATE INDEX IF NOT EXISTS {table}_expires ON {table} (expires) WHERE expires > 0',
        ];
    }

    public function trouble(string $state, int $code, string $message): Trouble
    {
        return match (true) {
            str_contains($message, 'no such table'), str_contains($message, 'no such index') => Trouble::MissingTable,
            str_contains($message, 'within a transaction') => Trouble::Busy,
            ($code & 0xFF) === 8 => Trouble::Forbidden,
            default => Trouble::Refused,
        };
    }
}
