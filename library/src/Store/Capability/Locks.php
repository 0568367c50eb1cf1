<?php

declare(strict_types=1);

namespace Larder\Store\Capability;

use Larder\Exception\InvalidKey;

/**
 * A store that can lock: of processes that ask for a lock at once, one has it.
 *
 * A lock falls when its time is over, whatever its holder does: if the holder died, that is when the next one gets it. It
 * also falls with clear(), and when the place loses it as it may lose any value. Locks and values do not meet, whatever
 * their keys.
 */
interface Locks
{
    /**
     * Does not wait.
     *
     * @param float $seconds more than 0, until the lock falls
     * @return string|null what release() asks for; null when another has the lock, or the store refused
     * @throws InvalidKey
     */
    public function acquire(string $key, float $seconds): ?string;

    /**
     * @param string $token from acquire()
     * @return bool false when the lock had fallen, so that another may have it, which keeps it
     * @throws InvalidKey
     */
    public function release(string $key, string $token): bool;
}
