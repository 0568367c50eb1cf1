<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Illuminate\Contracts\Cache\LockProvider;
use Illuminate\Contracts\Cache\Store;
use Larder\CacheInterface;
use Larder\Psr\InvalidArgument;

/**
 * A cache of Laravel over any store:
 *
 *     Cache::extend('larder', fn($app, array $config) => Cache::repository(
 *         new LaravelStore(Larder\Cache::open($config['dsn'])),
 *     ));
 *
 * As in Laravel, null is a miss, and lifetimes are whole seconds. The prefix is the namespace of Larder's DSN. Keys may
 * be integers, which PHP makes of array keys such as "7". Over the few stores without atomic operations, counters and
 * locks throw Larder\Exception\NotSupported. Seconds and amounts may be numbers in strings, as from env() and requests;
 * what is no number is an InvalidArgument.
 */
final class LaravelStore implements Store, LockProvider
{
    public function __construct(private readonly CacheInterface $cache) {}

    /** @param string|int|array<mixed> $key an array as in many() */
    public function get($key): mixed
    {
        return \is_array($key) ? $this->many($key) : $this->cache->get((string) $key);
    }

    /**
     * @param array<mixed> $keys
     * @return array<array-key, mixed> null for what is missing
     */
    public function many(array $keys): array
    {
        return $this->cache->getMany(array_filter(
            $keys,
            static fn(mixed $key): bool => \is_string($key) || \is_int($key),
        ));
    }

    /**
     * @param string|int $key
     * @param mixed $value
     * @param int|float|string|null $seconds 0 or less deletes
     */
    public function put($key, $value, $seconds): bool
    {
        $seconds = LaravelLock::number($seconds);

        return $seconds > 0 ? $this->cache->set((string) $key, $value, $seconds) : $this->cache->delete((string) $key);
    }

    /**
     * @param array<array-key, mixed> $values
     * @param int|float|string|null $seconds 0 or less deletes
     */
    public function putMany(array $values, $seconds): bool
    {
        $seconds = LaravelLock::number($seconds);

        return $seconds > 0 ? $this->cache->setMany($values, $seconds) : $this->cache->deleteMany(array_keys($values));
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
        return $this->cache->add((string) $key, $value, max(0, LaravelLock::number($seconds)));
    }

    /**
     * @param string|int $key
     * @param mixed $value a whole number: 5, 5.0, '5'
     * @return int|bool false if the value there is no integer
     * @throws InvalidArgument for another number
     */
    public function increment($key, $value = 1): int|bool
    {
        return $this->cache->increment((string) $key, self::amount($value));
    }

    /**
     * @param string|int $key
     * @param mixed $value as for increment()
     * @throws InvalidArgument as increment()
     */
    public function decrement($key, $value = 1): int|bool
    {
        return $this->cache->decrement((string) $key, self::amount($value));
    }

    /**
     * @param string|int $key
     * @param mixed $value
     */
    public function forever($key, $value): bool
    {
        return $this->cache->set((string) $key, $value);
    }

    /**
     * @param string|int $key
     * @param int|float|string|null $seconds 0 or less deletes
     */
    public function touch($key, $seconds): bool
    {
        $seconds = LaravelLock::number($seconds);

        return $seconds > 0 ? $this->cache->touch((string) $key, $seconds) : $this->cache->delete((string) $key);
    }

    /**
     * @param string|int $key
     * @return bool true also if there was nothing
     */
    public function forget($key): bool
    {
        return $this->cache->delete((string) $key);
    }

    /** Ends locks too. */
    public function flush(): bool
    {
        return $this->cache->clear();
    }

    /** Empty: the namespace of Larder's DSN keeps caches apart. */
    public function getPrefix(): string
    {
        return '';
    }

    /**
     * @param string|int $name
     * @param int|float|string|null $seconds 0 until it is released, a year at most
     * @param string|int|\Stringable|null $owner the caller's own name for the holder
     */
    public function lock($name, $seconds = 0, $owner = null): LaravelLock
    {
        $owner = $owner === null ? null : (string) $owner;

        return new LaravelLock($this->cache, (string) $name, LaravelLock::number($seconds), $owner);
    }

    /**
     * A lock of another process, to release it here.
     *
     * @param string|int $name
     * @param string|int|\Stringable|null $owner from owner() of that lock
     */
    public function restoreLock($name, $owner): LaravelLock
    {
        return $this->lock($name, 0, $owner);
    }

    /** @throws InvalidArgument */
    private static function amount(mixed $value): int
    {
        $number = LaravelLock::number($value);
        if ((float) $number !== (float) (int) $number) {
            throw new InvalidArgument("Counters are integers, and $number is none");
        }

        return (int) $number;
    }
}
