<?php

declare(strict_types=1);

namespace Larder\Internal\Lock;

use Larder\Contract\LockLifetime;

/** The value that a store keeps for a lock: its holder, its time, and what ends it. */
final class LockState
{
    /**
     * Seconds after its ttl that a lock is kept while its owner may live. Not forever: a worker survives its requests.
     */
    private const KEPT_SECONDS = 900;

    /** @param float $until unix time */
    private function __construct(
        public readonly string $token,
        private readonly float $until,
        private readonly LockLifetime $ends,
    ) {}

    /**
     * @param bool $seesOwners true if all its readers are on this machine
     * @param string $token as LockingStore::acquire() takes it
     */
    public static function begin(float $seconds, LockLifetime $ends, bool $seesOwners, string $token = ''): self
    {
        $until = microtime(true) + $seconds;
        if ($token === '' && $seesOwners && $ends !== LockLifetime::Ttl) {
            return new self(LockOwner::token(), $until, $ends);
        }

        return new self($token === '' ? LockOwner::anonymousToken() : $token, $until, LockLifetime::Ttl);
    }

    /** @return self|null null for anything else */
    public static function of(mixed $stored): ?self
    {
        $parts = \is_string($stored) ? explode(' ', $stored) : [];
        $ends = \count($parts) === 3 ? LockLifetime::tryFrom($parts[0]) : null;

        return $ends === null ? null : new self($parts[2], (float) $parts[1], $ends);
    }

    public function __toString(): string
    {
        return \sprintf('%s %.6F %s', $this->ends->value, $this->until, $this->token);
    }

    public function renewed(float $seconds): self
    {
        return new self($this->token, microtime(true) + $seconds, $this->ends);
    }

    public function isHeld(): bool
    {
        $isInTime = $this->until > microtime(true);

        return match ($this->ends) {
            LockLifetime::Ttl => $isInTime,
            LockLifetime::TtlOrProcess => $isInTime && LockOwner::lives($this->token) !== false,
            LockLifetime::Process => LockOwner::lives($this->token) ?? $isInTime,
        };
    }

    /** @return float unix time until which a store must keep it */
    public function keptUntil(): float
    {
        return $this->until + ($this->ends === LockLifetime::Process ? self::KEPT_SECONDS : 0);
    }
}
