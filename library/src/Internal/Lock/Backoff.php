<?php

declare(strict_types=1);

namespace Larder\Internal\Lock;

use Larder\Internal\Process\Functions;

/** Exponential backoff with jitter, for waiting for another process for a limited time. */
final class Backoff
{
    /** By hrtime(). */
    private readonly float $end;

    /**
     * @param int $pause microseconds of the first pause, at most
     * @param int $longest microseconds of any pause
     * @param float $seconds in all, from now on
     */
    public function __construct(private int $pause, private readonly int $longest, float $seconds)
    {
        $this->end = hrtime(true) + 1e9 * $seconds;
    }

    public function isOver(): bool
    {
        return hrtime(true) >= $this->end;
    }

    /** @return float seconds */
    public function left(): float
    {
        return max(0.0, ($this->end - hrtime(true)) / 1e9);
    }

    /** Ends with the time of all pauses. */
    public function pause(): void
    {
        $left = ($this->end - hrtime(true)) / 1000;
        // Random, so that waiting processes do not collide again and again.
        Functions::sleep((int) max(1, min($left, random_int(intdiv($this->pause, 2), $this->pause))));
        $this->pause = min(2 * $this->pause, $this->longest);
    }
}
