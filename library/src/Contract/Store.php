<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/**
 * Keeps values by key, for a limited time.
 *
 * A key is any string of 1 to 65,535 bytes; anything else throws InvalidKey. A value is whatever serialize() takes; for
 * other values PHP's own exception is thrown, and the old value stays. A miss returns the caller's default, so null and
 * false can be stored. A store may lose any value at any time. It never returns a wrong one: none that is torn, belongs
 * to another key, or is older than a completed set, delete or clear.
 *
 * While a store is unreachable, reads are misses, and set, delete and clear return false; each later call tries again.
 * A RemoteStore throws StoreFailed instead, which the BreakerStore of Cache::open() turns into that. One thread at a
 * time may use an object. After a fork, the child opens connections of its own.
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
     * @return bool false if the store refused (too large, full, unreachable). The old value is deleted then, so that
     *         nobody reads a stale one, unless the store cannot be reached, or refuses deletions too
     * @throws InvalidKey
     * @throws InvalidTtl if it is negative or not a number
     */
    public function set(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Like set() for each value. Others may see some of the values before the rest.
     *
     * @param array<array-key, mixed> $values
     * @return bool false if any was refused
     * @throws InvalidKey before anything is stored
     * @throws InvalidTtl
     */
    public function setMany(array $values, int|float $ttl = 0): bool;

    /**
     * @return bool true also if there was nothing; false if the store cannot be reached
     * @throws InvalidKey
     */
    public function delete(string $key): bool;

    /**
     * Like delete() for each key, in as few steps as the store can. Others may see some of the keys gone before the
     * rest.
     *
     * @param list<string> $keys
     * @return bool false if one of them may still be there
     * @throws InvalidKey before anything is deleted
     */
    public function deleteMany(array $keys): bool;

    /** Removes what was stored under this store's namespace, and nothing else. */
    public function clear(): bool;
}
