<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Store\Capability\Ends;

/** What a store keeps for a lock: whose it is, until when, and what ends it. */
final class LockState
{
    /**
     * For so long after its time a lock is kept whose owner may still be alive. Not for ever: a worker process lives on
     * when one of its requests has died in a way that released nothing.
     */
    private const KEPT_SECONDS = 900;

    /** @param float $until unix time */
    private function __construct(
        public readonly string $token,
        private readonly float $until,
        private readonly Ends $ends,
    ) {}

    /**
     * @param bool $seesOwners whether those who will look at it are on this machine
     * @param string $token as Locks::acquire() takes it
     */
    public static function begin(float $seconds, Ends $ends, bool $seesOwners, string $token = ''): self
    {
        if ($token !== '') {
            return new self($token, microtime(true) + $seconds, Ends::ByTime);
        }
        $hasOwner = $seesOwners && $ends !== Ends::ByTime;

        return new self($hasOwner ? Owner::token() : Owner::anonymousToken(), microtime(true) + $seconds, $hasOwner ? $ends : Ends::ByTime);
    }

    /** @return self|null null when this is not one */
    public static function of(mixed $stored): ?self
    {
        $parts = \is_string($stored) ? explode(' ', $stored) : [];
        foreach (\count($parts) === 3 ? Ends::cases() : [] as $ends) {
            if ($ends->name === $parts[0]) {
                return new self($parts[2], (float) $parts[1], $ends);
            }
        }

        return null;
    }

    /** As of() takes it. */
    public function __toString(): string
    {
        return \sprintf('%s %.6F %s', $this->ends->name, $this->until, $this->token);
    }

    public function renewed(float $seconds): self
    {
        return new self($this->token, microtime(true) + $seconds, $this->ends);
    }

    public function isHeld(): bool
    {
        $isInTime = $this->until > microtime(true);

        return match ($this->ends) {
            Ends::ByTime => $isInTime,
            Ends::WithProcessOrByTime => $isInTime && Owner::lives($this->token) !== false,
            Ends::WithProcess => Owner::lives($this->token) ?? $isInTime,
        };
    }

    /** @return float the unix time from which a store need not keep it */
    public function keptUntil(): float
    {
        return $this->until + ($this->ends === Ends::WithProcess ? self::KEPT_SECONDS : 0);
    }
}
