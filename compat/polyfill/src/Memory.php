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
    private const PLACEHOLDER_SECONDS = 86_400;
    /** What serialize() makes of a resource. */
    private const RESOURCE = 'i:0;';

    private static ?self $instance = null;

    /** What a key begins with in the array, where a string of digits would become an integer. */
    private const MARK = ':';

    /** @var array<string, Entry> */
    private array $entries = [];

    /** @var array<string, true> */
    private array $claims = [];

    private int $bytes = 0;
    private int $token = 0;
    private readonly float $since;

    /** One of LARDER_ERROR_*. */
    public int $error = \LARDER_ERROR_NONE;

    /** @var array{hits: int, misses: int, stores: int, deletes: int, clears: int, unreadable: int, expired: int, refused: int} */
    private array $counts = ['hits' => 0, 'misses' => 0, 'stores' => 0, 'deletes' => 0, 'clears' => 0, 'unreadable' => 0, 'expired' => 0, 'refused' => 0];

    /** @var array{unread: int, seconds: int} */
    private array $evicted = ['unread' => 0, 'seconds' => 0];

    /** @var array<int, int> evicted entries by age: under 1 s, 2 s, 4 s and so on */
    private array $evictedAges = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

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
        $entry = $this->entry($key);
        $token = $entry?->token;

        return $this->read($key, $entry, $default);
    }

    public function peek(string $key, mixed $default): mixed
    {
        $entry = $this->entries[self::MARK . $key] ?? null;
        if ($entry === null || $entry->isMissing(microtime(true))) {
            return $default;
        }

        try {
            return unserialize((string) $entry->bytes, ['max_depth' => 0]);
        } catch (\Throwable) {
            return $default;
        }
    }

    /** The value under $guard . $key, if it has the version that is under the guard: as larder_fetch_if(). */
    public function fetchIf(string $key, string $guard, mixed $default): mixed
    {
        $counts = $this->counts;
        $lease = $this->fetch($guard, null);
        $version = \is_array($lease) ? $lease[0] ?? null : null;
        $value = \is_int($version) && Arguments::isKey($guard . $key) ? $this->fetch($guard . $key, null) : null;
        $isValid = \is_array($value) && ($value[0] ?? null) === $version && \array_key_exists(1, $value);
        $this->counts['hits'] = $counts['hits'];
        $this->counts['misses'] = $counts['misses'];
        ++$this->counts[$isValid ? 'hits' : 'misses'];

        return $isValid ? $value[1] : $default;
    }

    /** @param float $beta how early a value is a miss */
    public function fetchFresh(string $key, mixed $default, float $beta): mixed
    {
        $entry = $this->kept($key);
        if ($entry?->bytes === null) {
            return $this->read($key, null, $default);
        }
        if ($entry->until !== 0.0) {
            $left = $entry->until - microtime(true);
            $span = $entry->cost * $beta;
            if ($left <= 0.0 || ($span > 0.0 && -log(random_int(1, 2 ** 53) / 2 ** 53) * $span >= $left)) {
                $this->note($key, 'hits');

                return $default;
            }
        }

        return $this->read($key, $entry, $default);
    }

    /** @return array{value: mixed, ttl: float, stale: float, cost: float, cas: int}|null as of larder_fetch_entry() */
    public function fetchEntry(string $key): ?array
    {
        $entry = $this->kept($key);
        if ($entry?->bytes === null) {
            return null;
        }

        try {
            $value = unserialize($entry->bytes, ['max_depth' => 0]);
        } catch (\Throwable) {
            return null;
        }
        $entry->isUsed = true;
        $left = $entry->until - microtime(true);

        return ['value' => $value, 'ttl' => $entry->until === 0.0 ? 0.0 : ($left === 0.0 ? -0.001 : $left), 'stale' => $entry->stale, 'cost' => $entry->cost, 'cas' => $entry->token];
    }

    /**
     * @param int|null $token that of what is there
     * @param int|null $useless that of a value or placeholder that a new placeholder replaces
     * @return int one of LARDER_CLAIM_*
     */
    public function claim(string $key, ?int &$token, ?int $useless): int
    {
        $there = $this->kept($key);
        $isOwn = isset($this->claims[self::MARK . $key]);
        if (($there === null && !$isOwn) || ($there !== null && $there->token === $useless && ($there->bytes === null || !$isOwn))) {
            $there = new Entry(null, ++$this->token, microtime(true), microtime(true) + self::PLACEHOLDER_SECONDS);
            $this->put($key, $there);
        }
        $token = $there?->token;
        $this->claims[self::MARK . $key] = true;
        if ($isOwn) {
            return \LARDER_CLAIM_OWN;
        }

        return $there->bytes === null ? \LARDER_CLAIM_MISSING : \LARDER_CLAIM_VALUE;
    }

    public function hasClaim(string $key): bool
    {
        return isset($this->claims[self::MARK . $key]);
    }

    public function unclaim(string $key): void
    {
        unset($this->claims[self::MARK . $key]);
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
    public function store(string $key, mixed $value, float $ttl, ?bool $isThere = null, ?int $token = null, float $stale = 0.0, float $cost = 0.0): bool
    {
        $this->error = \LARDER_ERROR_NONE;
        $bytes = serialize($value);
        if (str_contains($bytes, self::RESOURCE) && self::hasResource($value)) {
            throw new \Exception("Serialization of 'resource' is not allowed");
        }
        $there = $token === null ? $this->entry($key) : $this->kept($key);
        if (($isThere !== null && ($there !== null) !== $isThere) || ($token !== null && $there?->token !== $token)) {
            return false;
        }
        $entry = $ttl === 0.0 ? $this->make($bytes, 0.0) : $this->make($bytes, microtime(true) + $ttl, $stale, $cost);
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
        $entry->stale = $ttl === 0.0 ? 0.0 : $entry->stale;

        return true;
    }

    /** @param callable(int): (int|float) $change a float is out of range */
    public function count(string $key, callable $change, float $ttl): int|false
    {
        $this->error = \LARDER_ERROR_NONE;
        $there = $this->entry($key);
        $old = $there === null ? 0 : unserialize((string) $there->bytes, ['allowed_classes' => false]);
        $new = \is_int($old) ? $change($old) : null;
        if (!\is_int($new)) {
            $this->error = $new === null ? \LARDER_ERROR_TYPE : \LARDER_ERROR_RANGE;

            return false;
        }
        $until = $there === null ? ($ttl === 0.0 ? 0.0 : microtime(true) + $ttl) : $there->until;
        $this->put($key, $this->make(serialize($new), $until, $there->stale ?? 0.0, $there->cost ?? 0.0));

        return $new;
    }

    /** Puts $new in the place of the integer $old. */
    public function swap(string $key, int $old, int $new): bool
    {
        $this->error = \LARDER_ERROR_NONE;
        $there = $this->entry($key);
        $value = $there === null ? null : unserialize((string) $there->bytes, ['allowed_classes' => false]);
        if ($there !== null && !\is_int($value)) {
            $this->error = \LARDER_ERROR_TYPE;
        }
        if ($there === null || $value !== $old) {
            return false;
        }
        $this->put($key, $this->make(serialize($new), $there->until, $there->stale, $there->cost));

        return true;
    }

    public function delete(string $key): bool
    {
        $this->error = \LARDER_ERROR_NONE;
        $isThere = $this->entry($key) !== null;
        $this->counts['deletes'] += $isThere ? 1 : 0;
        $this->remove($key);

        return $isThere;
    }

    public function clear(): void
    {
        $this->error = \LARDER_ERROR_NONE;
        $this->entries = [];
        $this->bytes = 0;
        ++$this->counts['clears'];
    }

    /** @return array{ttl: float, age: int, size: int, used: bool, often: bool, stale?: float, cost?: float}|null as of larder_key_info() */
    public function describe(string $key): ?array
    {
        return $this->entry($key)?->info($key, microtime(true));
    }

    /** @return list<string> those that begin so */
    public function keys(string $prefix): array
    {
        return array_values(array_filter($this->keptKeys($prefix), fn(string $key): bool => $this->entry($key) !== null));
    }

    /** @return list<string> those that begin so, of stale values and placeholders too */
    public function keptKeys(string $prefix): array
    {
        $keys = array_map(static fn(string $name): string => substr($name, \strlen(self::MARK)), array_keys($this->entries));

        return array_values(array_filter($keys, static fn(string $key): bool => str_starts_with($key, $prefix)));
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
            'clears' => $this->counts['clears'],
            'copies' => $this->counts['hits'],
            'moves' => 0,
            'evictions' => ['room' => array_sum($this->evictedAges), 'expired' => $this->counts['expired'], 'index' => 0] + $this->evicted,
            'evicted_ages' => $this->evictedAges,
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

    /** Counts as a hit, or as a miss if there is nothing, or it cannot be read. */
    private function read(string $key, ?Entry $entry, mixed $default): mixed
    {
        if ($entry === null) {
            $this->note($key, 'misses');

            return $default;
        }

        try {
            $value = unserialize((string) $entry->bytes, ['max_depth' => 0]);
        } catch (\Throwable) {
            $this->note($key, 'unreadable');
            $this->note($key, 'misses');

            return $default;
        }
        $entry->isUsed = true;
        $this->note($key, 'hits');

        return $value;
    }

    /** @param 'hits'|'misses'|'unreadable' $what not of bookkeeping, whose keys begin so */
    private function note(string $key, string $what): void
    {
        $this->counts[$what] += $key[0] === "\0" ? 0 : 1;
    }

    private function make(string $bytes, float $until, float $stale = 0.0, float $cost = 0.0): Entry
    {
        return new Entry($bytes, ++$this->token, microtime(true), $until, $stale, $cost);
    }

    /** Null when there is none, or its key counts as missing. */
    private function entry(string $key): ?Entry
    {
        $entry = $this->kept($key);

        return $entry === null || $entry->isMissing(microtime(true)) ? null : $entry;
    }

    /** Null when there is none, or it has expired. A stale one and a placeholder are there. */
    private function kept(string $key): ?Entry
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
            $oldest = (string) array_key_first($this->entries);
            $seconds = max(0, (int) (microtime(true) - $this->entries[$oldest]->since));
            ++$this->evictedAges[$seconds === 0 ? 0 : min(15, \strlen(decbin($seconds)))];
            $this->evicted['seconds'] += $seconds;
            $this->evicted['unread'] += $this->entries[$oldest]->isUsed ? 0 : 1;
            $this->remove(substr($oldest, \strlen(self::MARK)));
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
