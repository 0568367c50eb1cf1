<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;

/**
 * A store that can lock: of processes that ask for a lock at once, one has it.
 *
 * What ends a lock that is not released is said when it is taken. It also falls with clear(), and when the place loses it
 * as it may lose any value. Locks and values do not meet, whatever their keys.
 */
interface LockingStore
{
    /**
     * Does not wait.
     *
     * @param float $seconds more than 0, the lock's time
     * @param string $token what stands for the holder, without spaces: the lock falls by time then, whatever $ends says;
     *                      '' for one that no other lock has
     * @return string|false|null what renew() and release() ask for, in this or another process; null when another has the
     *                           lock; false when the store refused, or is unreachable
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function acquire(string $key, float $seconds, LockLifetime $ends = LockLifetime::TtlOrProcess, string $token = ''): string|false|null;

    /**
     * Gives the lock so many seconds from now.
     *
     * @param string $token from acquire()
     * @return bool false when the lock had fallen, so that another may have it, which keeps it; or the store refused
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function renew(string $key, string $token, float $seconds): bool;

    /**
     * @param string $token from acquire()
     * @return bool false when the lock had fallen, so that another may have it, which keeps it
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function release(string $key, string $token): bool;

    /**
     * @return string|null the token of who holds the lock; null when nobody does, or the store is unreachable
     * @throws InvalidKey
     * @phpstan-impure
     */
    public function holder(string $key): ?string;
}
