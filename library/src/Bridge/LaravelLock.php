<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Illuminate\Contracts\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Larder\CacheInterface;
use Larder\Contract\Capability;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Lock\Backoff;
use Larder\Lock\Lock as LarderLock;

/**
 * A lock of Laravel, with the methods of Illuminate\Cache\Lock. It outlives its process, so that a queued job can release a
 * lock that a request acquired, by passing the name that owner() returns to restoreLock(). That name is the lock's token in
 * the store, so lock and owner are written in one step.
 */
final class LaravelLock implements Lock
{
    private const OWNER_BYTES = 8;
    /** Microseconds between two tries: so much at first, so much at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 10_000;

    private readonly LockingStore $locks;
    private readonly string $owner;

    /** Microseconds, 0 for the pauses above. */
    private int $pause = 0;

    /**
     * @internal locks come from LaravelStore
     * @param int $seconds 0 for a year
     * @param string|null $owner the caller's own name for who holds it; null for a random one
     */
    public function __construct(CacheInterface $cache, private readonly string $name, private readonly int $seconds, ?string $owner)
    {
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
     * @param (callable(): mixed)|null $callback what is done with the lock, which is released then
     * @return mixed what the callback returned; without one, and without the lock, whether the lock is held now
     */
    public function get($callback = null): mixed
    {
        if (!$this->acquire()) {
            return false;
        }

        return $callback === null ? true : $this->with($callback);
    }

    /**
     * @param int $seconds to wait for it
     * @param (callable(): mixed)|null $callback
     * @return mixed what the callback returned; true without one
     * @throws LockTimeoutException when the time is over; at once if the store is unreachable and not tried again before that
     */
    public function block($seconds, $callback = null): mixed
    {
        $backoff = new Backoff($this->pause > 0 ? $this->pause : self::PAUSE, $this->pause > 0 ? $this->pause : self::LONGEST_PAUSE, $seconds);
        while (!\is_string($token = $this->attempt())) {
            $isAway = $token === false && LarderLock::isAway($this->locks, $this->name, $backoff->left());
            if ($isAway || $backoff->isOver()) {
                throw new LockTimeoutException(\sprintf('The lock "%s" could not be acquired %s', $this->name, $isAway ? 'because its store is unreachable' : "within $seconds s"));
            }
            $backoff->pause();
        }

        return $callback === null ? true : $this->with($callback);
    }

    /**
     * How long block() pauses between two tries, at most. Without it some milliseconds.
     *
     * @param int $milliseconds
     */
    public function betweenBlockedAttemptsSleepFor($milliseconds): static
    {
        $this->pause = 1000 * max(0, $milliseconds);

        return $this;
    }

    /**
     * Sets the lock's ttl, from now.
     *
     * @param int|null $seconds 0 for a year, null for those of the constructor
     * @return bool false if it had ended; one that another process holds now stays
     */
    public function refresh($seconds = null): bool
    {
        return $this->locks->renew($this->name, self::token($this->owner), self::seconds($seconds ?? $this->seconds));
    }

    /** @return bool false if it had ended; one that another process holds now stays */
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
     * @param string|null $owner as owner() gives it; null for nobody
     * @phpstan-impure
     */
    public function isOwnedBy($owner): bool
    {
        return $this->locks->holder($this->name) === ($owner === null ? null : self::token($owner));
    }

    /**
     * Whether the lock is held under this one's name.
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

    /** Whoever holds it. */
    public function forceRelease(): void
    {
        $holder = $this->locks->holder($this->name);
        if ($holder !== null) {
            $this->locks->release($this->name, $holder);
        }
    }

    /** @return string|false|null as LockingStore::acquire() */
    private function attempt(): string|false|null
    {
        return $this->locks->acquire($this->name, self::seconds($this->seconds), LockLifetime::Ttl, self::token($this->owner));
    }

    /** Tokens have no spaces, and are not empty. */
    private static function token(string $owner): string
    {
        return '-' . rawurlencode($owner);
    }

    private static function seconds(int $seconds): float
    {
        return $seconds > 0 ? min($seconds, LarderLock::LONGEST) : LarderLock::LONGEST;
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
