<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreFailed;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Process\Functions;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * A table with one row for each value, found by a hash of its key. Each operation is one statement and one transaction.
 * Each change gives a row a new version, so an atomic operation notices if another process was first.
 */
class SqlStore implements
    Store,
    AtomicStore,
    LockingStore,
    ListableStore,
    ExpiryAwareStore,
    PrunableStore,
    EvictingStore,
    \Stringable
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically {
        add as private addByChange;
    }
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const LIVE = '(expires {=} 0 OR expires {>} ?)';
    private const EXPIRED = 'expires {>} 0 AND expires {<=} ?';

    private const TRIES = 1000;
    private const NAMES_AT_ONCE = 512;
    /** SQLite before 3.32 takes 999 parameters. */
    private const ROWS_AT_ONCE = 160;
    /** Fits into the least max_allowed_packet of a server. Other writers to an SQLite file wait as long as it takes. */
    private const BYTES_AT_ONCE = 1 << 18;
    private const ROWS_PER_PAGE = 1000;
    /** Sorts before all names. MariaDB may take an empty string for NULL. */
    private const FIRST = '0';

    /** One write in this many, at random, removes expired rows: up to twice as many as were written. */
    private const WRITES_PER_COLLECTION = 16;
    private const ROWS_PER_COLLECTION = 32;

    /** Condition on the namespace, before others. */
    private readonly string $scope;
    private readonly string $key;
    /** @var list<string> parameters of the scope */
    private readonly array $namespace;
    private readonly string $reading;

    /** @param bool $isShared true if the table has a column for the namespace */
    public function __construct(
        protected readonly SqlConnection $connection,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
        bool $isShared = true,
    ) {
        if ($namespace !== 'larder') {
            NamespaceName::check($namespace);
        }
        [$this->scope, $this->key, $this->namespace] = $isShared
            ? ['namespace {=} ? AND ', 'namespace, name', [$namespace]]
            : ['', 'name', []];
        $this->reading = "SELECT full_key, value, expires, version FROM {table} WHERE {$this->scope}name {=} ? LIMIT 1";
    }

    public function __toString(): string
    {
        return $this->connection::NAME;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        [$bytes] = $this->current($key);

        return $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $values = array_fill_keys($keys, $default);
        foreach ($this->read($keys, 'full_key, value') as [$key, $bytes]) {
            if (\is_string($key) && \is_string($bytes) && \array_key_exists($key, $values)) {
                $values[$key] = $this->codec->decode($bytes, $key, $default);
            }
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return ($this->read([$key], 'full_key')[0][0] ?? null) === $key;
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($this->read($keys, 'full_key, value, expires') as [$key, $bytes, $until]) {
            if (!\is_string($key) || !\is_string($bytes) || !is_numeric($until)) {
                continue; // another program's table may have other types
            }
            $value = $this->codec->decode($bytes, $key, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, (int) $until / 1e6);
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
        $until = Ttl::microseconds(Ttl::until($ttl));
        $keys = Key::of($values);
        $rows = [];
        foreach (array_map($this->codec->encode(...), array_values($values), $keys) as $i => $bytes) {
            $rows[self::name($keys[$i])] = [$keys[$i], $bytes];
        }
        ksort($rows, \SORT_STRING); // so that two writers do not wait for each other
        $some = $refused = [];
        $length = 0;
        foreach ($rows as $name => [$key, $bytes]) {
            $more = \strlen($bytes) + \strlen($key);
            $limit = $this->connection->longest();
            if ($more > $limit) {
                $refused[] = $name;
                continue;
            }
            if (\count($some) === self::ROWS_AT_ONCE || $length + $more > min(self::BYTES_AT_ONCE, $limit)) {
                array_push($refused, ...$this->write($some));
                $some = [];
                $length = 0;
            }
            $some[$name] = $this->row($key, $bytes, $until);
            $length += $more;
        }
        array_push($refused, ...$this->write($some));
        if ($refused !== []) {
            $this->deleteNames($refused);

            return false;
        }
        $this->collectSometimes(\count($rows));

        return true;
    }

    public function delete(string $key): bool
    {
        return $this->deleteMany([$key]);
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);

        return $this->deleteNames(array_map(self::name(...), $keys));
    }

    public function clear(): bool
    {
        do {
            // With sql_safe_updates MySQL wants a condition on a key.
            $deleted = $this->deleteWhere('name {>} ?', [self::FIRST], self::ROWS_PER_PAGE);
        } while ($deleted === self::ROWS_PER_PAGE);

        return $deleted !== null;
    }

    public function keys(): iterable
    {
        $condition = "{$this->scope}name {>} ? AND " . self::LIVE;
        $sql = "SELECT name, full_key FROM {table} WHERE $condition ORDER BY name LIMIT " . self::ROWS_PER_PAGE;
        for ($last = self::FIRST; $last !== null;) {
            $next = null;
            foreach ($this->connection->rows($sql, [...$this->namespace, $last, self::now()]) as [$name, $key]) {
                if (\is_string($key)) {
                    yield $key;
                }
                $next = \is_string($name) && $name > $last ? $name : null; // else the server repeats itself
            }
            $last = $next;
        }
    }

    public function prune(): int
    {
        $all = 0;
        do {
            $deleted = $this->collect(self::NAMES_AT_ONCE, false);
            $all += $deleted;
        } while ($deleted > 0);

        return $all;
    }

    public function evicts(): bool
    {
        return $this->connection->evicts();
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $row = $this->row($key, $this->pack($key, $value), Ttl::microseconds(Ttl::until($ttl)));

        return $this->insert($key, $row) ?? $this->addByChange($key, $value, $ttl);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $bytes = $this->pack($key, $value);

        return \strlen($bytes) + \strlen($key) <= $this->connection->longest()
            && $this->update($key, 'value = ?, expires = ?', [[$bytes], Ttl::microseconds(Ttl::until($ttl))], false);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return $this->update($key, 'expires = ?', [Ttl::microseconds(Ttl::until($ttl))], true);
    }

    /** Changes a row only if it has the version that was read; if another process was first, starts over. */
    private function change(string $key, \Closure $change): bool
    {
        $name = self::name($key);
        $update = 'UPDATE {table} SET full_key = ?, value = ?, expires = ?, version = ?{order}'
            . " WHERE {$this->scope}name {=} ? AND version {=} ?";
        for ($try = 0; $try < self::TRIES; ++$try) {
            [$bytes, $until, $version] = $this->current($key);
            $new = $change($bytes === null ? null : new Entry($bytes, $until / 1e6));
            if ($new === false || ($new === null && $version === null)) {
                return $new === null;
            }
            if ($new === null) {
                $changed = $this->deleteWhere('name {=} ? AND version {=} ?', [$name, $version], 1, false);
            } else {
                $row = $this->row($key, $new->stored, $new->until === null ? $until : Ttl::microseconds($new->until));
                $changed = match (true) {
                    $version === null => $this->insert($key, $row) ?? 0,
                    \strlen($new->stored) + \strlen($key) > $this->connection->longest() => null,
                    default => $this->connection->change(
                        $update,
                        [...\array_slice($row, -4), ...$this->namespace, $name, $version],
                        false,
                    ),
                };
            }
            if ($changed !== 0) {
                return $changed !== null && $changed !== false;
            }
            Functions::sleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    /**
     * @param list<string|int|array{string}> $row
     * @return bool|null false if it was refused, null if there is one
     */
    private function insert(string $key, array $row): ?bool
    {
        $isTooLong = \strlen($key) + SqlConnection::bytes($row) > $this->connection->longest();
        $sql = $this->connection->dialect()->writeNew($this->key);

        return match ($isTooLong ? null : $this->connection->change($sql, $row, false)) {
            null => false,
            0 => null,
            default => true,
        };
    }

    /** @param list<int|array{string}> $parameters */
    private function update(string $key, string $columns, array $parameters, bool $mayRepeat): bool
    {
        Key::check($key);
        $condition = "{$this->scope}name {=} ? AND full_key {=} ? AND " . self::LIVE;

        return $this->connection->change(
            "UPDATE {table} SET $columns, version = ?{order} WHERE $condition",
            [...$parameters, self::version(), ...$this->namespace, self::name($key), [$key], self::now()],
            $mayRepeat,
        ) === 1;
    }

    /**
     * Reads one row, without its expiry as a condition.
     *
     * @return array{string|null, int, string|null} live value of this key, its expiry; version of the row
     */
    private function current(string $key): array
    {
        Key::check($key);
        $rows = $this->connection->rows($this->reading, [...$this->namespace, self::name($key)]);
        [$full, $bytes, $until, $version] = $rows[0] ?? [null, null, null, null];
        $version = \is_string($version) ? $version : null;
        $until = is_numeric($until) ? (int) $until : -1;

        return $full === $key && \is_string($bytes) && ($until === 0 || $until > self::now())
            ? [$bytes, $until, $version]
            : [null, 0, $version];
    }

    /**
     * @param list<string> $keys
     * @return list<list<mixed>> columns of those found
     */
    private function read(array $keys, string $columns): array
    {
        array_map(Key::check(...), $keys);
        $rows = [];
        foreach (array_chunk($keys, self::NAMES_AT_ONCE) as $some) {
            [$condition, $names] = $this->connection->dialect()->names(array_map(self::name(...), $some));
            $condition = "$this->scope$condition AND " . self::LIVE;
            // MySQL's sql_select_limit may be lower.
            $sql = "SELECT $columns FROM {table} WHERE $condition LIMIT " . self::NAMES_AT_ONCE;
            array_push($rows, ...$this->connection->rows($sql, [...$this->namespace, ...$names, self::now()]));
        }

        return $rows;
    }

    /**
     * @param array<array-key, list<string|int|array{string}>> $rows by name
     * @return list<string> the names if they were refused
     */
    private function write(array $rows): array
    {
        if ($rows === []) {
            return [];
        }
        $sql = $this->connection->dialect()->write($this->key, \count($rows));
        $changed = $this->connection->change($sql, array_merge(...array_values($rows)));

        return $changed === null ? array_map(strval(...), array_keys($rows)) : [];
    }

    /**
     * @param list<string|int> $parameters
     * @return int|null as SqlConnection::change()
     */
    private function deleteWhere(string $condition, array $parameters, int $limit, bool $mayRepeat = true): ?int
    {
        $dialect = $this->connection->dialect();
        [$sql, $parameters] = $dialect->delete($this->scope, $this->namespace, $condition, $parameters, $limit);

        return $this->connection->change($sql, $parameters, $mayRepeat);
    }

    /** @param list<string> $names */
    private function deleteNames(array $names): bool
    {
        $all = true;
        foreach (array_chunk($names, self::NAMES_AT_ONCE) as $some) {
            sort($some, \SORT_STRING);
            [$condition, $parameters] = $this->connection->dialect()->names($some);
            $all = $this->deleteWhere($condition, $parameters, self::NAMES_AT_ONCE) !== null && $all;
        }

        return $all;
    }

    private function collectSometimes(int $written): void
    {
        // The nanoseconds of the clock are random enough.
        if ($written < self::WRITES_PER_COLLECTION && hrtime(true) % 1021 >= 1021 / self::WRITES_PER_COLLECTION) {
            return;
        }
        $left = max(2 * $written, self::ROWS_PER_COLLECTION);

        try {
            $ofAll = $this->connection->dialect()->deletesAcrossNamespaces();
            do {
                $deleted = $this->collect(min($left, self::NAMES_AT_ONCE), $ofAll);
                $left -= $deleted;
            } while ($deleted > 0 && $left > 0);
        } catch (StoreFailed) {
            // The values are stored; the next call reports the failure.
        }
    }

    /**
     * Reads without a lock first, since a deletion waits for other writers even if there is nothing to delete.
     *
     * @param bool $ofAll true for those of other namespaces too
     * @return int number of deleted rows
     */
    private function collect(int $limit, bool $ofAll): int
    {
        [$scope, $namespace] = $ofAll ? ['', []] : [$this->scope, $this->namespace];
        $now = self::now();
        $select = "SELECT name FROM {table}{by expiry} WHERE $scope" . self::EXPIRED . " LIMIT $limit";
        $rows = $this->connection->rows($select, [...$namespace, $now]);
        $names = array_values(array_filter(array_column($rows, 0), is_string(...)));
        if ($names === []) {
            return 0;
        }
        sort($names, \SORT_STRING);
        $dialect = $this->connection->dialect();
        [$condition, $parameters] = $ofAll ? ['', []] : $dialect->names($names);
        $condition .= ($ofAll ? '' : ' AND ') . self::EXPIRED;
        [$sql, $parameters] = $dialect->delete($scope, $namespace, $condition, [...$parameters, $now], $limit);

        return (int) $this->connection->change($sql, $parameters);
    }

    /** @return list<string|int|array{string}> the columns in their order */
    private function row(string $key, string $bytes, int $until): array
    {
        Key::check($key);

        return [...$this->namespace, self::name($key), [$key], [$bytes], $until, self::version()];
    }

    private static function version(): string
    {
        return bin2hex(random_bytes(8));
    }

    private static function name(string $key): string
    {
        return hash('xxh128', $key);
    }

    private static function now(): int
    {
        return (int) (1e6 * microtime(true));
    }
}
