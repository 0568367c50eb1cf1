<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Contract\LockLifetime;
use Larder\Key\ReservedKey;

/**
 * Locks for memory that compares integers only, and deletes without comparing.
 *
 * A lock is an integer: the time at which it falls, by the clock that only goes forward, and a random part. Its LockState
 * has a name of its own with the integer in it, and is there before the integer is. Who gives a lock up first puts an
 * integer without a state in its place, which falls a second later: in that second nobody else takes the name, so it can
 * be deleted. If a process dies between the two, the next one has the lock after that second.
 */
trait LocksBySwapping
{
    private const LOCK_RANDOM_BITS = 20;
    private const CLOSING_SECONDS = 1.0;
    /** An integer is kept longer than its lock, so that it is there between two steps. */
    private const LOCK_MARGIN_SECONDS = 3600;
    private const LOCK_TRIES = 10;

    public function acquire(string $key, float $seconds, LockLifetime $ends = LockLifetime::TtlOrProcess, string $token = ''): string|false|null
    {
        $name = $this->name(ReservedKey::lock($key));
        for ($try = 0; $try < self::LOCK_TRIES; ++$try) {
            $old = $this->readRaw($name);
            if (\is_int($old)) {
                if ($this->isLocked($key, $old)) {
                    return null;
                }
                $this->close($key, $name, $old);
            }
            $state = LockState::begin($seconds, $ends, true, $token);
            $kept = $state->keptUntil() - microtime(true);
            $lock = self::lockUntil($seconds);
            $stateName = $this->name(ReservedKey::lockState($key, $lock));
            if (!$this->addRaw($stateName, (string) $state, $kept)) {
                return false;
            }
            if ($this->addRaw($name, $lock, $kept + self::LOCK_MARGIN_SECONDS)) {
                return $state->token;
            }
            $this->removeRaw($stateName); // another was first, or it is full
        }

        return false;
    }

    public function renew(string $key, string $token, float $seconds): bool
    {
        $name = $this->name(ReservedKey::lock($key));
        [$old, $state] = $this->heldBy($token, $key, $name);
        if ($old === null || $state === null) {
            return false;
        }
        $state = $state->renewed($seconds);
        $lock = self::lockUntil($seconds);
        $stateName = $this->name(ReservedKey::lockState($key, $lock));
        $kept = $state->keptUntil() - microtime(true);
        if (!$this->addRaw($stateName, (string) $state, $kept)) {
            return false;
        }
        $isRenewed = $this->swapRaw($name, $old, $lock) && $this->keepRaw($name, $lock, $kept + self::LOCK_MARGIN_SECONDS);
        $this->removeRaw($isRenewed ? $this->name(ReservedKey::lockState($key, $old)) : $stateName);

        return $isRenewed;
    }

    public function release(string $key, string $token): bool
    {
        $name = $this->name(ReservedKey::lock($key));
        [$old] = $this->heldBy($token, $key, $name);

        return $old !== null && $this->close($key, $name, $old);
    }

    public function holder(string $key): ?string
    {
        $lock = $this->readRaw($this->name(ReservedKey::lock($key)));
        $state = \is_int($lock) ? LockState::of($this->readRaw($this->name(ReservedKey::lockState($key, $lock)))) : null;

        return $state?->isHeld() === true ? $state->token : null;
    }

    /** @return array{int, LockState}|array{null, null} nulls when it has fallen */
    private function heldBy(string $token, string $key, string $name): array
    {
        $lock = $this->readRaw($name);
        $state = \is_int($lock) ? LockState::of($this->readRaw($this->name(ReservedKey::lockState($key, $lock)))) : null;

        return \is_int($lock) && $state !== null && $state->token === $token && $state->isHeld() ? [$lock, $state] : [null, null];
    }

    private function isLocked(string $key, int $lock): bool
    {
        $state = LockState::of($this->readRaw($this->name(ReservedKey::lockState($key, $lock))));

        return $state === null ? $lock >> self::LOCK_RANDOM_BITS > self::milliseconds() : $state->isHeld();
    }

    /** @return bool false when another was first */
    private function close(string $key, string $name, int $lock): bool
    {
        $closing = self::lockUntil(self::CLOSING_SECONDS);
        if (!$this->swapRaw($name, $lock, $closing)) {
            return false;
        }
        $this->removeRaw($this->name(ReservedKey::lockState($key, $lock)));
        if (self::milliseconds() < $closing >> self::LOCK_RANDOM_BITS) {
            $this->removeRaw($name);
        }

        return true;
    }

    private static function lockUntil(float $seconds): int
    {
        return (self::milliseconds() + (int) ceil(1000 * $seconds)) << self::LOCK_RANDOM_BITS | random_int(0, (1 << self::LOCK_RANDOM_BITS) - 1);
    }

    private static function milliseconds(): int
    {
        return intdiv((int) hrtime(true), 1_000_000);
    }

    /** The key in the memory, checked. */
    abstract private function name(string $key): string;

    abstract private function readRaw(string $name): mixed;

    abstract private function addRaw(string $name, int|string $value, float $seconds): bool;

    abstract private function swapRaw(string $name, int $old, int $new): bool;

    /** Gives what the caller has just swapped in more time. */
    abstract private function keepRaw(string $name, int $value, float $seconds): bool;

    abstract private function removeRaw(string $name): void;
}
