<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\ReportsOutages;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/**
 * A lock from Cache::lock(). It lasts until release() or its LockLifetime ends it, even if this object is destroyed. If the
 * work takes longer than expected, call renew().
 */
final class Lock
{
    /** Seconds. */
    public const LONGEST = 365 * 86_400;
    /** Microseconds between two tries: at first, and at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 10_000;

    /**
     * @param string $token unique proof of ownership: pass it to another process that continues the work, so that it can
     *                      release the lock
     */
    public function __construct(private readonly LockingStore $store, public readonly string $key, public readonly string $token) {}

    /**
     * @return self|null null if another process holds it until the time is over, or the store is unreachable for longer
     * @throws InvalidKey|InvalidTtl
     */
    public static function take(LockingStore $store, string $key, int|float $seconds, int|float $wait, LockLifetime $ends): ?self
    {
        $seconds = self::seconds($seconds);
        if ($wait < 0 || is_nan($wait)) {
            throw new InvalidTtl(\sprintf('Waiting for a lock takes 0 or more seconds, not %s', var_export($wait, true)));
        }
        $backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, $wait);
        while (true) {
            $token = $store->acquire($key, $seconds, $ends);
            if (\is_string($token)) {
                return new self($store, $key, $token);
            }
            if ($backoff->isOver() || $token === false && self::isAway($store, $key, $backoff->left())) {
                return null;
            }
            $backoff->pause();
        }
    }

    /** Whether the server is unreachable and will not be asked again within so many seconds: then waiting is useless. */
    public static function isAway(LockingStore $store, string $key, float $seconds): bool
    {
        return $store instanceof ReportsOutages && $store->secondsToProbe($key) > $seconds;
    }

    /** @return bool false if it had ended (one that another process holds now stays), or the store is unreachable */
    public function release(): bool
    {
        return $this->store->release($this->key, $this->token);
    }

    /**
     * Sets the ttl, from now.
     *
     * @return bool false if it had ended and another process may hold it now, or the store refused or is unreachable
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
