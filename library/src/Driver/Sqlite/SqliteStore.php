<?php

declare(strict_types=1);

namespace Larder\Driver\Sqlite;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\KeepsBytes;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use PDOException;

/**
 * An SQLite file: shared by all processes of one user on one machine (not over a network file system), kept over restarts.
 *
 * It uses a write-ahead log, so readers never wait for the writer; writers wait for each other, up to a second. One write
 * in sixteen removes a few expired rows. A damaged file is set aside as `<file>.corrupt` and recreated; that a file was
 * removed or replaced is noticed within a tenth of a second.
 */
final class SqliteStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore, EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use KeepsBytes;
    use PacksByCodec;

    /** A write of so many, at random, removes so many expired rows at most: twice as many as are written. */
    private const WRITES_PER_COLLECTION = 16;
    private const ROWS_PER_COLLECTION = 32;

    /** Others who write wait for no more than this. */
    private const VALUES_AT_ONCE = 1000;
    private const BYTES_AT_ONCE = 1 << 20;
    /** Of one statement; SQLite before 3.32 takes 999 parameters. */
    private const KEYS_AT_ONCE = 512;

    public function __construct(
        private readonly SqliteConnection $connection,
        private readonly string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
    ) {
        NamespaceName::check($namespace);
    }

    /**
     * @param int $maxBytes of the file, 0 for no limit; what was written longest ago is evicted then
     * @throws StoreUnavailable
     */
    public static function connect(string $file, int $maxBytes = 0): SqliteConnection
    {
        StoreUnavailable::unlessLoaded('sqlite', 'pdo_sqlite', 'sqlite3');

        try {
            return new SqliteConnection($file, $maxBytes, SqliteEviction::make(...));
        } catch (PDOException $cause) {
            throw StoreUnavailable::because(
                'sqlite',
                \sprintf('%s cannot be opened (%s)', $file, $cause->getMessage()),
                \sprintf('The directory %s must be there and writable, and the file an SQLite database of this user', \dirname($file)),
                $cause,
            );
        }
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $bytes = $this->codec->encode($value, $key);
        $until = Ttl::until($ttl);

        try {
            $this->write($key, $bytes, $until);
        } catch (PDOException|StoreUnavailable) {
            $this->delete($key); // too large, the disk is full, or another writer took too long

            return false;
        }
        $this->collectSometimes();

        return true;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $rows = $this->rows($keys);
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = isset($rows[$key]) ? $this->codec->decode($rows[$key]->stored, $key, $default) : $default;
        }

        return $values;
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($this->rows($keys) as $key => $row) {
            $value = $this->codec->decode($row->stored, (string) $key, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, $row->until);
            }
        }

        return $entries;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);

        for ($first = $next = 0; $first < \count($keys); $first = $next) {
            $bytes = 0;
            for (; $next < \count($keys) && $next - $first < self::VALUES_AT_ONCE; ++$next) {
                $length = \strlen($encoded[$next]) + \strlen($keys[$next]);
                if ($next > $first && $bytes + $length > $this->bytesAtOnce()) {
                    break;
                }
                $bytes += $length;
            }
            $isWritten = $this->connection->transaction(function () use ($first, $next, $keys, $encoded, $until): bool {
                for ($i = $first; $i < $next; ++$i) {
                    $this->write($keys[$i], $encoded[$i], $until);
                }
                SqliteEviction::collect($this->connection, 2 * ($next - $first));

                return true;
            });
            if (!$isWritten) {
                $this->removeRefused(\array_slice($keys, $first));

                return false;
            }
        }

        return true;
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->tries('DELETE FROM larder WHERE namespace = ? AND key = ?', [$this->namespace, [$key]]);
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $all = true;
        foreach (array_chunk($keys, self::KEYS_AT_ONCE) as $some) {
            [$places, $parameters] = self::list($some);
            $all = $this->tries("DELETE FROM larder WHERE namespace = ? AND key IN ($places)", [$this->namespace, ...$parameters]) && $all;
        }

        return $all;
    }

    /** Without a limit, a full disk makes it evict. */
    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        return $this->tries('DELETE FROM larder WHERE namespace = ?', [$this->namespace]);
    }

    /** The file keeps its size, and uses the space again. */
    public function prune(): int
    {
        $all = 0;

        try {
            while (($deleted = SqliteEviction::collect($this->connection, namespace: $this->namespace)) > 0) {
                $all += $deleted;
            }
        } catch (PDOException|StoreUnavailable) {
            // another writer took too long
        }

        return $all;
    }

    public function keys(): iterable
    {
        try {
            $rows = $this->connection->run('SELECT key FROM larder WHERE namespace = ? AND (expires = 0 OR expires > ?)', [$this->namespace, microtime(true)]);
        } catch (PDOException|StoreUnavailable) {
            return;
        }
        foreach ($rows as [$key]) {
            if (\is_string($key)) {
                yield $key;
            }
        }
    }

    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);

        return $this->connection->transaction(function () use ($key, $change): bool {
            $old = $this->row($key);
            $new = $change($old);
            if ($new === null) {
                $this->connection->run('DELETE FROM larder WHERE namespace = ? AND key = ?', [$this->namespace, [$key]]);
            } elseif ($new !== false) {
                $this->write($key, $new->stored, $new->until ?? $old->until ?? 0.0);
            }

            return $new !== false;
        });
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, Entry<string>> by key, those found
     */
    private function rows(array $keys): array
    {
        array_map(Key::check(...), $keys);
        $found = [];
        try {
            foreach (array_chunk($keys, self::KEYS_AT_ONCE) as $some) {
                [$places, $parameters] = self::list($some);
                /** @var list<array{string, string, float}> $rows */
                $rows = $this->connection->run(
                    "SELECT key, value, expires FROM larder WHERE namespace = ? AND key IN ($places) AND (expires = 0 OR expires > ?)",
                    [$this->namespace, ...$parameters, microtime(true)],
                );
                foreach ($rows as [$key, $bytes, $until]) {
                    $found[$key] = new Entry($bytes, $until);
                }
            }
        } catch (PDOException|StoreUnavailable) {
            // another writer took too long: what was not read is a miss
        }

        return $found;
    }

    /**
     * Repeats the first key until there are 1, 2, 4, … of them, as SQLite keeps each statement that it has prepared.
     *
     * @param non-empty-list<string> $keys
     * @return array{string, non-empty-list<array{string}>} places for parameters, and these
     */
    private static function list(array $keys): array
    {
        $size = 2 ** (int) ceil(log(\count($keys), 2));
        $parameters = array_pad(array_map(static fn(string $key): array => [$key], $keys), $size, [$keys[0]]);

        return ['?' . str_repeat(', ?', $size - 1), $parameters];
    }

    /** @return Entry<string>|null */
    private function row(string $key): ?Entry
    {
        $rows = $this->connection->run(
            'SELECT value, expires FROM larder WHERE namespace = ? AND key = ? AND (expires = 0 OR expires > ?)',
            [$this->namespace, [$key], microtime(true)],
        );
        /** @var array{string, float}|null $found */
        $found = $rows[0] ?? null;

        return $found === null ? null : new Entry($found[0], $found[1]);
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);

        try {
            $rows = $this->connection->run(
                'SELECT value FROM larder WHERE namespace = ? AND key = ? AND (expires = 0 OR expires > ?)',
                [$this->namespace, [$key], microtime(true)],
            );
            $bytes = $rows[0][0] ?? null;
        } catch (PDOException|StoreUnavailable) {
            return null;
        }

        return \is_string($bytes) ? $bytes : null;
    }

    private function write(string $key, string $bytes, float $until): void
    {
        $this->connection->run(
            'REPLACE INTO larder (namespace, key, value, expires) VALUES (?, ?, ?, ?)',
            [$this->namespace, [$key], [$bytes], $until],
            \strlen($bytes) + \strlen($key),
        );
    }

    /** @param list<string|float|array{string}> $parameters */
    private function tries(string $sql, array $parameters): bool
    {
        try {
            $this->connection->run($sql, $parameters);

            return true;
        } catch (PDOException|StoreUnavailable) {
            return false;
        }
    }

    /** Values of a transaction that is to fit beside others. */
    private function bytesAtOnce(): int
    {
        $most = $this->connection->maxBytes;

        return $most > 0 ? min(self::BYTES_AT_ONCE, intdiv($most, 8)) : self::BYTES_AT_ONCE;
    }

    /**
     * Best effort: whoever was in the way may be so still, and is waited for once, not for each key.
     *
     * @param list<string> $keys
     */
    private function removeRefused(array $keys): void
    {
        $this->connection->transaction(function () use ($keys): bool {
            array_map($this->delete(...), $keys);

            return true;
        });
    }

    private function collectSometimes(): void
    {
        // The nanoseconds of the clock are chance enough, as for the Collector of files.
        if (hrtime(true) % 1021 >= 1021 / self::WRITES_PER_COLLECTION) {
            return;
        }

        try {
            SqliteEviction::collect($this->connection, self::ROWS_PER_COLLECTION);
        } catch (PDOException|StoreUnavailable) {
            // the next one does it
        }
    }
}
