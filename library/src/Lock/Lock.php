<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\ReportsOutages;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/**
 * A lock that Cache::lock() gave: held until release() or what else ends it, whatever becomes of this object. For work
 * that takes longer than was thought there is renew().
 */
final class Lock
{
    /** Seconds. */
    public const LONGEST = 365 * 86_400;
    /** Microseconds between two tries: so much at first, so much at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 10_000;

    /**
     * @param string $token the owner's proof, which no other lock has: a job that another process goes on with may be
     *                      given it, and release the lock there
     */
    public function __construct(private readonly LockingStore $store, public readonly string $key, public readonly string $token) {}

    /**
     * @return self|null null when another has it, and had it until the waiting was over; or the store is unreachable for longer
     * @throws InvalidKey|InvalidTtl
     */
    public static function take(LockingStore $store, string $key, int|float $seconds, int|float $wait, LockLifetime $ends): ?self
    {
        $seconds = self::seconds($seconds);
        if (!($wait >= 0)) {
            throw new InvalidTtl(\sprintf('Waiting for a lock takes 0 or more seconds, not %s', var_export($wait, true)));
        }
        $backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, $wait);
        while (true) {
            $token = $store->acquire($key, $seconds, $ends);
            if (\is_string($token)) {
                return new self($store, $key, $token);
            }
            // A server that is unreachable, and that nobody asks again before the time is over, is not waited for.
            if ($backoff->isOver() || ($token === false && $store instanceof ReportsOutages && $store->secondsToProbe($key) > $backoff->left())) {
                return null;
            }
            $backoff->pause();
        }
    }

    /** @return bool false when it had fallen, so that another may have it, which keeps it; or the store is unreachable */
    public function release(): bool
    {
        return $this->store->release($this->key, $this->token);
    }

    /**
     * Gives the lock so many seconds from now.
     *
     * @return bool false when it had fallen, so that another may have it; or the store refused, or is unreachable
     * @throws InvalidTtl
     */
    public function renew(int|float $seconds): bool
    {
        return $this->store->renew($this->key, $this->token, self::seconds($seconds));
    }

    private static function seconds(int|float $seconds): float
    {
        return $seconds > 0 && $seconds <= self::LONGEST ? (float) $seconds
            : throw new InvalidTtl(\sprintf('A lock is for more than 0 and at most %d seconds, not %s', self::LONGEST, var_export($seconds, true)));
    }
}
