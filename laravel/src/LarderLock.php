<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Contracts\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Larder\CacheInterface;
use Larder\Contract\Capability;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Internal\Lock\Backoff;
use Larder\Lock\Lock as LockOfLarder;
use Larder\Psr\InvalidArgument;

/**
 * A lock of Laravel, with the methods of Illuminate\Cache\Lock. It outlives its process, so a queued job can release a
 * lock of a request by passing the name from owner() to restoreLock(). That name is the lock's token in the store, so
 * lock and owner are written in one step.
 */
final class LarderLock implements Lock
{
    private const OWNER_BYTES = 8;
    /** Microseconds between two tries: at first, and at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 10_000;

    private readonly LockingStore $locks;
    private readonly string $owner;

    /** Microseconds; 0 for the pauses above. */
    private int $pause = 0;

    /**
     * @internal locks come from LarderCacheStore
     * @param int|float $seconds 0 for a year
     * @param string|null $owner the caller's own name for the holder; null for a random one
     */
    public function __construct(
        CacheInterface $cache,
        private readonly string $name,
        private readonly int|float $seconds,
        ?string $owner,
    ) {
        $this->locks = Capability::of($cache->store(), LockingStore::class);
        $this->owner = $owner ?? bin2hex(random_bytes(self::OWNER_BYTES));
    }

    /**
     * Does not wait, and does not release.
     *
     * @phpstan-impure
     */
    public function acquire(): bool
    {
        return \is_string($this->attempt());
    }

    /**
     * Does not wait.
     *
     * @param (callable(): mixed)|null $callback called with the lock, which is then released
     * @return mixed the callback's result; without a callback, or without the lock, true if the lock is held now
     */
    public function get($callback = null): mixed
    {
        if (!$this->acquire()) {
            return false;
        }

        return $callback === null ? true : $this->with($callback);
    }

    /**
     * @param int|float|string $seconds to wait for it
     * @param (callable(): mixed)|null $callback
     * @return mixed the callback's result; true without one
     * @throws LockTimeoutException when the time is over; at once if the store is unreachable and not tried again
     *         before that
     */
    public function block($seconds, $callback = null): mixed
    {
        $seconds = self::number($seconds);
        [$pause, $longest] = $this->pause > 0 ? [$this->pause, $this->pause] : [self::PAUSE, self::LONGEST_PAUSE];
        $backoff = new Backoff($pause, $longest, $seconds);
        while (!\is_string($token = $this->attempt())) {
            $isAway = $token === false && LockOfLarder::isAway($this->locks, $this->name, $backoff->left());
            if ($isAway || $backoff->isOver()) {
                $why = $isAway ? 'because its store is unreachable' : "within $seconds s";

                throw new LockTimeoutException("The lock \"$this->name\" could not be acquired $why");
            }
            $backoff->pause();
        }

        return $callback === null ? true : $this->with($callback);
    }

    /**
     * Sets the longest pause of block() between two tries; some milliseconds by default.
     *
     * @param int|float|string $milliseconds
     */
    public function betweenBlockedAttemptsSleepFor($milliseconds): static
    {
        $this->pause = (int) (1000 * max(0, self::number($milliseconds)));

        return $this;
    }

    /**
     * Sets the lock's ttl, from now.
     *
     * @param int|float|string|null $seconds 0 for a year, null for those of the constructor
     * @return bool false if it had ended; another process's lock stays
     */
    public function refresh($seconds = null): bool
    {
        $seconds = self::seconds(self::number($seconds ?? $this->seconds));

        return $this->locks->renew($this->name, self::token($this->owner), $seconds);
    }

    /** @return bool false if it had ended; another process's lock stays */
    public function release(): bool
    {
        return $this->locks->release($this->name, self::token($this->owner));
    }

    /** @return string for restoreLock(), in this or another process; the same before the lock is held */
    public function owner(): string
    {
        return $this->owner;
    }

    /**
     * @param string|int|\Stringable|null $owner from owner(); null for nobody
     * @phpstan-impure
     */
    public function isOwnedBy($owner): bool
    {
        return $this->locks->holder($this->name) === ($owner === null ? null : self::token((string) $owner));
    }

    /**
     * True if the lock is held under this one's name.
     *
     * @phpstan-impure
     */
    public function isOwnedByCurrentProcess(): bool
    {
        return $this->isOwnedBy($this->owner);
    }

    /** @phpstan-impure */
    public function isLocked(): bool
    {
        return $this->locks->holder($this->name) !== null;
    }

    /** Releases the lock, even if another process holds it. */
    public function forceRelease(): void
    {
        $holder = $this->locks->holder($this->name);
        if ($holder !== null) {
            $this->locks->release($this->name, $holder);
        }
    }

    /**
     * Numbers as Laravel passes them, without types.
     *
     * @internal
     * @return int|float 0 for null
     * @throws InvalidArgument for what is no number
     */
    public static function number(mixed $value): int|float
    {
        return match (true) {
            \is_int($value), \is_float($value) && is_finite($value) => $value,
            \is_string($value) && is_numeric($value) => $value + 0,
            $value === null => 0,
            default => throw new InvalidArgument('A number was expected, not '
                . (\is_scalar($value) ? var_export($value, true) : get_debug_type($value))),
        };
    }

    /** @return string|false|null as LockingStore::acquire() */
    private function attempt(): string|false|null
    {
        $seconds = self::seconds($this->seconds);

        return $this->locks->acquire($this->name, $seconds, LockLifetime::Ttl, self::token($this->owner));
    }

    /** Tokens have no spaces, and are not empty. */
    private static function token(string $owner): string
    {
        return '-' . rawurlencode($owner);
    }

    private static function seconds(int|float $seconds): float
    {
        return $seconds > 0 ? min($seconds, LockOfLarder::LONGEST) : LockOfLarder::LONGEST;
    }

    /** @param callable(): mixed $callback */
    private function with(callable $callback): mixed
    {
        try {
            return $callback();
        } finally {
            $this->release();
        }
    }
}
