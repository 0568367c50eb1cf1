<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Contract\LockLifetime;

/** What a store keeps for a lock: whose it is, until when, and what ends it. */
final class LockState
{
    /**
     * How long after its ttl a lock is kept while its owner may be alive. Not forever: a worker process continues after a
     * request died without releasing its locks.
     */
    private const KEPT_SECONDS = 900;

    /** @param float $until unix time */
    private function __construct(
        public readonly string $token,
        private readonly float $until,
        private readonly LockLifetime $ends,
    ) {}

    /**
     * @param bool $seesOwners whether those who will look at it are on this machine
     * @param string $token as LockingStore::acquire() takes it
     */
    public static function begin(float $seconds, LockLifetime $ends, bool $seesOwners, string $token = ''): self
    {
        if ($token !== '') {
            return new self($token, microtime(true) + $seconds, LockLifetime::Ttl);
        }
        $hasOwner = $seesOwners && $ends !== LockLifetime::Ttl;

        return new self($hasOwner ? LockOwner::token() : LockOwner::anonymousToken(), microtime(true) + $seconds, $hasOwner ? $ends : LockLifetime::Ttl);
    }

    /** @return self|null null when this is not one */
    public static function of(mixed $stored): ?self
    {
        $parts = \is_string($stored) ? explode(' ', $stored) : [];
        $ends = \count($parts) === 3 ? LockLifetime::tryFrom($parts[0]) : null;

        return $ends === null ? null : new self($parts[2], (float) $parts[1], $ends);
    }

    /** As of() takes it. */
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

    /** @return float the unix time from which a store need not keep it */
    public function keptUntil(): float
    {
        return $this->until + ($this->ends === LockLifetime::Process ? self::KEPT_SECONDS : 0);
    }
}
