<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;

/**
 * A store that can lock: of several processes that acquire a lock at once, one succeeds.
 *
 * LockLifetime says what ends a lock that nobody releases. clear() ends all locks, and a store may lose a lock like any
 * value. Locks and values have separate keys.
 */
interface LockingStore
{
    /**
     * Does not wait.
     *
     * @param float $seconds the lock's ttl, more than 0
     * @param string $token names the holder, without spaces; the lock then ends by its ttl, whatever $ends says. '' for
     *         a new, unique token
     * @return string|false|null the token for renew() and release(), in this or another process; null if another holds
     *         the lock; false if the store refused or is unreachable
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function acquire(
        string $key,
        float $seconds,
        LockLifetime $ends = LockLifetime::TtlOrProcess,
        string $token = '',
    ): string|false|null;

    /**
     * Sets the lock's ttl, from now.
     *
     * @param string $token from acquire()
     * @return bool false if the lock had ended, and another may hold it now, or if the store refused
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function renew(string $key, string $token, float $seconds): bool;

    /**
     * @param string $token from acquire()
     * @return bool false if the lock had ended; one that another holds now stays
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function release(string $key, string $token): bool;

    /**
     * @return string|null the token of the holder; null if there is none, or the store is unreachable
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function holder(string $key): ?string;
}
