<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Legacy\MySqlMemory;

use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Driver\MySql\Server\MySqlConnection;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Process\Functions;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use PDOException;

/**
 * A MEMORY table of a MySQL or MariaDB server. Such tables have no long values, so a value is split over rows.
 *
 * All rows of a value have one version, which each set changes. A reader needs all rows of the first row's version, so
 * a mix of two writers' rows is a miss. The table is full at the server's max_heap_table_size: then expired values are
 * evicted, or else those written longest ago.
 */
final class MySqlMemoryStore implements
    RemoteStore,
    AtomicStore,
    LockingStore,
    ListableStore,
    ExpiryAwareStore,
    PrunableStore,
    EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const TRIES = 1000;
    /** The server's codes. */
    private const DUPLICATE = 1062;
    private const TABLE_FULL = 1114;
    /** Rows of the longest key and the head before it. */
    private const PARTS_OF_KEY = 67;

    /** Bytes. Rows of these tables always take their full length. */
    private const PART_LENGTH = 1000;
    private const PARTS_AT_ONCE = 1000;
    private const MAX_PARTS = 1_000_000;
    private const SECONDS_BETWEEN_SWEEPS = 1.0;
    /** Another process may take the memory that was freed. */
    private const TRIES_TO_WRITE = 32;
    private const ROWS_PER_EVICTION = 64;
    /** With sql_safe_updates, the server wants an indexed column in the condition. */
    private const DELETE_EXPIRED = "DELETE FROM {table} WHERE name >= X'00' AND expires > 0 AND expires <= ?";

    /** The server's sql_select_limit may be lower. */
    private const UNLIMITED = '18446744073709551615';
    private const KEYS_AT_ONCE = 1000;

    private readonly MySqlConnection $connection;
    private float $nextSweep = 0.0;

    public function __construct(
        MySqlConnection $connection,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
    ) {
        NamespaceName::check($namespace);
        $definition = 'CREATE TABLE IF NOT EXISTS {table} (name BINARY(16) NOT NULL, part MEDIUMINT UNSIGNED NOT NULL,'
            . ' version BINARY(16) NOT NULL, parts MEDIUMINT UNSIGNED NOT NULL, expires BIGINT NOT NULL,'
            . ' data VARBINARY(' . self::PART_LENGTH . ') NOT NULL,'
            . ' PRIMARY KEY (name, part) USING BTREE, KEY version (version) USING BTREE) ENGINE=MEMORY';
        $this->connection = $connection->forTable($namespace, 'memory', [$definition]);
    }

    public function reach(): void
    {
        $this->connection->reach();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->getMany([$key], $default)[$key];
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $stored = $values = [];
        foreach (array_chunk($keys, self::KEYS_AT_ONCE) as $some) {
            $stored += $this->stored($some);
        }
        foreach ($keys as $key) {
            $values[$key] = isset($stored[$key]) ? $this->codec->decode($stored[$key], $key, $default) : $default;
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return isset($this->stored([$key])[$key]);
    }

    public function evicts(): bool
    {
        return true;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->setMany([$key => $value], $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);
        $all = true;
        foreach (array_map($this->codec->encode(...), array_values($values), $keys) as $i => $bytes) {
            $key = $keys[$i];
            if (!$this->writeEvicting($key, Envelope::seal($bytes, $until, $key), $until)) {
                $this->delete($key);
                $all = false;
            }
        }

        return $all;
    }

    public function delete(string $key): bool
    {
        return $this->deleteMany([$key]);
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $all = true;
        foreach (array_chunk(array_map(self::name(...), $keys), self::KEYS_AT_ONCE) as $names) {
            $sql = \sprintf('DELETE FROM {table} WHERE name IN (?%s)', str_repeat(', ?', \count($names) - 1));
            $all = $this->connection->change($sql, $names) !== null && $all;
        }

        return $all;
    }

    public function clear(): bool
    {
        // With sql_safe_updates the server wants the condition.
        return $this->connection->change("DELETE FROM {table} WHERE name >= X'00'", []) !== null;
    }

    public function prune(): int
    {
        try {
            $now = self::now();
            $values = $this->connection->run(self::DELETE_EXPIRED . ' AND part = 0', [$now])[1];
            $this->connection->run(self::DELETE_EXPIRED, [$now]);

            return $values;
        } catch (PDOException) {
            return 0;
        }
    }

    public function keys(): iterable
    {
        $sql = 'SELECT name, data FROM {table} WHERE part < ? AND (expires = 0 OR expires > ?)'
            . ' ORDER BY name, part LIMIT ' . self::UNLIMITED;
        /** @var list<array{string, string}> $rows */
        $rows = $this->connection->rows($sql, [self::PARTS_OF_KEY, self::now()]);
        /** @var array<array-key, string> $sealed by name; PHP makes an integer of one that is all digits */
        $sealed = [];
        foreach ($rows as [$name, $data]) {
            $sealed[$name] = ($sealed[$name] ?? '') . $data;
        }
        foreach ($sealed as $name => $begin) {
            $key = Envelope::key($begin);
            if ($key !== null && $key !== '' && self::name($key) === (string) $name && $this->has($key)) {
                yield $key;
            }
        }
    }

    /**
     * @param list<string> $keys KEYS_AT_ONCE at most
     * @return array<array-key, string> the codec's bytes by key, those found
     */
    private function stored(array $keys): array
    {
        array_map(Key::check(...), $keys);
        try {
            $parts = $keys === [] ? [] : $this->rows($keys);
        } catch (PDOException) {
            return [];
        }
        $stored = [];
        foreach ($keys as $key) {
            $stored[$key] = Envelope::open(self::joined($parts[self::name($key)] ?? []), $key);
        }

        return array_filter($stored, is_string(...));
    }

    /**
     * Reads in one statement, so under one lock of the table.
     *
     * @param non-empty-list<string> $keys
     * @return array<array-key, array<int, array{version: string|int, parts: int, data: string}>> by name and part
     */
    private function rows(array $keys): array
    {
        /** @var list<array{string, int, string, int, string}> $rows */
        [$rows] = $this->connection->run(\sprintf(
            'SELECT name, part, version, parts, data FROM {table} WHERE name IN (?%s) LIMIT %s',
            str_repeat(', ?', \count($keys) - 1),
            self::UNLIMITED,
        ), array_map(self::name(...), $keys));
        $parts = [];
        foreach ($rows as [$name, $part, $version, $count, $data]) {
            $parts[$name][$part] = ['version' => $version, 'parts' => $count, 'data' => $data];
        }

        return $parts;
    }

    /**
     * @param array<int, array{version: string|int, parts: int, data: string}> $rows by part
     * @return string empty if they are not all rows of one version
     */
    private static function joined(array $rows): string
    {
        $sealed = '';
        for ($part = 0; $part < ($rows[0]['parts'] ?? 0); ++$part) {
            if (!isset($rows[$part]) || $rows[$part]['version'] !== $rows[0]['version']) {
                return '';
            }
            $sealed .= $rows[$part]['data'];
        }

        return $sealed;
    }

    private function writeEvicting(string $key, string $sealed, float $until): bool
    {
        $parts = str_split($sealed, self::PART_LENGTH);
        if (\count($parts) > self::MAX_PARTS) {
            return false;
        }
        for ($try = 0; $try < self::TRIES_TO_WRITE; ++$try) {
            try {
                $this->write(self::name($key), $parts, $until);

                return true;
            } catch (PDOException $error) {
                if (($error->errorInfo[1] ?? null) !== self::TABLE_FULL || !$this->evict(\count($parts))) {
                    return false;
                }
            }
        }

        return false;
    }

    /** @param list<string> $parts */
    private function write(string $name, array $parts, float $until): void
    {
        $count = \count($parts);
        $version = self::newVersion();
        foreach (array_chunk($parts, self::PARTS_AT_ONCE, true) as $chunk) {
            $this->connection->run(...$this->rowsToWrite('REPLACE', $name, $version, $count, $chunk, $until));
        }
        $this->removeLeftovers($name, $count, $version);
    }

    private static function newVersion(): string
    {
        return pack('J', (int) (1e6 * microtime(true))) . random_bytes(8);
    }

    /**
     * @param array<int, string> $chunk some of the parts
     * @return array{string, list<string|int>} a statement and its parameters
     */
    private function rowsToWrite(
        string $verb,
        string $name,
        string $version,
        int $count,
        array $chunk,
        float $until,
    ): array {
        $parameters = [];
        foreach ($chunk as $part => $data) {
            array_push($parameters, $name, $part, $version, $count, Ttl::microseconds($until), $data);
        }

        return [\sprintf(
            '%s INTO {table} (name, part, version, parts, expires, data) VALUES (?, ?, ?, ?, ?, ?)%s',
            $verb,
            str_repeat(', (?, ?, ?, ?, ?, ?)', \count($chunk) - 1),
        ), $parameters];
    }

    /** Removes rows of a longer value, and none that another process has written since. */
    private function removeLeftovers(string $name, int $count, string $version): void
    {
        $sql = 'DELETE FROM {table} WHERE name = ? AND part >= ? AND version < ?';
        $this->connection->run($sql, [$name, $count, $version]);
    }

    /**
     * Removes expired values, at most once a second, or those written longest ago: versions begin with the time.
     *
     * @return bool false if the whole table would not be enough
     */
    private function evict(int $rows): bool
    {
        try {
            $now = microtime(true);
            if ($now >= $this->nextSweep) {
                $this->nextSweep = $now + self::SECONDS_BETWEEN_SWEEPS;
                if ($this->connection->run(self::DELETE_EXPIRED, [self::now()])[1] > 0) {
                    return true;
                }
            }
            $all = $this->connection->rows('SELECT COUNT(*) FROM {table} LIMIT 1', [])[0][0] ?? null;
            if (!\is_int($all) || 2 * $rows > $all) {
                return false;
            }
            $last = $this->connection->rows(\sprintf(
                'SELECT version FROM {table} ORDER BY version LIMIT 1 OFFSET %d',
                min(max(2 * $rows, self::ROWS_PER_EVICTION), intdiv($all + 1, 2)) - 1,
            ), [])[0][0] ?? null;

            $last = \is_string($last) ? $last : '';

            return $this->connection->change('DELETE FROM {table} WHERE version <= ?', [$last]) !== null;
        } catch (PDOException) {
            return false;
        }
    }

    /**
     * One statement, for which the server locks the table, replaces the rows if they still have the version that was
     * read. If another process was first, all begins again.
     *
     * @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change
     */
    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $parts = 1;
        for ($try = 0; $try < self::TRIES; ++$try) {
            try {
                $rows = $this->rows([$key])[self::name($key)] ?? [];
                $sealed = self::joined($rows);
                $bytes = Envelope::open($sealed, $key);
                $until = Envelope::until($sealed);
                $new = $change($bytes === null ? null : new Entry($bytes, $until));
                if ($new === false) {
                    return false;
                }
                $old = isset($rows[0]) ? (string) $rows[0]['version'] : null; // another program's may have integers
                $parts = 1 + intdiv(\strlen($new->stored ?? ''), self::PART_LENGTH);
                $isDone = $new === null
                    ? $this->removeVersion($key, $old)
                    : $this->writeOver($key, $old, $new->stored, $new->until ?? $until);
                if ($isDone) {
                    return true;
                }
            } catch (PDOException $error) {
                $code = $error->errorInfo[1] ?? null;
                if ($code !== self::DUPLICATE && !($code === self::TABLE_FULL && $this->evict($parts))) {
                    return false; // too large, full or unreachable
                }
            }
            Functions::sleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    private function removeVersion(string $key, ?string $version): bool
    {
        $sql = 'DELETE FROM {table} WHERE name = ? AND version = ?';

        return $version === null || $this->connection->run($sql, [self::name($key), $version], mayRepeat: false)[1] > 0;
    }

    /**
     * @param string|null $old expected version; null for none
     * @return bool false if there is another
     */
    private function writeOver(string $key, ?string $old, string $bytes, float $until): bool
    {
        $parts = str_split(Envelope::seal($bytes, $until, $key), self::PART_LENGTH);
        if (\count($parts) > self::PARTS_AT_ONCE) {
            return false;
        }
        $version = self::newVersion();
        [$sql, $parameters] = $this->rowsToWrite('INSERT', self::name($key), $version, \count($parts), $parts, $until);
        if ($old === null) {
            $this->connection->run($sql, $parameters, mayRepeat: false);

            return true;
        }
        // Under one lock of the table: a deleted row must not come back.
        $row = 'SELECT CAST(? AS BINARY) AS name, ? AS part, CAST(? AS BINARY) AS version, ? AS parts, ? AS expires,'
            . ' CAST(? AS BINARY) AS data';
        $done = $this->connection->run(\sprintf(
            'INSERT INTO {table} (name, part, version, parts, expires, data) SELECT * FROM (%s) AS new'
            . ' WHERE EXISTS (SELECT 1 FROM {table} AS old WHERE old.name = ? AND old.part = 0 AND old.version = ?)'
            . ' ON DUPLICATE KEY UPDATE parts = VALUES(parts), expires = VALUES(expires), data = VALUES(data),'
            . ' version = VALUES(version)',
            $row . str_repeat(' UNION ALL ' . $row, \count($parts) - 1),
        ), [...$parameters, self::name($key), $old], mayRepeat: false)[1] > 0;
        if ($done) {
            $this->removeLeftovers(self::name($key), \count($parts), $version);
        }

        return $done;
    }

    private static function now(): int
    {
        return Ttl::microseconds(microtime(true));
    }

    private static function name(string $key): string
    {
        return hash('xxh128', $key, true);
    }
}
