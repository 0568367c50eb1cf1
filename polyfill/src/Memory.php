<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/**
 * What the functions of the polyfill keep: an array of this process, which ends with its request. Values over an eighth
 * of LIMIT are refused, and the entries that were stored first make room, as a worker may never end its request.
 */
final class Memory
{
    /** Bytes that all entries may take. */
    public const LIMIT = 32 * 1024 * 1024;
    private const SHARE = 8;
    /** What serialize() makes of a resource. */
    private const RESOURCE = 'i:0;';

    private static ?self $instance = null;

    /** What a key begins with in the array, where a string of digits would become an integer. */
    private const MARK = ':';

    /** @var array<string, Entry> */
    private array $entries = [];

    private int $bytes = 0;
    private int $token = 0;
    private readonly float $since;

    /** One of LARDER_ERROR_*. */
    public int $error = \LARDER_ERROR_NONE;

    /** @var array{hits: int, misses: int, stores: int, deletes: int, unreadable: int, evicted: int, expired: int, refused: int} */
    private array $counts = ['hits' => 0, 'misses' => 0, 'stores' => 0, 'deletes' => 0, 'unreadable' => 0, 'evicted' => 0, 'expired' => 0, 'refused' => 0];

    private function __construct()
    {
        $this->since = microtime(true);
    }

    /** The one of this process. Its first use is one line in the log. */
    public static function ofThisProcess(): self
    {
        if (self::$instance === null) {
            self::$instance = new self();
            error_log('larder/polyfill: the extension larder is not loaded. What larder_*() store ends with this process, and no other process sees it.');
        }

        return self::$instance;
    }

    /** @param int|null $token that of the value, null on a miss */
    public function fetch(string $key, mixed $default, ?int &$token = null): mixed
    {
        $token = null;
        $entry = $this->entry($key);
        if ($entry === null) {
            ++$this->counts['misses'];

            return $default;
        }
        $token = $entry->token;

        try {
            $value = unserialize($entry->bytes, ['max_depth' => 0]);
        } catch (\Throwable) {
            ++$this->counts['unreadable'];
            ++$this->counts['misses'];

            return $default;
        }
        $entry->isUsed = true;
        ++$this->counts['hits'];

        return $value;
    }

    public function has(string $key): bool
    {
        return $this->entry($key) !== null;
    }

    /**
     * @param bool|null $isThere whether there must be a value; null when either will do
     * @param int|null $token the value's that must be there
     * @throws \Exception by what cannot be serialized; the old value stays
     */
    public function store(string $key, mixed $value, float $ttl, ?bool $isThere = null, ?int $token = null): bool
    {
        $this->error = \LARDER_ERROR_NONE;
        $bytes = serialize($value);
        if (str_contains($bytes, self::RESOURCE) && self::hasResource($value)) {
            throw new \Exception("Serialization of 'resource' is not allowed");
        }
        $there = $this->entry($key);
        if (($isThere !== null && ($there !== null) !== $isThere) || ($token !== null && $there?->token !== $token)) {
            return false;
        }
        $entry = $this->make($bytes, $ttl === 0.0 ? 0.0 : microtime(true) + $ttl);
        if ($entry->size($key) > self::LIMIT / self::SHARE) {
            $this->error = \LARDER_ERROR_SIZE;
            ++$this->counts['refused'];
            if ($isThere === null) {
                $this->remove($key);
            }

            return false;
        }
        ++$this->counts['stores'];
        $this->put($key, $entry);

        return true;
    }

    public function touch(string $key, float $ttl): bool
    {
        $this->error = \LARDER_ERROR_NONE;
        $entry = $this->entry($key);
        if ($entry === null) {
            return false;
        }
        $entry->until = $ttl === 0.0 ? 0.0 : microtime(true) + $ttl;

        return true;
    }

    /** @param callable(int): (int|float) $change a float is out of range */
    public function count(string $key, callable $change, float $ttl): int|false
    {
        $this->error = \LARDER_ERROR_NONE;
        $there = $this->entry($key);
        $old = $there === null ? 0 : unserialize($there->bytes, ['allowed_classes' => false]);
        $new = \is_int($old) ? $change($old) : null;
        if (!\is_int($new)) {
            $this->error = $new === null ? \LARDER_ERROR_TYPE : \LARDER_ERROR_RANGE;

            return false;
        }
        $until = $there === null ? ($ttl === 0.0 ? 0.0 : microtime(true) + $ttl) : $there->until;
        $this->put($key, $this->make(serialize($new), $until));

        return $new;
    }

    /** Puts $new in the place of the integer $old. */
    public function swap(string $key, int $old, int $new): bool
    {
        $this->error = \LARDER_ERROR_NONE;
        $there = $this->entry($key);
        $value = $there === null ? null : unserialize($there->bytes, ['allowed_classes' => false]);
        if ($there !== null && !\is_int($value)) {
            $this->error = \LARDER_ERROR_TYPE;
        }
        if ($there === null || $value !== $old) {
            return false;
        }
        $this->put($key, $this->make(serialize($new), $there->until));

        return true;
    }

    public function delete(string $key): bool
    {
        $this->error = \LARDER_ERROR_NONE;
        if ($this->entry($key) === null) {
            return false;
        }
        ++$this->counts['deletes'];
        $this->remove($key);

        return true;
    }

    public function clear(): void
    {
        $this->error = \LARDER_ERROR_NONE;
        $this->entries = [];
        $this->bytes = 0;
    }

    /** @return array{ttl: float, age: int, size: int, used: bool}|null as of larder_key_info() */
    public function describe(string $key): ?array
    {
        return $this->entry($key)?->info($key, microtime(true));
    }

    /** @return list<string> those that begin so */
    public function keys(string $prefix): array
    {
        $keys = [];
        foreach (array_keys($this->entries) as $name) {
            $key = substr($name, \strlen(self::MARK));
            if (str_starts_with($key, $prefix) && $this->entry($key) !== null) {
                $keys[] = $key;
            }
        }

        return $keys;
    }

    /** @return array<string, mixed> as of larder_info(), as far as an array has it */
    public function info(): array
    {
        return [
            'available' => true,
            'reason' => 'The extension larder is not loaded: this is an array of this process, of the package larder/polyfill.',
            'version' => 'polyfill',
            'segment' => '',
            'user' => \function_exists('posix_geteuid') ? posix_geteuid() : 0,
            'path' => '',
            'age' => microtime(true) - $this->since,
            'size' => self::LIMIT,
            'size_asked' => self::LIMIT,
            'settings' => [],
            'zero_copy' => false,
            'serializer' => 'php',
            'slots' => \PHP_INT_MAX,
            'hits' => $this->counts['hits'],
            'misses' => $this->counts['misses'],
            'unreadable' => $this->counts['unreadable'],
            'stores' => $this->counts['stores'],
            'deletes' => $this->counts['deletes'],
            'copies' => $this->counts['hits'],
            'moves' => 0,
            'evictions' => ['room' => $this->counts['evicted'], 'expired' => $this->counts['expired'], 'index' => 0],
            'refusals' => ['size' => $this->counts['refused'], 'room' => 0],
        ];
    }

    /** @return array<string, mixed> what larder_info() adds to info(), which is slow there */
    public function tables(): array
    {
        $oldest = reset($this->entries);

        return [
            'memory' => ['page_size' => 0, 'pages' => 0, 'free' => 0, 'open' => 0, 'closed' => 0, 'limbo' => 0, 'large' => 0, 'dead' => 0, 'committed' => $this->bytes],
            'entries' => \count($this->entries),
            'oldest' => $oldest === false ? 0.0 : microtime(true) - $oldest->since,
            'pins' => ['pages' => 0, 'limit' => 0, 'long_lived' => 0, 'long_lived_limit' => 0, 'mine' => 0, 'scans' => 0, 'released' => 0, 'scan_us' => 0],
            'processes' => ['attached' => 1, 'limit' => 1, 'mine' => 0, 'reaped' => 0, 'holders' => []],
        ];
    }

    /** Looks into arrays, and into objects that do not serialize themselves. */
    private static function hasResource(mixed $value): bool
    {
        $has = false;
        $seen = [];
        for ($parts = [[$value]]; $parts !== [] && !$has;) {
            $part = array_pop($parts);

            try {
                array_walk_recursive($part, static function (mixed $leaf) use (&$has, &$seen, &$parts): void {
                    $has = $has || str_starts_with(\gettype($leaf), 'resource');
                    if (\is_object($leaf) && !isset($seen[spl_object_id($leaf)]) && !method_exists($leaf, '__serialize') && !method_exists($leaf, '__sleep')) {
                        $seen[spl_object_id($leaf)] = $leaf;
                        $parts[] = (array) $leaf;
                    }
                });
            } catch (\Error) {
                // an array that contains itself
            }
        }

        return $has;
    }

    private function make(string $bytes, float $until): Entry
    {
        return new Entry($bytes, ++$this->token, microtime(true), $until);
    }

    /** Null when there is none, or it has expired. */
    private function entry(string $key): ?Entry
    {
        $entry = $this->entries[self::MARK . $key] ?? null;
        if ($entry === null || !$entry->hasExpired(microtime(true))) {
            return $entry;
        }
        ++$this->counts['expired'];
        $this->remove($key);

        return null;
    }

    private function put(string $key, Entry $entry): void
    {
        $this->remove($key);
        $this->entries[self::MARK . $key] = $entry;
        for ($this->bytes += $entry->size($key); $this->bytes > self::LIMIT;) {
            ++$this->counts['evicted'];
            $this->remove(substr((string) array_key_first($this->entries), \strlen(self::MARK)));
        }
    }

    private function remove(string $key): void
    {
        $entry = $this->entries[self::MARK . $key] ?? null;
        if ($entry !== null) {
            $this->bytes -= $entry->size($key);
            unset($this->entries[self::MARK . $key]);
        }
    }
}
