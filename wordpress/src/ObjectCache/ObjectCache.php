<?php

declare(strict_types=1);

namespace Larder\WordPress\ObjectCache;

use Larder\WordPress\Backend;

/**
 * The object of WordPress's global $wp_object_cache: what this request has read, in front of the memory that all share.
 * Its public members have the names that core's class has, because plugins call them.
 *
 * Callers get copies of objects, as from core. A value that cannot be shared (a closure, an object that refuses) stays
 * in this request. Of two processes that write a key other than an option, the last one stays; for options see Options.
 *
 * @property array<mixed> $cache for what looks into core's class, or empties it
 */
final class ObjectCache
{
    /** In a name, so that another format finds nothing. */
    private const FORMAT = 1;
    private const LONGEST_PART = 300;
    private const LONGEST_TTL = 315_360_000;
    private const TRIES = 100;
    /** Nanoseconds for which names are read without another look. */
    private const LOOK = 5_000_000_000;
    /** Less than any generation that is a time. */
    private const BEFORE_ALL = 10 ** 15;

    /** @var array{Backend, Epoch, string}|null */
    private static ?array $opened = null;

    /**
     * @var array<string, array<array-key, mixed>> what this request knows of the current blog, by group and key. An
     *      object can be cloned; for one that cannot, such as a generator, null stands here
     */
    public array $values = [];
    public int $cache_hits = 0;
    public int $cache_misses = 0;
    /** @var array<string, true> */
    public array $global_groups = [];
    public string $blog_prefix;
    public readonly bool $multisite;

    /** @var array<string, array<array-key, object>> */
    private array $unclonable = [];
    /** @var array<int, array<string, array<array-key, mixed>>> what it knows of other blogs */
    private array $others = [];
    private int $blog;
    /** @var array<string, true> */
    private array $nonPersistent = [];
    /** @var array<string, int> of all, and of groups and sites, which can be forgotten in O(1) */
    private array $generations = [];
    /** @var array<string, string> how names of a group of the current blog begin in the backend */
    private array $beginnings = [];
    /** The time of hrtime() from which they are. */
    private int $readSince;
    private readonly Options $options;
    /** True once the backend could not be told that a value is old, or another one is the cache. */
    private bool $isBehind = false;

    /** Whether this process may use the cache of this site, which it can then start(). */
    public static function open(): bool
    {
        $backend = Backend::open();
        if ($backend === null) {
            return false;
        }
        $prefix = self::prefix();
        $epoch = new Epoch($backend, $prefix);
        self::$opened = $epoch->isShared() ? [$backend, $epoch, $prefix] : null;

        return self::$opened !== null;
    }

    public static function start(): self
    {
        [$backend, $epoch, $prefix] = self::$opened ?? throw new \LogicException('The cache is not open');

        return new self($backend, $epoch, $prefix);
    }

    public static function current(): self
    {
        $current = $GLOBALS['wp_object_cache'] ?? null;

        return $current instanceof self ? $current : $GLOBALS['wp_object_cache'] = self::start();
    }

    /** Names the installation in stores that several share: its database and secret decide, and not its folder. */
    public static function prefix(): string
    {
        $named = [];
        foreach (['DB_HOST', 'DB_NAME', 'AUTH_KEY', 'WP_CACHE_KEY_SALT'] as $constant) {
            $named[] = \defined($constant) ? \constant($constant) : '';
        }
        $named[] = $GLOBALS['table_prefix'] ?? '';

        return 'wp:' . hash('xxh3', serialize($named)) . ':';
    }

    public function __construct(
        private readonly Backend $backend,
        private readonly Epoch $epoch,
        private readonly string $prefix,
    ) {
        $this->multisite = is_multisite();
        $this->blog = get_current_blog_id();
        $this->blog_prefix = $this->multisite ? "$this->blog:" : '';
        $this->options = new Options($backend, $epoch, $prefix);
        $this->readSince = hrtime(true);
        add_filter('query', $this->beforeQuery(...));
    }

    public function get(mixed $key, mixed $group = 'default', mixed $force = false, mixed &$found = null): mixed
    {
        $found = false;
        $group = self::group($group);
        if (!$this->isKey($key)) {
            return false;
        }
        $isHere = $this->isHere($key, $group);
        $isForced = (bool) $force && $this->mayForce($group);
        if (!$isHere || $isForced) {
            if ($isForced) {
                $this->look($group);
            }
            $value = $this->isShared($group) ? $this->read($key, $group) : $this;
            if ($value === $this) {
                unset($this->values[$group][$key]);
                ++$this->cache_misses;

                return false;
            }
            $this->keep($key, $value, $group);
        }
        $found = true;
        ++$this->cache_hits;

        return $this->known($key, $group);
    }

    /**
     * @param iterable<mixed> $keys
     * @return array<array-key, mixed>
     */
    public function get_multiple(iterable $keys, mixed $group = 'default', mixed $force = false): array
    {
        $group = self::group($group);
        $isForced = (bool) $force && $this->mayForce($group);
        if ($isForced) {
            $this->look($group);
        }
        $values = $names = [];
        foreach ($keys as $key) {
            if ((\is_int($key) || \is_string($key)) && !$isForced) {
                $value = $this->values[$group][$key] ?? null;
                if ($value !== null) {
                    ++$this->cache_hits;
                    $values[$key] = \is_object($value) ? clone $value : $value;
                    continue;
                }
            }
            if (!$this->isKey($key)) {
                continue;
            }
            $values[$key] = false;
            if (!$isForced && $this->isHere($key, $group)) {
                ++$this->cache_hits;
                $values[$key] = $this->known($key, $group);
            } else {
                $names[$key] = $this->name($key, $group);
            }
        }
        if ($names === []) {
            return $values;
        }
        $found = match (true) {
            !$this->isShared($group) => [],
            Options::cover($group) => $this->options->read($group, $this->blog, $names, $this->generations($group)),
            default => $this->backend->getMany(array_values($names)),
        };
        foreach ($names as $key => $name) {
            if (\array_key_exists($name, $found)) {
                ++$this->cache_hits;
                $this->keep($key, $found[$name], $group);
                $values[$key] = $this->known($key, $group);
            } else {
                ++$this->cache_misses;
                unset($this->values[$group][$key]);
            }
        }

        return $values;
    }

    public function add(mixed $key, mixed $data, mixed $group = 'default', mixed $expire = 0): bool
    {
        $group = self::group($group);
        // a page cache may use this one before WordPress has its functions
        $isSuspended = \function_exists('wp_suspend_cache_addition') && wp_suspend_cache_addition();
        if ($isSuspended || !$this->isKey($key) || $this->isHere($key, $group)) {
            return false;
        }
        $ttl = self::ttl($expire);
        if ($this->isShared($group) && $ttl !== null) {
            $name = $this->name($key, $group);
            if (Options::cover($group)) {
                $this->options->write($group, $this->blog, $name, $data, $ttl);
            } elseif (!$this->backend->add($name, $data, $ttl)) {
                return false;
            }
        }
        $this->keep($key, $data, $group);

        return true;
    }

    /**
     * @param array<mixed> $data
     * @return array<array-key, bool>
     */
    public function add_multiple(array $data, mixed $group = '', mixed $expire = 0): array
    {
        $done = [];
        foreach ($data as $key => $value) {
            $done[$key] = $this->add($key, $value, $group, $expire);
        }

        return $done;
    }

    public function replace(mixed $key, mixed $data, mixed $group = 'default', mixed $expire = 0): bool
    {
        $group = self::group($group);

        return $this->isKey($key) && $this->exists($key, $group) && $this->set($key, $data, $group, $expire);
    }

    public function set(mixed $key, mixed $data, mixed $group = 'default', mixed $expire = 0): bool
    {
        $group = self::group($group);
        if (!$this->isKey($key)) {
            return false;
        }
        if (Options::cover($group)) {
            $data = Options::bounded($key, $data);
        }
        $this->keep($key, $data, $group);
        if ($this->isShared($group)) {
            $isCurrent = $this->look($group);
            $name = $this->name($key, $group);
            $ttl = $isCurrent ? self::ttl($expire) : null; // it may be of the database before the flush
            if (Options::cover($group)) {
                $this->options->write($group, $this->blog, $name, $data, $ttl ?? 0);
            } elseif (!($ttl === null ? $this->backend->delete($name) : $this->backend->set($name, $data, $ttl))) {
                $this->isBehind = true;
            }
        }

        return true;
    }

    /**
     * @param array<mixed> $data
     * @return array<array-key, bool>
     */
    public function set_multiple(array $data, mixed $group = '', mixed $expire = 0): array
    {
        $done = [];
        $expire = $this->look(self::group($group)) ? $expire : -1;
        foreach ($data as $key => $value) {
            $done[$key] = $this->set($key, $value, $group, $expire);
        }

        return $done;
    }

    public function delete(mixed $key, mixed $group = 'default', mixed $deprecated = false): bool
    {
        $group = self::group($group);
        if (!$this->isKey($key)) {
            return false;
        }
        $this->look($group);
        $existed = $this->exists($key, $group);
        unset($this->values[$group][$key]);
        if ($this->isShared($group)) {
            if (Options::cover($group)) {
                $this->options->changed($group, $this->blog);
            } elseif (!$this->backend->delete($this->name($key, $group))) {
                $this->isBehind = true;
            }
        }

        return $existed;
    }

    /**
     * @param array<mixed> $keys
     * @return array<array-key, bool>
     */
    public function delete_multiple(array $keys, mixed $group = ''): array
    {
        $done = [];
        foreach ($keys as $key) {
            if ($this->isKey($key)) {
                $done[$key] = $this->delete($key, $group);
            }
        }

        return $done;
    }

    /** Of processes that count at once, none is lost. A number keeps its expiry. */
    public function incr(mixed $key, mixed $offset = 1, mixed $group = 'default'): int|float|false
    {
        return $this->isKey($key) ? $this->count($key, self::integer($offset), self::group($group)) : false;
    }

    public function decr(mixed $key, mixed $offset = 1, mixed $group = 'default'): int|float|false
    {
        return $this->isKey($key) ? $this->count($key, -self::integer($offset), self::group($group)) : false;
    }

    private function count(int|string $key, int $offset, string $group): int|float|false
    {
        $isAtomic = $this->isShared($group) && !Options::cover($group);
        $this->look($group);
        for ($try = 0; $try < self::TRIES; ++$try) {
            $found = false;
            $old = $isAtomic ? $this->read($key, $group) : $this->get($key, $group, false, $found);
            if ($isAtomic ? $old === $this : $found !== true) {
                return false;
            }
            $sum = max(0, (is_numeric($old) ? $old : 0) + $offset);
            if (!$isAtomic || !\is_int($old) || !\is_int($sum)) {
                return $this->set($key, $sum, $group) ? $sum : false;
            }
            if ($old === $sum || $this->backend->swap($this->name($key, $group), $old, $sum)) {
                $this->values[$group][$key] = $sum;

                return $sum;
            }
        }

        return false;
    }

    /** Forgets everything of this installation, in O(1): what others have stored is not found any more. */
    public function flush(): bool
    {
        $isDone = $this->clear("{$this->prefix}generation");
        $this->flush_runtime();

        return $isDone;
    }

    /** Forgets what this request knows, also which flushes of others it has not seen. */
    public function flush_runtime(): bool
    {
        $this->values = $this->others = $this->beginnings = $this->generations = [];
        $this->isBehind = !$this->epoch->isShared() || $this->isBehind;
        $this->options->forget();

        return true;
    }

    /** Forgets in O(1) the present site of a network, and not what all of its sites have in common. */
    public function flush_site(): bool
    {
        if (!$this->multisite) {
            return $this->flush();
        }
        $this->reset();
        $this->beginnings = array_intersect_key($this->beginnings, $this->global_groups);

        return $this->clear("{$this->prefix}site:$this->blog");
    }

    /** Forgets a group of all blogs, in O(1). */
    public function flush_group(mixed $group): bool
    {
        $group = self::group($group);
        unset($this->values[$group], $this->beginnings[$group]);
        foreach (array_keys($this->others) as $blog) {
            unset($this->others[$blog][$group]);
        }

        return !$this->isShared($group) || $this->clear("{$this->prefix}group:" . self::short($group));
    }

    public function close(): bool
    {
        $this->options->close();
        $this->isBehind = $this->isBehind || $this->epoch->isLost();
        $this->tell();

        return true;
    }

    private function tell(): void
    {
        if ($this->isBehind) {
            $this->isBehind = false;
            $this->epoch->change();
        }
    }

    public function add_global_groups(mixed $groups): void
    {
        foreach (self::groups($groups) as $group) {
            $this->global_groups[$group] = true;
            unset($this->beginnings[$group]);
        }
    }

    public function add_non_persistent_groups(mixed $groups): void
    {
        $this->nonPersistent += array_fill_keys(self::groups($groups), true);
    }

    /**
     * What is known of a blog is kept until it comes back, so that a get need not name the blog. But not what cannot be
     * cloned, which is rare.
     */
    public function switch_to_blog(mixed $blog_id): void
    {
        $blog = self::integer($blog_id);
        if (!$this->multisite || $blog === $this->blog) {
            return;
        }
        foreach (array_diff_key($this->unclonable, $this->global_groups) as $group => $objects) {
            $this->values[$group] = array_diff_key($this->values[$group] ?? [], $objects);
            unset($this->unclonable[$group]);
        }
        $this->others[$this->blog] = array_diff_key($this->values, $this->global_groups);
        $this->values = array_intersect_key($this->values, $this->global_groups) + ($this->others[$blog] ?? []);
        $this->beginnings = array_intersect_key($this->beginnings, $this->global_groups);
        $this->blog = $blog;
        $this->blog_prefix = "$blog:";
        unset($this->others[$blog]);
    }

    public function reset(): void
    {
        $this->values = array_intersect_key($this->values, $this->global_groups);
    }

    public function stats(): void
    {
        $line = '<p><strong>Hits:</strong> %d<br><strong>Misses:</strong> %d</p><ul>';
        printf($line, $this->cache_hits, $this->cache_misses);
        foreach ($this->values as $group => $values) {
            printf('<li>%s: %d</li>', esc_html($group), \count($values));
        }
        echo '</ul>';
    }

    public function __get(string $name): mixed
    {
        return $name === 'cache' ? $this->values : null;
    }

    public function __isset(string $name): bool
    {
        return $name === 'cache';
    }

    /** Importers and WP-CLI empty core's `cache` like this, to free memory. */
    public function __set(string $name, mixed $value): void
    {
        if ($name === 'cache') {
            $this->flush_runtime();
        }
    }

    /** @return array{data: mixed, salt: mixed} */
    public static function salted(mixed $data, mixed $salt): array
    {
        return ['data' => $data, 'salt' => self::salt($salt)];
    }

    public static function unsalted(mixed $value, mixed $salt): mixed
    {
        return \is_array($value) && isset($value['data'], $value['salt']) && $value['salt'] === self::salt($salt)
            ? $value['data'] : false;
    }

    private static function salt(mixed $salt): mixed
    {
        return \is_array($salt) ? implode(':', array_filter($salt, is_scalar(...))) : $salt;
    }

    private static function group(mixed $group): string
    {
        return \is_scalar($group) && $group !== '0' && (string) $group !== '' ? (string) $group : 'default';
    }

    /** @return list<string> */
    private static function groups(mixed $groups): array
    {
        return array_map(self::group(...), array_values((array) $groups));
    }

    /** @phpstan-assert-if-true int|string $key */
    private function isKey(mixed $key): bool
    {
        if (\is_int($key) || (\is_string($key) && trim($key) !== '')) {
            return true;
        }
        $what = \is_string($key) ? 'a blank string' : get_debug_type($key);
        $function = self::class . '::' . debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 2)[1]['function'];
        _doing_it_wrong($function, "A cache key is an integer or a string, not $what.", '6.1.0');

        return false;
    }

    private function isHere(int|string $key, string $group): bool
    {
        return isset($this->values[$group]) && \array_key_exists($key, $this->values[$group]);
    }

    private function isShared(string $group): bool
    {
        return !isset($this->nonPersistent[$group]);
    }

    /** While it writes an option, others may have stored the value before. */
    private function mayForce(string $group): bool
    {
        return $this->isShared($group) && !$this->options->isWriting($group, $this->blog);
    }

    private function exists(int|string $key, string $group): bool
    {
        return $this->isHere($key, $group) || ($this->isShared($group) && $this->read($key, $group) !== $this);
    }

    /** @return mixed $this on a miss */
    private function read(int|string $key, string $group): mixed
    {
        $name = $this->name($key, $group);
        if (!Options::cover($group)) {
            return $this->backend->get($name, $this);
        }
        $found = $this->options->read($group, $this->blog, [$key => $name], $this->generations($group));

        return \array_key_exists($name, $found) ? $found[$name] : $this;
    }

    private function name(int|string $key, string $group): string
    {
        return ($this->beginnings[$group] ??= $this->beginning($group)) . (\is_int($key) ? $key : self::short($key));
    }

    private function beginning(string $group): string
    {
        $parts = [];
        foreach ($this->generations($group) as $generation) {
            $parts[] = base_convert((string) $generation, 10, 36);
        }
        $site = isset($parts[2]) ? "$this->blog.$parts[2]" : '';

        return implode(':', [$this->prefix . self::FORMAT, $parts[0], $parts[1], $site, self::short($group), '']);
    }

    /** @return non-empty-array<string, int> of all, of the group and of its site, by their names in the backend */
    private function generations(string $group): array
    {
        $hasSite = $this->multisite && !isset($this->global_groups[$group]);
        $names = ["{$this->prefix}generation", "{$this->prefix}group:" . self::short($group)];
        if ($hasSite) {
            $names[] = "{$this->prefix}site:$this->blog";
        }
        $generations = [];
        foreach ($names as $name) {
            $generations[$name] = $this->generation($name);
        }

        return $generations;
    }

    /** While it cannot be read, one that nobody has: what this request deletes then stays for others. */
    private function generation(string $name): int
    {
        if (!isset($this->generations[$name])) {
            $generation = $this->backend->generation($name);
            $this->isBehind = $this->isBehind || $generation === null;
            $this->generations[$name] = $generation ?? random_int(1, self::BEFORE_ALL);
        }

        return $this->generations[$name];
    }

    /**
     * Before a write of what others may have, and a forced read: a flush of another process since this one read the
     * generations has given them new names, under which others may have stored what the database had before. A flush
     * after this look does no harm, as the database is written first. Not for options, whose state changes for whatever
     * name.
     *
     * @return bool whether the names are the same as before
     */
    private function look(string $group): bool
    {
        if (!$this->isShared($group) || Options::cover($group)) {
            return true;
        }
        $known = $this->generations($group);
        $isCurrent = $this->backend->getMany(array_keys($known)) === $known;
        if (!$isCurrent) {
            $this->beginnings = $this->generations = [];
        }

        return $isCurrent;
    }

    /**
     * A process that lives long takes the names that others have given since: nobody keeps up to date what has older
     * ones. Right before a statement, which then reads a database that is not older than they are. It also tells them
     * what the backend could not be told: it may be killed before its end. In a transaction that would make them wait.
     */
    private function beforeQuery(mixed $query): mixed
    {
        if (hrtime(true) - $this->readSince > self::LOOK) {
            $this->beginnings = $this->generations = [];
            $this->readSince = hrtime(true);
            if (!$this->options->isInTransaction()) {
                $this->tell();
            }
        }

        return $query;
    }

    private function clear(string $name): bool
    {
        unset($this->generations[$name]);
        $isDone = $this->backend->clear($name);
        $this->isBehind = $this->isBehind || !$isDone;

        return $isDone;
    }

    private static function short(string $part): string
    {
        return \strlen($part) > self::LONGEST_PART ? hash('sha256', $part) : $part;
    }

    /** @return int|null null for what has expired already */
    private static function ttl(mixed $expire): ?int
    {
        $seconds = self::integer($expire);

        return $seconds < 0 ? null : min($seconds, self::LONGEST_TTL);
    }

    private static function integer(mixed $value): int
    {
        return is_numeric($value) ? (int) $value : 0;
    }

    /** A caller's object stays the caller's: this keeps a clone. */
    private function keep(int|string $key, mixed $value, string $group): void
    {
        unset($this->unclonable[$group][$key]);
        if (\is_object($value)) {
            try {
                $value = self::cloned($value);
            } catch (\Throwable) {
                $this->unclonable[$group][$key] = $value;
                $value = null;
            }
        }
        $this->values[$group][$key] = $value;
    }

    /** What is kept, or a clone of it. */
    private function known(int|string $key, string $group): mixed
    {
        $value = $this->values[$group][$key] ?? $this->unclonable[$group][$key] ?? null;

        return \is_object($value) && !isset($this->unclonable[$group][$key]) ? clone $value : $value;
    }

    private static function cloned(object $value): object
    {
        return clone $value;
    }
}
