<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PostgreSql;

use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Sql\Dialect;
use Larder\Internal\Driver\Sql\SqlConnection;

/** Statements on one table of a connection, which other tables share. */
final class PostgreSqlStatements extends SqlConnection
{
    public const NAME = 'postgresql';

    /** Number of this type on every server. */
    private const BYTEA = 17;

    public function __construct(
        private readonly PostgreSqlConnection $connection,
        private readonly PostgreSqlTable $table,
    ) {}

    public function dialect(): Dialect
    {
        return $this->table->dialect;
    }

    /** If the user may not read, the cache is useless. That is an error, not a miss. */
    public function rows(string $sql, array $parameters): array
    {
        try {
            $result = $this->connection->run($this->table, $sql, self::texts($parameters), true);
        } catch (PostgreSqlError $error) {
            throw StoreFailed::refused('pgsql', $error->getMessage());
        }
        $columns = pg_num_fields($result);
        if ($columns !== 1 + substr_count((string) strstr($sql, ' FROM ', true), ',')) {
            $what = \sprintf('the reply has %d columns, which is another number than were asked for', $columns);

            throw StoreFailed::because('pgsql', $what);
        }
        /** @var list<list<string|null>> $rows */
        $rows = pg_fetch_all($result, \PGSQL_NUM);
        for ($column = 0; $rows !== [] && $column < $columns; ++$column) {
            if (pg_field_type_oid($result, $column) === self::BYTEA) {
                foreach ($rows as $i => $row) {
                    $rows[$i][$column] = pg_unescape_bytea((string) $row[$column]);
                }
            }
        }

        return $rows;
    }

    public function change(string $sql, array $parameters, bool $mayRepeat = true): ?int
    {
        try {
            return pg_affected_rows($this->connection->run($this->table, $sql, self::texts($parameters), $mayRepeat));
        } catch (PostgreSqlError $error) {
            return $error->state === PostgreSqlError::INSUFFICIENT_PRIVILEGE
                ? throw StoreFailed::ofRequest('pgsql', $error->getMessage(), $error)
                : null;
        }
    }

    public function reach(): void
    {
        $this->connection->reach($this->table);
    }

    /**
     * @param list<string|int|array{string}> $parameters
     * @return list<string>
     */
    private static function texts(array $parameters): array
    {
        $texts = [];
        foreach ($parameters as $parameter) {
            $texts[] = \is_array($parameter) ? '\x' . bin2hex($parameter[0]) : (string) $parameter;
        }

        return $texts;
    }
}
