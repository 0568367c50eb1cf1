<?php

declare(strict_types=1);

namespace Larder\Driver\Pdo;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\NamesServer;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use PDOException;

/**
 * The table larder_cache in the application's database, for all namespaces. Each change gives a row a new version, by which
 * atomic operations know that nobody else was first. One write of sixteen removes a few expired rows.
 */
final class PdoStore implements RemoteStore, NamesServer, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const TRIES = 1000;
    private const ROWS_AT_ONCE = 500;
    private const BYTES_AT_ONCE = 1 << 20;
    private const WRITES_PER_COLLECTION = 16;
    private const ROWS_PER_COLLECTION = 32;

    public function __construct(
        private readonly PdoConnection $connection,
        private readonly string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
    ) {
        NamespaceName::check($namespace);
    }

    public function server(): ?string
    {
        return $this->connection->server();
    }

    public function reach(): void
    {
        try {
            $this->connection->rows('SELECT 1 FROM larder_cache WHERE namespace = ? AND name = ?', [$this->namespace, '']);
        } catch (StoreFailed|PDOException $error) {
            throw StoreUnavailable::because(
                'pdo',
                $error instanceof StoreFailed ? $error->what : \sprintf('the table larder_cache cannot be used (%s)', $error->getMessage()),
                'The application\'s user needs the right to make that table, and SELECT, INSERT, UPDATE and DELETE on it',
                $error,
            );
        }
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $entry = $this->stored([$key])[$key] ?? null;

        return $entry === null ? $default : $this->codec->decode($entry->stored, $key, $default);
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

    public function has(string $key): bool
    {
        return isset($this->stored([$key])[$key]);
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
        return $this->setMany([$key => $value], $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);
        $rows = $refused = [];
        $bytes = 0;
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);
        foreach ($keys as $i => $key) {
            $length = \strlen($encoded[$i]) + \strlen($key);
            if ($length > $this->connection->longest()) {
                $refused[] = $key;

                continue;
            }
            if ($rows !== [] && (\count($rows) === self::ROWS_AT_ONCE || $bytes + $length > min(self::BYTES_AT_ONCE, $this->connection->longest()))) {
                array_push($refused, ...$this->write($rows));
                $rows = [];
                $bytes = 0;
            }
            $bytes += $length;
            $rows[$key] = $this->row($key, $encoded[$i], $until);
        }
        array_push($refused, ...($rows === [] ? [] : $this->write($rows)));
        $this->deleteMany($refused);
        for ($n = random_int(0, self::WRITES_PER_COLLECTION - 1); $n < \count($keys) && $this->collect(); $n += self::WRITES_PER_COLLECTION);

        return $refused === [];
    }

    public function delete(string $key): bool
    {
        return $this->deleteMany([$key]);
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $all = true;
        foreach (array_chunk($keys, self::ROWS_AT_ONCE) as $some) {
            $all = $this->changed(
                \sprintf('DELETE FROM larder_cache WHERE namespace = ? AND name IN (%s)', self::places($some)),
                [$this->namespace, ...self::names($some)],
            ) !== null && $all;
        }

        return $all;
    }

    public function clear(): bool
    {
        return $this->changed('DELETE FROM larder_cache WHERE namespace = ?', [$this->namespace]) !== null;
    }

    public function keys(): iterable
    {
        foreach ($this->read('SELECT full_key FROM larder_cache WHERE namespace = ? AND (expires = 0 OR expires > ?)', [$this->namespace, self::number(microtime(true))]) as [$key]) {
            if (\is_string($key)) {
                yield $key;
            }
        }
    }

    public function prune(): int
    {
        return (int) $this->changed('DELETE FROM larder_cache WHERE namespace = ? AND expires > 0 AND expires <= ?', [$this->namespace, self::number(microtime(true))]);
    }

    /** Changes a row only in the version that was read; when another process was first, begins again. */
    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $where = 'WHERE namespace = ? AND name = ?';
        [$name] = self::names([$key]);
        for ($try = 0; $try < self::TRIES; ++$try) {
            try {
                [$full, $bytes, $until, $version] = $this->connection->rows("SELECT full_key, value, expires, version FROM larder_cache $where", [$this->namespace, $name])[0] ?? [null, null, null, null];
            } catch (PDOException) {
                return false;
            }
            $until = is_numeric($until) ? (float) $until : 0.0;
            $isThere = $full === $key && \is_string($bytes) && ($until === 0.0 || $until > microtime(true));
            $new = $change($isThere ? new Entry($bytes, $until) : null);
            if ($new === false || ($new === null && !\is_string($version))) {
                return $new === null;
            }
            $row = $new === null ? [] : $this->row($key, $new->stored, $new->until ?? ($isThere ? $until : 0.0));
            if ($new !== null && \strlen($new->stored) + \strlen($key) > $this->connection->longest()) {
                return false;
            }
            $changed = match (true) {
                $new === null => $this->changed("DELETE FROM larder_cache $where AND version = ?", [$this->namespace, $name, self::text($version)]),
                !\is_string($version) => $this->changed($this->connection->dialect()->writeNew(), $row),
                default => $this->changed(
                    "UPDATE larder_cache SET full_key = ?, value = ?, expires = ?, version = ? $where AND version = ?",
                    [...\array_slice($row, 2), $this->namespace, $name, $version],
                ),
            };
            if ($changed !== 0) {
                return $changed !== null;
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, Entry<string>> the codec's bytes by key, those found
     * @throws StoreFailed
     */
    private function stored(array $keys): array
    {
        array_map(Key::check(...), $keys);
        $stored = [];
        foreach (array_chunk($keys, self::ROWS_AT_ONCE) as $some) {
            $sql = \sprintf('SELECT full_key, value, expires FROM larder_cache WHERE namespace = ? AND name IN (%s) AND (expires = 0 OR expires > ?)', self::places($some));
            foreach ($this->read($sql, [$this->namespace, ...self::names($some), self::number(microtime(true))]) as [$key, $bytes, $until]) {
                if (\is_string($key) && \is_string($bytes) && is_numeric($until)) {
                    $stored[$key] = new Entry($bytes, (float) $until);
                }
            }
        }

        return $stored;
    }

    /**
     * @param non-empty-array<array-key, list<string|array{string}>> $rows by key
     * @return list<string> keys of those that were refused
     * @throws StoreFailed
     */
    private function write(array $rows): array
    {
        ksort($rows); // so that two writers do not wait for each other
        if ($this->changed($this->connection->dialect()->write(\count($rows)), array_merge(...array_values($rows))) !== null) {
            return [];
        }
        if (\count($rows) === 1) {
            return [(string) array_key_first($rows)];
        }
        $refused = [];
        foreach ($rows as $key => $row) {
            array_push($refused, ...$this->write([$key => $row]));
        }

        return $refused;
    }

    /** @return bool false when there was nothing to remove */
    private function collect(): bool
    {
        $now = self::number(microtime(true));
        $rows = $this->read(\sprintf('SELECT name FROM larder_cache WHERE namespace = ? AND expires > 0 AND expires <= ? LIMIT %d', self::ROWS_PER_COLLECTION), [$this->namespace, $now]);
        $names = array_values(array_filter(array_column($rows, 0), is_string(...)));
        if ($names === []) {
            return false;
        }
        sort($names, \SORT_STRING);
        $names = array_pad($names, self::ROWS_PER_COLLECTION, $names[0]);

        return $this->changed(
            \sprintf('DELETE FROM larder_cache WHERE namespace = ? AND name IN (%s) AND expires > 0 AND expires <= ?', self::places($names)),
            [$this->namespace, ...$names, $now],
        ) !== null;
    }

    /**
     * @param list<string|array{string}> $parameters
     * @return list<list<mixed>>
     * @throws StoreFailed a user who may not read has no use of the cache, and is told so
     */
    private function read(string $sql, array $parameters): array
    {
        try {
            return $this->connection->rows($sql, $parameters);
        } catch (PDOException $error) {
            throw StoreFailed::refused('pdo', $error->getMessage());
        }
    }

    /**
     * @param list<string|array{string}> $parameters
     * @return int|null null when the server refuses
     * @throws StoreFailed
     */
    private function changed(string $sql, array $parameters): ?int
    {
        try {
            return $this->connection->change($sql, $parameters);
        } catch (PDOException) {
            return null;
        }
    }

    /** @return list<string|array{string}> the columns in their order */
    private function row(string $key, string $bytes, float $until): array
    {
        return [$this->namespace, self::names([$key])[0], [$key], [$bytes], self::number($until), bin2hex(random_bytes(8))];
    }

    /**
     * @param non-empty-list<string> $keys
     * @return non-empty-list<string>
     */
    private static function names(array $keys): array
    {
        return array_map(static fn(string $key): string => hash('xxh128', $key), $keys);
    }

    /** @param non-empty-list<string> $values */
    private static function places(array $values): string
    {
        return '?' . str_repeat(', ?', \count($values) - 1);
    }

    private static function number(float $time): string
    {
        return \sprintf('%.6F', $time);
    }

    private static function text(mixed $value): string
    {
        return \is_string($value) ? $value : '';
    }
}
