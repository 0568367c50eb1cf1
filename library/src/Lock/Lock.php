<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Decorator\TransparentDecorator;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Internal\Lock\Backoff;

/**
 * A lock from Cache::lock(). It lasts until release() or its LockLifetime ends it, even if this object is destroyed.
 * For longer work, call renew().
 */
final class Lock
{
    /** Seconds. */
    public const LONGEST = 365 * 86_400;
    /** Microseconds between two tries: at first, and at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 10_000;

    /**
     * @param string $token unique proof of ownership: another process that continues the work can release the lock with
     *         it
     */
    public function __construct(
        private readonly LockingStore $store,
        public readonly string $key,
        public readonly string $token,
    ) {}

    /**
     * @param bool $isRefused true if the store refused, or is unreachable: then no other process holds it, as far as is
     *        known
     * @return self|null null if another process holds it until the time is over, or the store is unreachable for longer
     * @throws InvalidKey|InvalidTtl
     */
    public static function take(
        LockingStore $store,
        string $key,
        int|float $seconds,
        int|float $wait,
        LockLifetime $ends,
        bool &$isRefused = false,
    ): ?self {
        $seconds = self::seconds($seconds);
        if ($wait < 0 || is_nan($wait)) {
            throw new InvalidTtl('Waiting for a lock takes 0 or more seconds, not ' . var_export($wait, true));
        }
        $backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, $wait);
        while (true) {
            $token = $store->acquire($key, $seconds, $ends);
            $isRefused = $token === false;
            if (\is_string($token)) {
                return new self($store, $key, $token);
            }
            if ($backoff->isOver() || $token === false && self::isAway($store, $key, $backoff->left())) {
                return null;
            }
            $backoff->pause();
        }
    }

    /** True if the server is unreachable and is not asked again within $seconds: then waiting is useless. */
    public static function isAway(LockingStore $store, string $key, float $seconds): bool
    {
        return $store instanceof TransparentDecorator && $store->secondsToProbe($key) > $seconds;
    }

    /** @return bool false if it had ended (another process's lock stays), or the store is unreachable */
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
        if ($seconds > 0 && $seconds <= self::LONGEST) {
            return (float) $seconds;
        }
        $range = \sprintf('more than 0 and at most %d seconds', self::LONGEST);

        throw new InvalidTtl("A lock is for $range, not " . var_export($seconds, true));
    }
}
