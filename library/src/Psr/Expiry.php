<?php

declare(strict_types=1);

namespace Larder\Psr;

use Psr\Clock\ClockInterface;

/**
 * A moment from which on a value is no more: unix time, with fractions.
 *
 * @internal
 */
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
            // In UTC: where clocks are put forward and back, a day would have 23 or 25 hours.
            return self::at($now->setTimezone(new \DateTimeZone('UTC'))->add($time), $clock);
        }

        return new self((float) $now->format('U.u') + $time, $clock);
    }

    /** @return float seconds from now; 0.0 or less when over */
    public function left(): float
    {
        return $this->at - (float) $this->clock->now()->format('U.u');
    }

    public function isOver(): bool
    {
        return $this->left() <= 0.0;
    }
}
