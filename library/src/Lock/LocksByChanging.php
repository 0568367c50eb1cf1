<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Contract\Entry;
use Larder\Contract\LockLifetime;
use Larder\Contract\RemoteStore;
use Larder\Key\ReservedKey;

/**
 * Locks for stores that read a value and write another in its place in one step (see ChangesAtomically): a lock is a value
 * under a key of its own.
 *
 * @template T the form in which the store keeps values
 */
trait LocksByChanging
{
    public function acquire(string $key, float $seconds, LockLifetime $ends = LockLifetime::TtlOrProcess, string $token = ''): string|false|null
    {
        $name = ReservedKey::lock($key);
        if ($this->seesOwners() && LockState::of($this->glance($name))?->isHeld() === true) {
            return null; // those who wait do not hold up the others
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

    /** What is there, without waiting for those who change it; null for nothing, or when only they may look. */
    private function glance(string $name): mixed
    {
        return $this->get($name);
    }

    /** Whether all who can ask this store are on this machine; servers are asked from others too. */
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
