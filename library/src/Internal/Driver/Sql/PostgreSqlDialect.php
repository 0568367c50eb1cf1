<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

/**
 * PostgreSQL. Operators and types are those of the server itself: other users who may create in a schema of the search
 * path could put better-fitting ones there, which would run as us.
 */
final class PostgreSqlDialect extends Dialect
{
    protected const TOKENS = [
        '{=}' => 'OPERATOR(pg_catalog.=)',
        '{<=}' => 'OPERATOR(pg_catalog.<=)',
        '{>}' => 'OPERATOR(pg_catalog.>)',
        '{||}' => 'OPERATOR(pg_catalog.||)',
        '{order}' => '',
        '{by expiry}' => '',
    ];

    public const COLUMNS = 'name pg_catalog.text COLLATE pg_catalog."C" NOT NULL, full_key pg_catalog.bytea NOT NULL,'
        . ' value pg_catalog.bytea NOT NULL, expires pg_catalog.int8 NOT NULL, version pg_catalog.text NOT NULL';

    public function names(array $names): array
    {
        return ['name {=} ANY (?::pg_catalog.text[])', ['{' . implode(',', $names) . '}']];
    }

    public function write(string $key, int $rows): string
    {
        return self::insert('INSERT', $key, $rows) . " ON CONFLICT ($key) DO UPDATE SET full_key = EXCLUDED.full_key,"
            . ' value = EXCLUDED.value, expires = EXCLUDED.expires, version = EXCLUDED.version';
    }

    public function writeNew(string $key): string
    {
        return self::insert('INSERT', $key) . ' ON CONFLICT DO NOTHING';
    }

    public function delete(string $scope, array $namespace, string $condition, array $parameters, int $limit): array
    {
        $names = "SELECT name FROM {table} WHERE $scope$condition ORDER BY name LIMIT $limit FOR UPDATE";

        return [
            "DELETE FROM {table} WHERE {$scope}name {=} ANY (ARRAY($names))",
            [...$namespace, ...$namespace, ...$parameters],
        ];
    }

    public function definition(): array
    {
        return [
            'CREATE UNLOGGED TABLE IF NOT EXISTS {table}'
            . ' (namespace pg_catalog.text NOT NULL, ' . self::COLUMNS . ', PRIMARY KEY (namespace, name))',
            'CREATE INDEX IF NOT EXISTS larder_cache_expires ON {table} (namespace, expires) WHERE expires {>} 0',
        ];
    }

    public function trouble(string $state, int $code, string $message): Trouble
    {
        return match (true) {
            $state === '42P01' => Trouble::MissingTable,
            // With the last two, another process has just created the table.
            \in_array($state, ['40001', '40P01', '26000', '23505', '42P07'], true) => Trouble::Conflict,
            $state === '25P02' => Trouble::Busy,
            $state === '25006', $state === '42501' => Trouble::Forbidden,
            preg_match('/^(?:08...|53300|57P0.|HY000)$/D', $state) === 1 => Trouble::Lost,
            default => Trouble::Refused,
        };
    }
}
