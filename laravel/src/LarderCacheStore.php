<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\TaggableStore;
use Illuminate\Contracts\Cache\LockProvider;
use Larder\Cache;
use Larder\Exception\NotSupported;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Remember\StoredValue;
use Larder\Internal\Tag\Tags;
use Larder\Psr\InvalidArgument;
use Larder\Remember\Computation;
use Larder\Session\Handler;

/**
 * A cache of Laravel over any store of Larder, opened by the first call. Locks have a namespace of their own.
 *
 * As in Laravel, null is a miss, and lifetimes are whole seconds. Keys may be integers, which PHP makes of array keys
 * such as "7". Over the few stores without atomic operations, counters and locks throw Larder\Exception\NotSupported.
 * Seconds and amounts may be numbers in strings, as from env() and requests; what is no number is an InvalidArgument.
 */
final class LarderCacheStore extends TaggableStore implements LockProvider, FlushesLocks
{
    /**
     * Key of the bytes of a value with objects, where the store does not limit their classes itself. Every store reads it:
     * one without a limit may share the cache, as while a new release replaces an old one.
     */
    private const SERIALIZED = "\0laravel";
    private const TRIES = 1000;

    private ?Cache $locks = null;
    /** @var list<string> of each value that is stored */
    private array $tags = [];
    /** True if the engine itself refuses objects of other classes. */
    private bool $isNative = false;
    private ?Cache $opened = null;
    private readonly bool $isLimited;

    /**
     * @param Cache|(\Closure(bool=): Cache) $cache called with true for one that throws while its server is away
     * @param string $prefix for getPrefix(); the namespace of the cache keeps caches apart
     * @param mixed $classes whose objects may be created, a list, or false for none; null and true for all. As by the
     *         stores of Laravel, objects of others are __PHP_Incomplete_Class
     */
    public function __construct(
        private readonly Cache|\Closure $cache,
        private readonly string $prefix = '',
        private readonly mixed $classes = null,
    ) {
        $this->isLimited = $classes !== null && $classes !== true;
    }

    /** @param string|int|array<mixed> $key an array as in many() */
    public function get($key): mixed
    {
        if (\is_array($key)) {
            return $this->many($key);
        }
        $value = ($this->opened ?? $this->open())->get((string) $key);
        $isPlain = \is_array($value) ? !isset($value[self::SERIALIZED]) : $value !== null || !$this->isNative;

        return $isPlain ? $value : $this->allowed((string) $key, $value);
    }

    /**
     * @param array<mixed> $keys
     * @return array<array-key, mixed> null for what is missing
     */
    public function many(array $keys): array
    {
        $values = $this->cache()->getMany(array_filter(
            $keys,
            static fn(mixed $key): bool => \is_string($key) || \is_int($key),
        ));
        foreach ($values as $key => $value) {
            $values[$key] = $this->allowed((string) $key, $value);
        }

        return $values;
    }

    /**
     * @param string|int $key
     * @param mixed $value
     * @param int|float|string|null $seconds 0 or less deletes
     */
    public function put($key, $value, $seconds): bool
    {
        $seconds = LarderLock::number($seconds);

        return $seconds > 0
            ? $this->cache()->set((string) $key, $this->packed($value), $seconds, $this->tags)
            : $this->cache()->delete((string) $key);
    }

    /**
     * @param array<array-key, mixed> $values
     * @param int|float|string|null $seconds 0 or less deletes
     */
    public function putMany(array $values, $seconds): bool
    {
        $seconds = LarderLock::number($seconds);

        return $seconds > 0
            ? $this->cache()->setMany(array_map($this->packed(...), $values), $seconds, $this->tags)
            : $this->cache()->deleteMany(array_keys($values));
    }

    /**
     * If several processes add at once, one succeeds.
     *
     * @param string|int $key
     * @param mixed $value
     * @param int|float|string|null $seconds 0 for no expiry
     */
    public function add($key, $value, $seconds): bool
    {
        $seconds = max(0, LarderLock::number($seconds));

        return $this->cache()->add((string) $key, $this->packed($value), $seconds, $this->tags);
    }

    /**
     * The expiry stays. A number in a string, or a float, is counted as its integer, as in Laravel.
     *
     * @param string|int $key
     * @param mixed $value a whole number: 5, 5.0, '5'
     * @return int|bool false if the value there is no number
     * @throws InvalidArgument for another number
     */
    public function increment($key, $value = 1): int|bool
    {
        return $this->count((string) $key, self::amount($value));
    }

    /**
     * @param string|int $key
     * @param mixed $value as for increment()
     * @throws InvalidArgument as increment()
     */
    public function decrement($key, $value = 1): int|bool
    {
        return $this->count((string) $key, -self::amount($value));
    }

    /**
     * @param string|int $key
     * @param mixed $value
     */
    public function forever($key, $value): bool
    {
        return $this->cache()->set((string) $key, $this->packed($value), 0, $this->tags);
    }

    /**
     * @param string|int $key
     * @param int|float|string|null $seconds 0 or less deletes
     */
    public function touch($key, $seconds): bool
    {
        $seconds = LarderLock::number($seconds);
        if ($seconds <= 0) {
            return $this->cache()->delete((string) $key);
        }

        // A value of remember() may get a longer lifetime, too.
        return $this->cache()->touch((string) $key, $seconds)
            || $this->change((string) $key, static fn(mixed $value): mixed => $value, $seconds) !== null;
    }

    /**
     * @param string|int $key
     * @return bool true also if there was nothing
     */
    public function forget($key): bool
    {
        return $this->cache()->delete((string) $key);
    }

    /** Removes the values of this prefix and application; locks stay. */
    public function flush(): bool
    {
        return $this->cache()->clear();
    }

    public function getPrefix(): string
    {
        return $this->prefix;
    }

    /** @param string|int|array<string|int> $names a list, or each as an argument */
    public function tags($names): LarderTaggedCache
    {
        /** @var array<string|int> $names */
        $names = \is_array($names) ? $names : \func_get_args();
        $names = array_map(strval(...), array_values($names));
        $this->cache(); // the same one for both
        $tagged = clone $this;
        $tagged->tags = $names;

        return new LarderTaggedCache($tagged, new LarderTagSet($tagged, $names));
    }

    /** @return bool false if the store, or one of its servers, is unreachable: it may serve them when it is back */
    public function invalidate(string ...$tags): bool
    {
        return $this->cache()->invalidateTags($tags);
    }

    /** For cache:prune-stale-tags: tags have no lists that could become stale. */
    public function flushStaleTags(): void {}

    /**
     * Returns the value. If there is none, one process computes it, and the others wait.
     *
     * @param string|int $key
     * @param \Closure(Computation): mixed $make
     */
    public function remember($key, \Closure $make): mixed
    {
        $made = null;
        $packed = $this->cache()->remember(
            (string) $key,
            0,
            function (Computation $computation) use ($make, &$made): mixed {
                return $this->packed($made = $make($computation));
            },
            tags: $this->tags,
            beta: 0.0,
            jitter: 0.0,
        );

        return $made ?? $this->allowed((string) $key, $packed);
    }

    /**
     * @param string|int $name
     * @param int|float|string|null $seconds 0 until it is released, a year at most
     * @param string|int|\Stringable|null $owner the caller's own name for the holder
     */
    public function lock($name, $seconds = 0, $owner = null): LarderLock
    {
        $owner = $owner === null ? null : (string) $owner;

        return new LarderLock($this->locks(), (string) $name, LarderLock::number($seconds), $owner);
    }

    /**
     * A lock of another process, to release it here.
     *
     * @param string|int $name
     * @param string|int|\Stringable|null $owner from owner() of that lock
     */
    public function restoreLock($name, $owner): LarderLock
    {
        return $this->lock($name, 0, $owner);
    }

    public function flushLocks(): bool
    {
        return $this->locks()->clear();
    }

    public function hasSeparateLockStore(): bool
    {
        return true;
    }

    /**
     * The same store, which opens only if it keeps all that has not expired, as sessions need, and throws while its
     * server is away: an empty session would replace the one there. A Cache that was passed needs on_failure=throw.
     */
    public function forSessions(): self
    {
        return new self(function (): Cache {
            $cache = $this->cache instanceof \Closure ? ($this->cache)(true) : $this->cache;

            try {
                new Handler($cache);
            } catch (NotSupported $error) {
                throw new NotSupported($error->getMessage() . '. SESSION_STORE names the cache store of sessions: one '
                    . 'with the driver larder and a dsn such as mysql://… or redis://… without eviction', 0, $error);
            }

            return $cache;
        }, $this->prefix, $this->classes);
    }

    private function cache(): Cache
    {
        return $this->opened ?? $this->open();
    }

    /**
     * The engine limits the classes of a process, by larder.classes. Where that has another value already, or cannot be
     * set, and in other stores, values with objects are serialized here.
     */
    private function open(): Cache
    {
        $this->opened = $this->cache instanceof \Closure ? ($this->cache)() : $this->cache;
        if ($this->isLimited && $this->opened->store() instanceof EngineStore) {
            $setting = $this->list() === [] ? 'nothing' : implode(',', $this->list());
            if (ini_get('larder.classes') === '*') {
                ini_set('larder.classes', $setting);
            }
            $this->isNative = ini_get('larder.classes') === $setting;
        }

        return $this->opened;
    }

    private function locks(): Cache
    {
        return $this->locks ??= $this->cache()->withSubNamespace('locks');
    }

    private function count(string $key, int $amount): int|false
    {
        $cache = $this->cache();
        $sum = $this->tags === [] ? $cache->increment($key, $amount) : false;
        for ($try = 0; $sum === false && $try < self::TRIES; ++$try) {
            if ($this->tags !== [] && $cache->add($key, $amount, 0, $this->tags)) {
                return $amount;
            }
            $sum = $this->change($key, static function (mixed $value) use ($amount): ?int {
                $sum = is_numeric($value) ? (int) $value + $amount : null;

                return \is_int($sum) ? $sum : null;
            });
            if ($sum === null) {
                return false;
            }
        }

        return \is_int($sum) ? $sum : false;
    }

    /**
     * Replaces a value by compare and swap.
     *
     * @param \Closure(mixed): mixed $new null to leave it
     * @param int|float|null $seconds null to leave the expiry
     * @return mixed the new value; false if another process was first; null if there is none, or it stays
     */
    private function change(string $key, \Closure $new, int|float|null $seconds = null): mixed
    {
        $cache = $this->cache();
        $changed = $new($cache->getWithToken($key, null, $token));
        if ($token === null || $changed === null) {
            return null;
        }
        if ($seconds === null) {
            $ends = $cache->expiry($key) ?? microtime(true);
            $seconds = $ends === 0.0 ? 0 : max(0.001, $ends - microtime(true));
        }

        return $cache->setIfUnchanged($key, $token, $changed, $seconds, $this->tags) ? $changed : false;
    }

    /** As the value is stored. An array that could be mistaken for a serialized value is serialized, too. */
    private function packed(mixed $value): mixed
    {
        $isSerialized = \is_array($value) && isset($value[self::SERIALIZED])
            || $this->isLimited && !$this->isNative && self::hasObject($value);

        return $isSerialized ? [self::SERIALIZED => serialize($value)] : $value;
    }

    /** @param mixed $value as get() of the cache returns it */
    private function allowed(string $key, mixed $value): mixed
    {
        $bytes = \is_array($value) ? $value[self::SERIALIZED] ?? null : null;
        if (!\is_string($bytes)) {
            return $value === null && $this->isNative ? $this->incomplete($key) : $value;
        }

        try {
            $value = @unserialize($bytes, ['allowed_classes' => $this->isLimited ? $this->list() : true]);
        } catch (\Throwable) {
            return null; // the class changed since
        }

        return $value === false && $bytes !== serialize(false) ? null : $value;
    }

    /**
     * @return mixed the value with the objects that the engine did not create; null if there is none, or if it did not
     *         create one because its class changed since
     */
    private function incomplete(string $key): mixed
    {
        $store = $this->cache()->store();
        $found = $store instanceof EngineStore
            ? StoredValue::found(\larder_peek($store->name($key), null, true))
            : null;
        if ($found === null || $found->isNothing() || !(new Tags($store))->areCurrent($found->tagVersions)) {
            return null;
        }
        $listed = array_map(strtolower(...), $this->list());

        return array_intersect(self::incompleteClasses($found->value), $listed) === [] ? $found->value : null;
    }

    /**
     * @param \SplObjectStorage<object, mixed> $seen
     * @return list<string> in lower case
     */
    private static function incompleteClasses(mixed $value, \SplObjectStorage $seen = new \SplObjectStorage()): array
    {
        if (\is_object($value)) {
            if ($seen->contains($value)) {
                return [];
            }
            $seen->attach($value);
        } elseif (!\is_array($value)) {
            return [];
        }
        $fields = (array) $value;
        $name = $value instanceof \__PHP_Incomplete_Class ? $fields['__PHP_Incomplete_Class_Name'] ?? null : null;
        $names = \is_string($name) ? [strtolower($name)] : [];
        foreach ($fields as $field) {
            if (\is_array($field) || \is_object($field)) {
                array_push($names, ...self::incompleteClasses($field, $seen));
            }
        }

        return $names;
    }

    /** @return list<string> */
    private function list(): array
    {
        return \is_array($this->classes) ? array_values(array_filter($this->classes, \is_string(...))) : [];
    }

    private static function hasObject(mixed $value): bool
    {
        if (!\is_array($value)) {
            return \is_object($value);
        }
        foreach ($value as $element) {
            if (!\is_scalar($element) && $element !== null && self::hasObject($element)) {
                return true;
            }
        }

        return false;
    }

    /** @throws InvalidArgument */
    private static function amount(mixed $value): int
    {
        $number = LarderLock::number($value);
        if ((float) $number !== (float) (int) $number) {
            throw new InvalidArgument("Counters are integers, and $number is none");
        }

        return (int) $number;
    }
}
