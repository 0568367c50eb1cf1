<?php

declare(strict_types=1);

namespace Larder\Psr;

use Larder\CacheInterface;
use Larder\Exception\InvalidTtl;
use Larder\Internal\Process\SystemClock;
use Larder\Internal\Psr\Expiry;
use Larder\Internal\Psr\Keys;
use Larder\Key\Ttl;
use Psr\Clock\ClockInterface;
use Psr\SimpleCache\CacheInterface as Psr16;

/**
 * PSR-16 over any store.
 *
 * Keys are strings of 1 to 65,535 bytes without {}()/\@: in them; others are an InvalidArgument, before anything has
 * changed. A miss returns the default, so null and false are values. A ttl of null is the default ttl, one of 0 or less
 * deletes. If a store refuses a value (too large, full, unreachable), the result is false, and the old value is gone.
 * One thread at a time may use it, and processes that fork, as with the Cache.
 */
final class SimpleCache implements Psr16
{
    private const KNOWN_KEYS = 1000;
    private const KNOWN_LENGTH = 200;
    /** Characters of most keys, for which Keys need not be loaded. */
    private const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.';

    /** @var array<array-key, true> valid keys: looking one up costs less than checking its characters */
    private array $known = [];

    private readonly int|float $defaultTtl;

    /**
     * @param ClockInterface|null $clock for lifetimes given as a DateInterval: the length of a month depends on the
     *         day; null for the machine's
     * @param int|float|null $defaultTtl seconds, for a ttl of null; 0 for no expiry; null for the cache's
     * @throws InvalidTtl if it is negative or not a number
     */
    public function __construct(
        private readonly CacheInterface $cache,
        private readonly ?ClockInterface $clock = null,
        int|float|null $defaultTtl = null,
    ) {
        $seconds = $defaultTtl ?? $cache->defaultTtl();
        $isForever = $seconds === 0 || $seconds === 0.0 || Ttl::seconds($seconds) === 0.0;
        $this->defaultTtl = $isForever ? 0 : $seconds; // for an integer 0 stores check nothing
    }

    /** Resets the cache: for a process that serves many requests, between two of them. */
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
     * @return bool false if the store refused
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

    /** @return bool true also if there was nothing */
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
     * @return array<string, mixed> a value for every key, in the order asked; misses as the default. PHP makes integers
     *         of keys such as "7"
     */
    public function getMultiple(iterable $keys, mixed $default = null): array
    {
        /** @var array<string, mixed> $values */
        $values = $this->cache->getMany(Keys::list($keys), $default);

        return $values;
    }

    /**
     * @param iterable<mixed, mixed> $values by key, a string, or the integer that PHP made of it
     * @return bool false if any was refused
     * @throws InvalidArgument for a key, before anything is stored; for a value that PHP cannot serialize, when others
     *         may be stored already
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
        $length = \strlen($key);
        if ($length === 0 || $length > self::KNOWN_LENGTH || \strspn($key, self::PLAIN) !== $length) {
            Keys::check($key);
        }
        if ($length > self::KNOWN_LENGTH) {
            return;
        }
        if (\count($this->known) >= self::KNOWN_KEYS) {
            $this->known = [];
        }
        $this->known[$key] = true;
    }

    /** @return int|float for the cache: 0 for no expiry; -1 if it has expired */
    private function seconds(int|\DateInterval|null $ttl): int|float
    {
        if ($ttl === null) {
            return $this->defaultTtl;
        }
        if ($ttl instanceof \DateInterval) {
            $ttl = Expiry::after($ttl, $this->clock ?? new SystemClock())->left();
        }

        return $ttl > 0 ? $ttl : -1;
    }
}
