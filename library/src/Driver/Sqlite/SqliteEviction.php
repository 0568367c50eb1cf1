<?php

declare(strict_types=1);

namespace Larder\Driver\Sqlite;

use Larder\Exception\StoreUnavailable;
use PDOException;

/** Evicts from an SQLite file what has expired, or else by what was written longest ago (rows are numbered as they come). */
final class SqliteEviction
{
    /** Rows that are deleted at once, at most. */
    private const ROWS = 1000;
    private const LEAST_BYTES = 65_536;

    private const EXPIRED = 'FROM larder WHERE expires > 0 AND expires <= ?';

    /**
     * @param string|null $namespace null for all that are in the file
     * @return int how many expired rows were deleted
     * @throws PDOException|StoreUnavailable
     */
    public static function collect(SqliteConnection $connection, int $limit = self::ROWS, ?string $namespace = null): int
    {
        // The + keeps SQLite to the index of expiry; it would look through the whole namespace.
        $condition = self::EXPIRED . ($namespace === null ? '' : ' AND +namespace = ?');
        $parameters = [microtime(true), ...($namespace === null ? [] : [$namespace])];
        // A look first: a DELETE would wait for other writers even where there is nothing to delete.
        if ($connection->run(\sprintf('SELECT 1 %s LIMIT 1', $condition), $parameters) === []) {
            return 0;
        }
        $connection->run(\sprintf('DELETE FROM larder WHERE rowid IN (SELECT rowid %s LIMIT %d)', $condition, $limit), $parameters);
        /** @var array{array{int}} $rows */
        $rows = $connection->run('SELECT changes()', []);

        return $rows[0][0];
    }

    /**
     * @param int $bytes that are to be stored
     * @return bool false when there is nothing to delete, or not so much
     * @throws PDOException|StoreUnavailable
     */
    public static function make(SqliteConnection $connection, int $bytes): bool
    {
        /** @var array{array{int}} $rows */
        $rows = $connection->run('SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()', []);
        if (2 * $bytes > $rows[0][0]) {
            return false;
        }

        try {
            // On a full disk the log itself may find no space.
            $connection->run('PRAGMA wal_checkpoint(TRUNCATE)', []);
        } catch (PDOException) {
            // nor does the file: it may all the same reuse what it has
        }

        return $connection->insist(static function () use ($connection, $bytes): int {
            $expired = self::collect($connection);

            return $expired > 0 ? $expired : self::deleteOldest($connection, max(2 * $bytes, self::LEAST_BYTES));
        }) > 0;
    }

    private static function deleteOldest(SqliteConnection $connection, int $bytes): int
    {
        $freed = $last = $count = 0;
        /** @var array{int, int} $row */
        foreach ($connection->run('SELECT rowid, length(value) + length(key) FROM larder ORDER BY rowid LIMIT ' . self::ROWS, []) as $row) {
            if ($freed >= $bytes) {
                break;
            }
            [$last] = $row;
            $freed += $row[1];
            ++$count;
        }
        $connection->run('DELETE FROM larder WHERE rowid <= ?', [(string) $last]);

        return $count;
    }
}
