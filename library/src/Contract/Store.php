<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/**
 * A place that keeps values by key, for a while.
 *
 * Keys are any 1 to 65,535 bytes; others are an InvalidKey. Values are whatever serialize() takes; what it refuses throws
 * PHP's own exception and leaves the old value. A miss gives the caller's own default, so null and false are values.
 * What a store holds can go at any time, but never comes back changed: not torn, not another key's, not from before a
 * completed set, delete or clear.
 *
 * A store that becomes unreachable after it was opened gives misses, and false for set, delete and clear; a later call tries again.
 * A RemoteStore throws StoreFailed in place of that; the one that Cache::open() puts before it does not.
 * Objects of this kind may be used by one thread at a time. In a fork they open connections of their own.
 */
interface Store
{
    /** @throws InvalidKey */
    public function get(string $key, mixed $default = null): mixed;

    /**
     * @param list<string> $keys
     * @return array<array-key, mixed> every asked key, in the order asked; PHP makes integers of keys such as "7"
     * @throws InvalidKey
     */
    public function getMany(array $keys, mixed $default = null): array;

    /** @throws InvalidKey */
    public function has(string $key): bool;

    /**
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when refused (too large, full, unreachable): then the old value is gone too, never stale, as far as
     *              the place can be reached
     * @throws InvalidKey
     * @throws InvalidTtl when negative or not a number
     */
    public function set(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Each value as by set(); not one step for other readers.
     *
     * @param array<array-key, mixed> $values
     * @return bool false when any was refused
     * @throws InvalidKey before anything is stored
     * @throws InvalidTtl
     */
    public function setMany(array $values, int|float $ttl = 0): bool;

    /**
     * @return bool true also when there was nothing; false when the place cannot be reached
     * @throws InvalidKey
     */
    public function delete(string $key): bool;

    /** Removes what was stored under this store's namespace, and nothing else. */
    public function clear(): bool;
}
