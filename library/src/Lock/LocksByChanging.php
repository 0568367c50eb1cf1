<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Contract\Entry;
use Larder\Contract\LockLifetime;
use Larder\Contract\RemoteStore;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Lock\LockState;

/**
 * Locks for stores that can read and replace a value atomically (see ChangesAtomically): a lock is a value under a
 * reserved key.
 *
 * @template T the form in which the store keeps values
 */
trait LocksByChanging
{
    public function acquire(
        string $key,
        float $seconds,
        LockLifetime $ends = LockLifetime::TtlOrProcess,
        string $token = '',
    ): string|false|null {
        $name = ReservedKey::lock($key);
        if ($this->seesOwners() && LockState::of($this->glance($name))?->isHeld() === true) {
            return null; // waiting processes must not slow down the holder
        }
        $new = LockState::begin($seconds, $ends, $this->seesOwners(), $token);
        $entry = new Entry($this->pack($name, (string) $new), $new->keptUntil());
        $isHeld = false;
        $isTaken = $this->change($name, function (?Entry $old) use ($name, $entry, &$isHeld): Entry|false {
            $isHeld = $this->state($name, $old)?->isHeld() === true;

            return $isHeld ? false : $entry;
        });

        return $isTaken ? $new->token : ($isHeld ? null : false);
    }

    public function renew(string $key, string $token, float $seconds): bool
    {
        $name = ReservedKey::lock($key);

        return $this->change($name, function (?Entry $old) use ($name, $token, $seconds): Entry|false {
            $state = $this->state($name, $old);
            if ($state === null || $state->token !== $token || !$state->isHeld()) {
                return false;
            }
            $renewed = $state->renewed($seconds);

            return new Entry($this->pack($name, (string) $renewed), $renewed->keptUntil());
        });
    }

    public function release(string $key, string $token): bool
    {
        $name = ReservedKey::lock($key);

        return $this->change($name, function (?Entry $old) use ($name, $token): ?false {
            $state = $this->state($name, $old);

            return $state !== null && $state->token === $token && $state->isHeld() ? null : false;
        });
    }

    public function holder(string $key): ?string
    {
        $state = LockState::of($this->get(ReservedKey::lock($key)));

        return $state?->isHeld() === true ? $state->token : null;
    }

    /** @param Entry<T>|null $entry */
    private function state(string $name, ?Entry $entry): ?LockState
    {
        return $entry === null ? null : LockState::of($this->unpack($name, $entry->stored));
    }

    /** Reads without waiting for writers; null if there is nothing, or only writers may read. */
    private function glance(string $name): mixed
    {
        return $this->get($name);
    }

    /** True if all users of this store are on this machine; servers have clients elsewhere. */
    private function seesOwners(): bool
    {
        return !is_a($this, RemoteStore::class);
    }

    abstract public function get(string $key, mixed $default = null): mixed;

    /** @param \Closure(Entry<T>|null): (Entry<T>|false|null) $change */
    abstract private function change(string $key, \Closure $change): bool;

    /** @return T */
    abstract private function pack(string $key, mixed $value): mixed;

    /** @param T $stored */
    abstract private function unpack(string $key, mixed $stored): mixed;
}
