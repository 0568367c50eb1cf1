<?php

declare(strict_types=1);

namespace Larder\Driver\PostgreSql;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\InvalidKey;
use Larder\Exception\StoreFailed;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * A table of a PostgreSQL server with one row for each value. Each operation is one statement, and each statement a
 * transaction. Statements that lock several rows lock them in the order of their names, so that none waits for another in
 * a circle. One write in sixteen removes a few expired rows.
 */
final class PostgreSqlStore implements RemoteStore, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    /** Rows of one statement, so that none takes longer than the timeout. */
    private const ROWS_AT_ONCE = 1000;
    private const BYTES_AT_ONCE = 4 << 20;

    /** A random write of so many removes so many expired rows at most: twice as many as are written. */
    private const WRITES_PER_COLLECTION = 16;
    private const ROWS_PER_COLLECTION = 32;

    private const TRIES = 1000;

    private const WRITE = 'INSERT INTO %1$s AS t (name, key, value, expires) %2$s ON CONFLICT (name)'
        . ' DO UPDATE SET key = EXCLUDED.key, value = EXCLUDED.value, expires = EXCLUDED.expires';
    private const ROW = 'VALUES ($1, $2, $3, $4)';
    private const ROWS = 'SELECT r.*, $4::float8 FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS r';

    private const DELETE = <<<'SQL'
        DELETE FROM %1$s WHERE name = ANY (ARRAY(
            SELECT name FROM %1$s WHERE name = ANY ($1::bytea[]) ORDER BY name FOR UPDATE
        ))
        SQL;

    /** What another process has locked is left to it. */
    private const COLLECT = <<<'SQL'
        DELETE FROM %1$s WHERE name = ANY (ARRAY(
            SELECT name FROM %1$s WHERE expires > 0 AND expires <= $1 LIMIT %2$d FOR UPDATE SKIP LOCKED
        ))
        SQL;

    /** Not TRUNCATE: it would wait for a backup that reads the table, and all readers would wait behind it. */
    private const CLEAR = <<<'SQL'
        WITH batch AS (SELECT name FROM %1$s WHERE name > $1 ORDER BY name LIMIT %2$d FOR UPDATE),
            gone AS (DELETE FROM %1$s WHERE name = ANY (ARRAY(SELECT name FROM batch)))
        SELECT name FROM batch ORDER BY name DESC LIMIT 1
        SQL;

    public function __construct(
        private readonly PostgreSqlConnection $connection,
        private readonly PostgreSqlTable $table,
        private readonly Codec $codec = new PhpCodec(),
    ) {}

    public function reach(): void
    {
        $this->connection->reach($this->table);
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $bytes = $this->read($key, 'value');

        return $bytes === null ? $default : $this->codec->decode(self::binary($bytes), $key, $default);
    }

    public function has(string $key): bool
    {
        return $this->read($key, '1') !== null;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $stored = $this->stored($keys);
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = isset($stored[$key]) ? $this->codec->decode($stored[$key]->stored, $key, $default) : $default;
        }

        return $values;
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($this->stored($keys) as $key => $entry) {
            $value = $this->codec->decode($entry->stored, (string) $key, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, $entry->until);
            }
        }

        return $entries;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        if ($this->changed(self::WRITE, self::ROW, $this->row($key, $this->pack($key, $value), Ttl::until($ttl))) === null) {
            $this->delete($key); // too large, or the disk is full

            return false;
        }
        if (random_int(1, self::WRITES_PER_COLLECTION) === 1) {
            $this->collect(self::ROWS_PER_COLLECTION);
        }

        return true;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = self::number(Ttl::until($ttl));
        $keys = Key::of($values);
        $rows = [];
        foreach (array_values($values) as $i => $value) {
            $rows[] = [self::name($keys[$i]), $keys[$i], $this->pack($keys[$i], $value)];
        }
        sort($rows);
        $all = true;
        $some = [];
        $bytes = 0;
        foreach ($rows as $row) {
            $bytes += \strlen($row[2]);
            // Two keys of one name cannot be written by one statement.
            if ($some !== [] && (\count($some) === self::ROWS_AT_ONCE || $bytes > self::BYTES_AT_ONCE || end($some)[0] === $row[0])) {
                $all = $this->writeOrDelete($some, $until) && $all;
                $some = [];
                $bytes = \strlen($row[2]);
            }
            $some[] = $row;
        }

        return ($some === [] || $this->writeOrDelete($some, $until)) && $all;
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->changed('DELETE FROM %s WHERE name = $1 AND key = $2', '', [self::name($key), self::text($key)]) !== null;
    }

    /** By name alone: of another key with the same hash a value goes too, as it does when one is stored. */
    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $all = true;
        foreach (array_chunk(array_map(self::name(...), $keys), self::ROWS_AT_ONCE) as $names) {
            $all = $this->changed(self::DELETE, '', [self::list($names)]) !== null && $all;
        }

        return $all;
    }

    public function clear(): bool
    {
        $sql = \sprintf(self::CLEAR, $this->table->quoted, self::ROWS_AT_ONCE);

        try {
            for ($name = '\x', $before = ''; $name > $before;) {
                [$before, $name] = [$name, $this->connection->rows($this->table, $sql, [$name], 1)[0][0] ?? ''];
            }

            return true;
        } catch (PostgreSqlError) {
            return false;
        }
    }

    public function prune(): int
    {
        $all = 0;
        do {
            $deleted = $this->collect(self::ROWS_AT_ONCE);
            $all += $deleted;
        } while ($deleted > 0);

        return $all;
    }

    public function keys(): iterable
    {
        $sql = \sprintf('SELECT name, key FROM %s WHERE name > $1 AND (expires = 0 OR expires > $2) ORDER BY name LIMIT %d', $this->table->quoted, self::ROWS_AT_ONCE);
        for ($last = '\x'; $last !== null;) {
            try {
                $rows = $this->connection->rows($this->table, $sql, [$last, self::number(microtime(true))], 2);
            } catch (PostgreSqlError) {
                return;
            }
            foreach ($rows as [, $key]) {
                yield self::binary((string) $key);
            }
            $next = $rows === [] ? null : $rows[\count($rows) - 1][0];
            $last = $next > $last ? $next : null; // else the server repeats itself
        }
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->changed(
            self::WRITE . ' WHERE t.key <> EXCLUDED.key OR (t.expires > 0 AND t.expires <= $5)',
            self::ROW,
            [...$this->row($key, $this->pack($key, $value), Ttl::until($ttl)), self::number(microtime(true))],
            mayRepeat: false,
        ) === 1;
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->changed(
            'UPDATE %s SET value = $3, expires = $4 WHERE name = $1 AND key = $2 AND (expires = 0 OR expires > $5)',
            '',
            [...$this->row($key, $this->pack($key, $value), Ttl::until($ttl)), self::number(microtime(true))],
        ) === 1;
    }

    public function touch(string $key, int|float $ttl): bool
    {
        Key::check($key);

        return $this->changed(
            'UPDATE %s SET expires = $3 WHERE name = $1 AND key = $2 AND (expires = 0 OR expires > $4)',
            '',
            [self::name($key), self::text($key), self::number(Ttl::until($ttl)), self::number(microtime(true))],
        ) === 1;
    }

    /** Changes a row only in the version that was read (xmin); when another process was first, begins again. */
    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $name = self::name($key);
        $read = \sprintf('SELECT key, value, expires, xmin FROM %s WHERE name = $1', $this->table->quoted);
        for ($try = 0; $try < self::TRIES; ++$try) {
            try {
                [$full, $value, $until, $version] = array_map(strval(...), $this->connection->rows($this->table, $read, [$name], 4)[0] ?? ['', '', '', '']);
                $isThere = $version !== '' && self::binary($full) === $key && ((float) $until === 0.0 || (float) $until > microtime(true));
                $new = $change($isThere ? new Entry(self::binary($value), (float) $until) : null);
            } catch (PostgreSqlError) {
                return false;
            }
            if ($new === false || ($new === null && $version === '')) {
                return $new === null;
            }
            $row = $new === null ? [] : $this->row($key, $new->stored, $new->until ?? ($isThere ? (float) $until : 0.0));
            $changed = match (true) {
                $new === null => $this->changed('DELETE FROM %s WHERE name = $1 AND xmin = $2', '', [$name, $version], mayRepeat: false),
                $version === '' => $this->changed('INSERT INTO %s (name, key, value, expires) %s ON CONFLICT DO NOTHING', self::ROW, $row, mayRepeat: false),
                default => $this->changed('UPDATE %s SET key = $2, value = $3, expires = $4 WHERE name = $1 AND xmin = $5', '', [...$row, $version], mayRepeat: false),
            };
            if ($changed !== 0) {
                return $changed === 1;
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    /**
     * @param non-empty-list<array{string, string, string}> $rows names, keys and values
     * @throws StoreFailed
     */
    private function writeOrDelete(array $rows, string $until): bool
    {
        $names = self::list(array_column($rows, 0));
        $keys = self::list(array_map(self::text(...), array_column($rows, 1)));
        $isWritten = $this->changed(self::WRITE, self::ROWS, [$names, $keys, self::list(array_map(self::text(...), array_column($rows, 2))), $until]) !== null;
        if (!$isWritten) {
            $this->changed(self::DELETE, '', [$names]);
        }
        for ($n = 0; $n < \count($rows) && $this->collect(self::ROWS_PER_COLLECTION) > 0; $n += self::WRITES_PER_COLLECTION);

        return $isWritten;
    }

    /** @return int how many rows were deleted */
    private function collect(int $rows): int
    {
        return (int) $this->changed(\sprintf(self::COLLECT, '%1$s', $rows), '', [self::number(microtime(true))]);
    }

    /**
     * @param string $sql with placeholders for the table and the rows
     * @param list<string> $parameters
     * @return int|null how many rows were changed; null when the server refused
     * @throws StoreFailed
     */
    private function changed(string $sql, string $rows, array $parameters, bool $mayRepeat = true): ?int
    {
        try {
            return $this->connection->change($this->table, \sprintf($sql, $this->table->quoted, $rows), $parameters, $mayRepeat);
        } catch (PostgreSqlError) {
            return null;
        }
    }

    /**
     * @return string|null null for a miss
     * @throws StoreFailed
     */
    private function read(string $key, string $column): ?string
    {
        Key::check($key);

        return $this->readRows(
            \sprintf('SELECT %s FROM %s WHERE name = $1 AND key = $2 AND (expires = 0 OR expires > $3)', $column, $this->table->quoted),
            [self::name($key), self::text($key), self::number(microtime(true))],
            1,
        )[0][0] ?? null;
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, Entry<string>> the codec's bytes by key, those found
     * @throws StoreFailed
     */
    private function stored(array $keys): array
    {
        array_map(Key::check(...), $keys);
        $sql = \sprintf('SELECT key, value, expires FROM %s WHERE name = ANY ($1::bytea[]) AND (expires = 0 OR expires > $2)', $this->table->quoted);
        $stored = [];
        foreach (array_chunk($keys, self::ROWS_AT_ONCE) as $some) {
            foreach ($this->readRows($sql, [self::list(array_map(self::name(...), $some)), self::number(microtime(true))], 3) as [$key, $value, $until]) {
                $stored[self::binary((string) $key)] = new Entry(self::binary((string) $value), (float) $until);
            }
        }

        return $stored;
    }

    /**
     * @param list<string> $parameters
     * @return list<list<string|null>>
     * @throws StoreFailed a user who may not read has no use of the cache, and is told so
     */
    private function readRows(string $sql, array $parameters, int $columns): array
    {
        try {
            return $this->connection->rows($this->table, $sql, $parameters, $columns);
        } catch (PostgreSqlError $error) {
            throw StoreFailed::refused('pgsql', $error->getMessage());
        }
    }

    /**
     * @return array{string, string, string, string}
     * @throws InvalidKey
     */
    private function row(string $key, string $bytes, float $until): array
    {
        Key::check($key);

        return [self::name($key), self::text($key), self::text($bytes), self::number($until)];
    }

    private static function name(string $key): string
    {
        return '\x' . hash('xxh128', $key);
    }

    private static function text(string $bytes): string
    {
        return '\x' . bin2hex($bytes);
    }

    /** @param non-empty-list<string> $texts of text() */
    private static function list(array $texts): string
    {
        return '{"\\' . implode('","\\', $texts) . '"}';
    }

    private static function binary(string $text): string
    {
        return pg_unescape_bytea($text);
    }

    private static function number(float $time): string
    {
        return \sprintf('%.6F', $time);
    }
}
