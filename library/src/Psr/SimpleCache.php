<?php

declare(strict_types=1);

namespace Larder\Psr;

use Larder\CacheInterface;
use Larder\Exception\InvalidTtl;
use Larder\Key\Ttl;
use Larder\Process\SystemClock;
use Psr\Clock\ClockInterface;
use Psr\SimpleCache\CacheInterface as Psr16;

/**
 * PSR-16 over any store.
 *
 * Keys are strings of 1 to 65,535 bytes without {}()/\@: in them; others are an InvalidArgument, before anything has
 * changed. A miss gives the default, so null and false are values. A ttl of null is the default ttl, one of 0 or less deletes.
 * What a store refuses (too large, full, unreachable) is false, and the old value is gone. May be used by one thread at a time,
 * and by processes that fork, as the Cache may.
 */
final class SimpleCache implements Psr16
{
    private const KNOWN_KEYS = 1000;
    private const KNOWN_LENGTH = 200;

    /** @var array<array-key, true> keys that were good before: looking them up costs less than looking at their letters */
    private array $known = [];

    private readonly int|float $defaultTtl;

    /**
     * @param ClockInterface $clock for lifetimes given as a DateInterval: how long a month is depends on the day
     * @param int|float|null $defaultTtl seconds, for a ttl of null; 0 for no expiry; null for that of the cache
     * @throws InvalidTtl if it is negative or not a number
     */
    public function __construct(private readonly CacheInterface $cache, private readonly ClockInterface $clock = new SystemClock(), int|float|null $defaultTtl = null)
    {
        $seconds = Ttl::seconds($defaultTtl ?? $cache->defaultTtl());
        $this->defaultTtl = $seconds > 0.0 ? $seconds : 0; // stores look no further at an integer 0
    }

    /** To be called between two requests where one process serves many: resets the cache. */
    public function reset(): void
    {
        $this->cache->reset();
    }

    /** @return mixed the value, which may be null or false; on a miss the default */
    public function get(string $key, mixed $default = null): mixed
    {
        if (!isset($this->known[$key])) {
            $this->learn($key);
        }

        return $this->cache->get($key, $default);
    }

    /**
     * @return bool false when the store refused
     * @throws InvalidArgument also for a value that PHP cannot serialize; then the old value stays
     */
    public function set(string $key, mixed $value, int|\DateInterval|null $ttl = null): bool
    {
        Keys::check($key);
        $seconds = $this->seconds($ttl);
        if ($seconds < 0) {
            return $this->cache->delete($key);
        }
        try {
            return $this->cache->set($key, $value, $seconds);
        } catch (\Throwable $thrown) {
            throw InvalidArgument::forValue($key, $thrown);
        }
    }

    /** @return bool true also when there was nothing */
    public function delete(string $key): bool
    {
        Keys::check($key);

        return $this->cache->delete($key);
    }

    public function clear(): bool
    {
        return $this->cache->clear();
    }

    /**
     * @param iterable<mixed> $keys strings
     * @return array<string, mixed> a value for every key, in the order asked; misses as the default. PHP makes integers of
     *                              keys such as "7"
     */
    public function getMultiple(iterable $keys, mixed $default = null): array
    {
        /** @var array<string, mixed> $values */
        $values = $this->cache->getMany(Keys::list($keys), $default);

        return $values;
    }

    /**
     * @param iterable<mixed, mixed> $values by keys which are strings, or the integers that PHP made of them
     * @return bool false when any was refused
     * @throws InvalidArgument before anything is stored for a key; for a value that PHP cannot serialize, others may be
     *                         stored by then
     */
    public function setMultiple(iterable $values, int|\DateInterval|null $ttl = null): bool
    {
        $values = Keys::values($values);
        $seconds = $this->seconds($ttl);
        if ($seconds < 0) {
            return $this->cache->deleteMany(array_keys($values));
        }
        try {
            return $this->cache->setMany($values, $seconds);
        } catch (\Throwable $thrown) {
            throw InvalidArgument::forValue(implode('", "', array_keys($values)), $thrown);
        }
    }

    /**
     * @param iterable<mixed> $keys strings
     * @throws InvalidArgument before anything is deleted
     */
    public function deleteMultiple(iterable $keys): bool
    {
        return $this->cache->deleteMany(Keys::list($keys));
    }

    public function has(string $key): bool
    {
        Keys::check($key);

        return $this->cache->has($key);
    }

    private function learn(string $key): void
    {
        // What most keys need of Keys::check(), without the call.
        if (\strlen($key) > self::KNOWN_LENGTH || \preg_match(Keys::PATTERN, $key) !== 1) {
            Keys::check($key);

            return;
        }
        if (\count($this->known) >= self::KNOWN_KEYS) {
            $this->known = [];
        }
        $this->known[$key] = true;
    }

    /** @return int|float as a store wants them: 0 for no expiry; -1 for what has expired */
    private function seconds(int|\DateInterval|null $ttl): int|float
    {
        if ($ttl === null) {
            return $this->defaultTtl;
        }
        $seconds = $ttl instanceof \DateInterval ? Expiry::after($ttl, $this->clock)->left() : $ttl;

        return $seconds > 0 ? $seconds : -1;
    }
}
