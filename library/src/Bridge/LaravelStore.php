<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Illuminate\Contracts\Cache\LockProvider;
use Illuminate\Contracts\Cache\Store;
use Larder\CacheInterface;

/**
 * A cache of Laravel over any store:
 *
 *     Cache::extend('larder', fn($app, array $config) => Cache::repository(new LaravelStore(Larder\Cache::open($config['dsn']))));
 *
 * As Laravel has it, null is a miss, and lifetimes are whole seconds. The prefix is the namespace of Larder's DSN. Keys may
 * be integers, which PHP makes of array keys such as "7". Counters and locks throw Larder\Exception\NotSupported over the few
 * stores that cannot do them in one step.
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
        return $this->cache->getMany(array_filter($keys, static fn(mixed $key): bool => \is_string($key) || \is_int($key)));
    }

    /**
     * @param string|int $key
     * @param mixed $value
     * @param int $seconds 0 or less deletes
     */
    public function put($key, $value, $seconds): bool
    {
        return $seconds > 0 ? $this->cache->set((string) $key, $value, $seconds) : $this->cache->delete((string) $key);
    }

    /**
     * @param array<array-key, mixed> $values
     * @param int $seconds 0 or less deletes
     */
    public function putMany(array $values, $seconds): bool
    {
        return $seconds > 0 ? $this->cache->setMany($values, $seconds) : $this->cache->deleteMany(array_keys($values));
    }

    /**
     * Laravel asks for it where a store has it: of several that add at once, one does.
     *
     * @param string|int $key
     * @param mixed $value
     * @param int $seconds 0 for no expiry
     */
    public function add($key, $value, $seconds): bool
    {
        return $this->cache->add((string) $key, $value, max(0, $seconds));
    }

    /**
     * @param string|int $key
     * @param mixed $value an integer
     * @return int|bool false when what is there is no integer
     */
    public function increment($key, $value = 1): int|bool
    {
        return \is_int($value) ? $this->cache->increment((string) $key, $value) : false;
    }

    /**
     * @param string|int $key
     * @param mixed $value an integer
     */
    public function decrement($key, $value = 1): int|bool
    {
        return \is_int($value) ? $this->cache->decrement((string) $key, $value) : false;
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
     * @param int $seconds
     */
    public function touch($key, $seconds): bool
    {
        return $seconds > 0 ? $this->cache->touch((string) $key, $seconds) : $this->cache->delete((string) $key);
    }

    /**
     * @param string|int $key
     * @return bool true also when there was nothing
     */
    public function forget($key): bool
    {
        return $this->cache->delete((string) $key);
    }

    /** Locks fall too. */
    public function flush(): bool
    {
        return $this->cache->clear();
    }

    /** Laravel puts it before no key: the namespace of Larder's DSN keeps caches apart. */
    public function getPrefix(): string
    {
        return '';
    }

    /**
     * @param string $name
     * @param int $seconds 0 for as long as nobody releases it, a year at most
     * @param string|null $owner a name of the caller's own for who holds it
     */
    public function lock($name, $seconds = 0, $owner = null): LaravelLock
    {
        return new LaravelLock($this->cache, $name, $seconds, $owner);
    }

    /**
     * A lock that another process took, to release it here.
     *
     * @param string $name
     * @param string $owner what owner() of that lock gave
     */
    public function restoreLock($name, $owner): LaravelLock
    {
        return new LaravelLock($this->cache, $name, 0, $owner);
    }
}
