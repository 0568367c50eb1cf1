<?php

declare(strict_types=1);

namespace Larder\Driver\Sqlite;

use Larder\Exception\StoreUnavailable;
use Larder\Lock\Backoff;
use PDO;
use PDOException;

/** What an SQLite file and each connection to it are to have. */
final class SqliteSchema
{
    /** Others may be writing to a disk that is busy. */
    private const WAIT_SECONDS = 5.0;
    /** Microseconds. */
    private const FIRST_PAUSE = 200;
    private const LONGEST_PAUSE = 4_000;
    private const BUSY = 5;

    /** Bytes that the log is cut to when it has become longer. */
    private const LOG_LENGTH = 4 * 1024 * 1024;

    private const TABLE = 'CREATE TABLE IF NOT EXISTS larder (namespace TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,'
        . ' expires REAL NOT NULL, PRIMARY KEY (namespace, key));'
        . ' CREATE INDEX IF NOT EXISTS larder_expires ON larder (expires) WHERE expires > 0';

    /**
     * @param int $maxBytes of the file, 0 for no limit
     * @throws PDOException
     * @throws StoreUnavailable when it is another program's
     */
    public static function prepare(PDO $database, int $maxBytes): void
    {
        $backoff = new Backoff(self::FIRST_PAUSE, self::LONGEST_PAUSE, self::WAIT_SECONDS);
        while (true) {
            try {
                $isMade = self::isMade($database);
                // A power cut may lose the last values, and never damages the file.
                $database->exec(\sprintf(
                    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = %d; %s',
                    self::LOG_LENGTH,
                    $isMade ? '' : self::TABLE,
                ));
                if ($maxBytes > 0) {
                    $size = $database->query('PRAGMA page_size');
                    $page = $size === false ? 0 : (int) $size->fetchColumn();
                    $database->exec(\sprintf('PRAGMA max_page_count = %d', intdiv($maxBytes, max($page, 512))));
                }

                return;
            } catch (PDOException $error) {
                if (SqliteFile::code($error) !== self::BUSY || $backoff->isOver()) {
                    throw $error;
                }
            }
            $backoff->pause();
        }
    }

    /**
     * Whether the table is there, and its index. `IF NOT EXISTS` would cost every open a tenth.
     *
     * A cache's file is discarded if it is damaged or the disk is full, which must not delete another program's tables.
     */
    private static function isMade(PDO $database): bool
    {
        $query = $database->query('SELECT name, type FROM sqlite_master');
        /** @var array<array-key, string> $types */
        $types = $query === false ? [] : $query->fetchAll(PDO::FETCH_KEY_PAIR);
        $isTable = ($types['larder'] ?? '') === 'table';
        foreach ($isTable ? [] : $types as $name => $type) {
            if ($type === 'table' && !str_starts_with((string) $name, 'sqlite_')) {
                throw StoreUnavailable::because('sqlite', 'the file has tables of another program', 'Name another file: a cache has one of its own');
            }
        }

        return $isTable && isset($types['larder_expires']);
    }
}
