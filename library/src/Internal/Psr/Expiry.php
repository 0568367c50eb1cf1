<?php

declare(strict_types=1);

namespace Larder\Internal\Psr;

use Psr\Clock\ClockInterface;

/** The moment of an expiry: unix time, with fractions. */
final class Expiry
{
    private function __construct(public readonly float $at, private readonly ClockInterface $clock) {}

    public static function at(\DateTimeInterface $moment, ClockInterface $clock): self
    {
        return new self((float) $moment->format('U.u'), $clock);
    }

    public static function after(int|\DateInterval $time, ClockInterface $clock): self
    {
        $now = $clock->now();
        if ($time instanceof \DateInterval) {
            // In UTC: elsewhere a day may have 23 or 25 hours.
            return self::at($now->setTimezone(new \DateTimeZone('UTC'))->add($time), $clock);
        }

        return new self((float) $now->format('U.u') + $time, $clock);
    }

    /** @return float seconds from now; 0.0 or less if it has expired */
    public function left(): float
    {
        return $this->at - (float) $this->clock->now()->format('U.u');
    }

    public function isOver(): bool
    {
        return $this->left() <= 0.0;
    }
}
