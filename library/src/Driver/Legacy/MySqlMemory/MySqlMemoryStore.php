<?php

declare(strict_types=1);

namespace Larder\Driver\Legacy\MySqlMemory;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\Envelope;
use Larder\Driver\Common\PacksByCodec;
use Larder\Driver\MySql\Server\MySqlConnection;
use Larder\Driver\MySql\Server\MySqlTable;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use PDO;
use PDOException;

/**
 * A MEMORY table of a MySQL or MariaDB server. Such tables know no long values, so a value is split over rows.
 *
 * Every row of a value carries the same version, which is new with every set. A reader takes the version of the first row
 * and needs all of its rows: what two writers left half and half is a miss. The table is full at the server's
 * max_heap_table_size; then what has expired is evicted, and else what was written longest ago.
 */
final class MySqlMemoryStore extends MySqlTable implements AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore, EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const TRIES = 1000;
    /** The server's codes. */
    private const DUPLICATE = 1062;
    /** So many rows hold the longest key and what stands before it. */
    private const PARTS_OF_KEY = 67;

    /** Bytes. Rows of these tables take their full length, however little is in them. */
    private const PART_LENGTH = 1000;
    private const PARTS_AT_ONCE = 1000;
    private const MAX_PARTS = 1_000_000;
    private const SECONDS_BETWEEN_SWEEPS = 1.0;
    /** Others may take the memory that was freed. */
    private const TRIES_TO_WRITE = 32;
    private const ROWS_PER_EVICTION = 64;
    private const TABLE_FULL = 1114;

    private float $nextSweep = 0.0;

    public function __construct(MySqlConnection $connection, string $namespace = 'larder', Codec $codec = new PhpCodec())
    {
        parent::__construct($connection, 'memory', $namespace, $codec, \sprintf(
            'name BINARY(16) NOT NULL, part MEDIUMINT UNSIGNED NOT NULL, version BINARY(16) NOT NULL,'
            . ' parts MEDIUMINT UNSIGNED NOT NULL, expires DOUBLE NOT NULL, data VARBINARY(%d) NOT NULL,'
            . ' PRIMARY KEY (name, part) USING BTREE, KEY version (version) USING BTREE',
            self::PART_LENGTH,
        ));
    }

    public function evicts(): bool
    {
        return true;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $until = Ttl::until($ttl);

        return $this->setAll([$key], [$this->codec->encode($value, $key)], $until);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);

        return $this->setAll($keys, array_map($this->codec->encode(...), array_values($values), $keys), $until);
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->connection->tries(\sprintf('DELETE FROM %s WHERE name = ?', $this->table), [self::name($key)]);
    }

    /** Removes all rows of values that have expired; the number is that of the values. */
    public function prune(): int
    {
        try {
            $now = microtime(true);
            $expired = \sprintf('DELETE FROM %s WHERE expires > 0 AND expires <= ?', $this->table);
            $values = $this->connection->run($expired . ' AND part = 0', [$now])->rowCount();
            $this->connection->run($expired, [$now]);

            return $values;
        } catch (PDOException) {
            return 0;
        }
    }

    public function keys(): iterable
    {
        try {
            $rows = $this->connection->run(
                \sprintf('SELECT name, data FROM %s WHERE part < ? AND (expires = 0 OR expires > ?) ORDER BY name, part', $this->table),
                [self::PARTS_OF_KEY, microtime(true)],
            );
            /** @var array<array-key, string> $sealed by name; PHP makes an integer of one that is all digits */
            $sealed = [];
            /** @var array{string, string} $row */
            foreach ($rows->fetchAll(PDO::FETCH_NUM) as $row) {
                $sealed[$row[0]] = ($sealed[$row[0]] ?? '') . $row[1];
            }
        } catch (PDOException) {
            return;
        }
        foreach ($sealed as $name => $begin) {
            $key = Envelope::key($begin);
            if ($key !== null && $key !== '' && self::name($key) === (string) $name && $this->has($key)) {
                yield $key;
            }
        }
    }

    protected function stored(array $keys): array
    {
        array_map(Key::check(...), $keys);
        try {
            $parts = $keys === [] ? [] : $this->rows($keys);
        } catch (PDOException) {
            return [];
        }
        $stored = [];
        foreach ($keys as $key) {
            $sealed = self::joined($parts[self::name($key)] ?? []);
            $bytes = $sealed === null ? null : Envelope::open($sealed, $key);
            if ($bytes !== null) {
                $stored[$key] = $bytes;
            }
        }

        return $stored;
    }

    /**
     * @param list<string> $keys
     * @param list<string> $encoded
     */
    private function setAll(array $keys, array $encoded, float $until): bool
    {
        $all = true;
        foreach ($keys as $i => $key) {
            $sealed = Envelope::seal($encoded[$i], $until, $key);
            if (!$this->writeEvicting($key, $sealed, $until)) {
                $this->delete($key);
                $all = false;
            }
        }

        return $all;
    }

    /**
     * One statement reads under one lock of the table.
     *
     * @param non-empty-list<string> $keys
     * @return array<array-key, array<int, array{version: string|int, parts: int, data: string}>> by name and part
     */
    private function rows(array $keys): array
    {
        $rows = $this->connection->run(\sprintf(
            'SELECT name, part, version, parts, data FROM %s WHERE name IN (?%s)',
            $this->table,
            str_repeat(', ?', \count($keys) - 1),
        ), array_map(self::name(...), $keys));
        $parts = [];
        /** @var array{name: string, part: int, version: string, parts: int, data: string} $row */
        foreach ($rows->fetchAll(PDO::FETCH_ASSOC) as $row) {
            $parts[$row['name']][$row['part']] = $row;
        }

        return $parts;
    }

    /** @param array<int, array{version: string|int, parts: int, data: string}> $rows by part */
    private static function joined(array $rows): ?string
    {
        if (!isset($rows[0])) {
            return null;
        }
        $sealed = '';
        for ($part = 0; $part < $rows[0]['parts']; ++$part) {
            if (!isset($rows[$part]) || $rows[$part]['version'] !== $rows[0]['version']) {
                return null;
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
     * @return array{string, list<string|int|float>} a statement and its parameters
     */
    private function rowsToWrite(string $verb, string $name, string $version, int $count, array $chunk, float $until): array
    {
        $parameters = [];
        foreach ($chunk as $part => $data) {
            array_push($parameters, $name, $part, $version, $count, $until, $data);
        }

        return [\sprintf(
            '%s INTO %s (name, part, version, parts, expires, data) VALUES (?, ?, ?, ?, ?, ?)%s',
            $verb,
            $this->table,
            str_repeat(', (?, ?, ?, ?, ?, ?)', \count($chunk) - 1),
        ), $parameters];
    }

    /** What a longer value before it left behind; not what another has written since. */
    private function removeLeftovers(string $name, int $count, string $version): void
    {
        $this->connection->run(\sprintf('DELETE FROM %s WHERE name = ? AND part >= ? AND version < ?', $this->table), [$name, $count, $version]);
    }

    /**
     * Of a full table: what has expired goes, at most once a second, or what was written longest ago (versions begin with
     * the time).
     *
     * @return bool false when all of it would not do
     */
    private function evict(int $rows): bool
    {
        try {
            $now = microtime(true);
            if ($now >= $this->nextSweep) {
                $this->nextSweep = $now + self::SECONDS_BETWEEN_SWEEPS;
                if ($this->connection->run(\sprintf('DELETE FROM %s WHERE expires > 0 AND expires <= ?', $this->table), [$now])->rowCount() > 0) {
                    return true;
                }
            }
            $all = $this->connection->run(\sprintf('SELECT COUNT(*) FROM %s', $this->table))->fetchColumn();
            if (!\is_int($all) || 2 * $rows > $all) {
                return false;
            }
            $last = $this->connection->run(\sprintf(
                'SELECT version FROM %s ORDER BY version LIMIT 1 OFFSET %d',
                $this->table,
                min(max(2 * $rows, self::ROWS_PER_EVICTION), intdiv($all + 1, 2)) - 1,
            ))->fetchColumn();

            return $this->connection->tries(\sprintf('DELETE FROM %s WHERE version <= ?', $this->table), [\is_string($last) ? $last : '']);
        } catch (PDOException) {
            return false;
        }
    }

    /**
     * One statement, under which the server locks the table, writes rows where those that were read are still of the same
     * version, and gives them a new one. When another was first, all begins again.
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
                $sealed = (string) self::joined($rows);
                $bytes = Envelope::open($sealed, $key);
                $until = Envelope::until($sealed);
                $new = $change($bytes === null ? null : new Entry($bytes, $until));
                if ($new === false) {
                    return false;
                }
                $old = isset($rows[0]) ? (string) $rows[0]['version'] : null; // an integer in a table that others made
                $parts = 1 + intdiv(\strlen($new->stored ?? ''), self::PART_LENGTH);
                if ($new === null ? $this->removeVersion($key, $old) : $this->writeOver($key, $old, $new->stored, $new->until ?? $until)) {
                    return true;
                }
            } catch (PDOException $error) {
                $code = $error->errorInfo[1] ?? null;
                if ($code !== self::DUPLICATE && !($code === self::TABLE_FULL && $this->evict($parts))) {
                    return false; // too large, full or unreachable
                }
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    private function removeVersion(string $key, ?string $version): bool
    {
        return $version === null
            || $this->connection->run(\sprintf('DELETE FROM %s WHERE name = ? AND version = ?', $this->table), [self::name($key), $version])->rowCount() > 0;
    }

    /**
     * @param string|null $old the version that is to be there; null for none
     * @return bool false when another is there by now
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
            $this->connection->run($sql, $parameters);

            return true;
        }
        // Under one lock of the table: a row that was deleted meanwhile must not come back.
        $row = 'SELECT CAST(? AS BINARY) AS name, ? AS part, CAST(? AS BINARY) AS version, ? AS parts, ? AS expires, CAST(? AS BINARY) AS data';
        $statement = $this->connection->run(\sprintf(
            'INSERT INTO %1$s (name, part, version, parts, expires, data) SELECT * FROM (%2$s) AS new'
            . ' WHERE EXISTS (SELECT 1 FROM %1$s AS old WHERE old.name = ? AND old.part = 0 AND old.version = ?)'
            . ' ON DUPLICATE KEY UPDATE parts = VALUES(parts), expires = VALUES(expires), data = VALUES(data), version = VALUES(version)',
            $this->table,
            $row . str_repeat(' UNION ALL ' . $row, \count($parts) - 1),
        ), [...$parameters, self::name($key), $old]);
        $done = $statement->rowCount() > 0;
        if ($done) {
            $this->removeLeftovers(self::name($key), \count($parts), $version);
        }

        return $done;
    }
}
