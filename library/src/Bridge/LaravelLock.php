<?php

declare(strict_types=1);

namespace Larder\Bridge;

use Illuminate\Contracts\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Larder\Cache;
use Larder\Lock as LarderLock;
use Larder\Store\Capability;
use Larder\Store\Capability\Ends;
use Larder\Store\Capability\Locks;
use Larder\Store\ReservedKey;

/**
 * A lock of Laravel. It outlives its process, so that a queued job may release what a request took: by the name that
 * owner() gives, in restoreLock().
 */
final class LaravelLock implements Lock
{
    private readonly Locks $locks;

    /** The store's own proof of who holds it, which it makes when the lock is taken. */
    private ?string $token = null;

    /**
     * @internal locks come from LaravelStore
     * @param int $seconds 0 for a year
     * @param string|null $owner the caller's own name for who holds it; null for the store's proof
     */
    public function __construct(private readonly Cache $cache, private readonly string $name, private readonly int $seconds, private readonly ?string $owner)
    {
        $this->locks = Capability::of($cache->store(), Locks::class);
    }

    /**
     * Does not wait.
     *
     * @param (callable(): mixed)|null $callback what is done with the lock, which is released then
     * @return mixed what the callback returned; without one, and without the lock, whether the lock is held now
     */
    public function get($callback = null): mixed
    {
        $token = $this->locks->acquire($this->name, $this->seconds(), Ends::ByTime);
        if (!\is_string($token)) {
            return false;
        }
        $this->isTakenBy($token);

        return $callback === null ? true : $this->with($callback);
    }

    /**
     * @param int $seconds to wait for it
     * @param (callable(): mixed)|null $callback
     * @return mixed what the callback returned; true without one
     * @throws LockTimeoutException
     */
    public function block($seconds, $callback = null): mixed
    {
        $lock = $this->cache->lock($this->name, $this->seconds(), $seconds, Ends::ByTime);
        if ($lock === null) {
            throw new LockTimeoutException(\sprintf('The lock "%s" was not to be had within %d seconds', $this->name, $seconds));
        }
        $this->isTakenBy($lock->token);

        return $callback === null ? true : $this->with($callback);
    }

    /** @return bool false when it had fallen, so that another may have it, which keeps it */
    public function release(): bool
    {
        return $this->locks->release($this->name, $this->token());
    }

    /** @return string for restoreLock(), in this or another process; of use once the lock is held */
    public function owner(): string
    {
        return $this->owner ?? $this->token();
    }

    /** Whoever holds it. */
    public function forceRelease(): void
    {
        $this->locks->release($this->name, $this->holder()[0] ?? '');
    }

    /** Kept beside the lock: its token is not what release() by force, or by a name of the caller's own, begins with. */
    private function isTakenBy(string $token): void
    {
        $this->token = $token;
        $this->cache->store()->set(ReservedKey::lockOwner($this->name), [$token, $this->owner], $this->seconds());
    }

    /** @return array{string, string|null}|null token and owner of who took the lock last */
    private function holder(): ?array
    {
        $holder = $this->cache->store()->get(ReservedKey::lockOwner($this->name));
        [$token, $owner] = \is_array($holder) ? [$holder[0] ?? null, $holder[1] ?? null] : [null, null];

        return \is_string($token) ? [$token, \is_string($owner) ? $owner : null] : null;
    }

    private function token(): string
    {
        if ($this->token !== null || $this->owner === null) {
            return $this->token ?? '';
        }
        [$token, $owner] = $this->holder() ?? ['', null];

        // An owner without a name of the caller's own is the token itself.
        return $owner === $this->owner ? $token : $this->owner;
    }

    private function seconds(): float
    {
        return $this->seconds > 0 ? $this->seconds : LarderLock::LONGEST;
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
