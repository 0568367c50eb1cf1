<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Store\Capability\Adds;
use Larder\Store\Capability\Counts;
use Larder\Store\Capability\Lists;
use Larder\Store\Capability\Locks;
use Larder\Store\Capability\Replaces;
use Larder\Store\Capability\Swaps;
use Larder\Store\Capability\TellsExpiry;
use Larder\Store\Capability\Touches;
use PDO;
use PDOException;

/**
 * A MEMORY table of a MySQL or MariaDB server. Such tables know no long values, so a value is split over rows.
 *
 * Every row of a value carries the same version, which is new with every set. A reader takes the version of the first row
 * and needs all of its rows: what two writers left half and half is a miss. The table is full at the server's
 * max_heap_table_size; then what has expired makes room, and else a set is refused.
 */
final class MySqlMemoryStore extends MySqlTable implements Adds, Replaces, Counts, Touches, Swaps, Locks, Lists, TellsExpiry
{
    use MySqlMemoryAtomics;

    /** Bytes. Rows of these tables take their full length, however little is in them. */
    private const PART_LENGTH = 1000;
    private const PARTS_AT_ONCE = 1000;
    private const MAX_PARTS = 1_000_000;
    private const SECONDS_BETWEEN_SWEEPS = 1.0;

    private float $nextSweep = 0.0;

    public function __construct(MySqlConnection $connection, string $namespace = 'larder', Codec $codec = new PhpCodec())
    {
        parent::__construct($connection, 'memory', $namespace, $codec, \sprintf(
            'name BINARY(16) NOT NULL, part MEDIUMINT UNSIGNED NOT NULL, version BINARY(16) NOT NULL,'
            . ' parts MEDIUMINT UNSIGNED NOT NULL, expires DOUBLE NOT NULL, data VARBINARY(%d) NOT NULL,'
            . ' PRIMARY KEY (name, part) USING BTREE',
            self::PART_LENGTH,
        ));
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

    /**
     * @param list<string> $keys
     * @param list<string> $encoded
     */
    private function setAll(array $keys, array $encoded, float $until): bool
    {
        $all = true;
        foreach ($keys as $i => $key) {
            $sealed = Envelope::seal($encoded[$i], $until, $key);
            if (!$this->write($key, $sealed, $until) && !$this->writeAfterSweep($key, $sealed, $until)) {
                $this->delete($key);
                $all = false;
            }
        }

        return $all;
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
     * One statement reads under one lock of the table.
     *
     * @param non-empty-list<string> $keys
     * @return array<array-key, array<int, array{version: string, parts: int, data: string}>> by name and part
     * @throws PDOException
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

    /** @param array<int, array{version: string, parts: int, data: string}> $rows by part */
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

    private function write(string $key, string $sealed, float $until): bool
    {
        $parts = str_split($sealed, self::PART_LENGTH);
        $count = \count($parts);
        if ($count > self::MAX_PARTS) {
            return false;
        }
        $name = self::name($key);
        $version = self::newVersion();
        foreach (array_chunk($parts, self::PARTS_AT_ONCE, true) as $chunk) {
            if (!$this->connection->tries(...$this->rowsToWrite('REPLACE', $name, $version, $count, $chunk, $until))) {
                return false;
            }
        }

        return $this->removeLeftovers($name, $count, $version);
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
    private function removeLeftovers(string $name, int $count, string $version): bool
    {
        return $this->connection->tries(\sprintf('DELETE FROM %s WHERE name = ? AND part >= ? AND version < ?', $this->table), [$name, $count, $version]);
    }

    private function writeAfterSweep(string $key, string $sealed, float $until): bool
    {
        return $this->sweepNow() && $this->write($key, $sealed, $until);
    }

    /** @return bool false when it was done a short while ago */
    private function sweepNow(): bool
    {
        $now = microtime(true);
        if ($now < $this->nextSweep) {
            return false;
        }
        $this->nextSweep = $now + self::SECONDS_BETWEEN_SWEEPS;

        return $this->connection->tries(\sprintf('DELETE FROM %s WHERE expires > 0 AND expires <= ?', $this->table), [$now]);
    }
}
