<?php

declare(strict_types=1);

namespace Larder;

/** Pauses of somebody who waits for another process: each up to twice as long as the one before. */
final class Backoff
{
    /**
     * @param int $pause microseconds of the first pause, at most
     * @param int $longest microseconds of any pause
     */
    public function __construct(private int $pause, private readonly int $longest) {}

    /** @param float $left nanoseconds that the caller would wait for in all: it is not paused for longer */
    public function pause(float $left): void
    {
        // Not all at once: those who wait would meet again and again.
        usleep((int) max(1, min($left / 1000, random_int(intdiv($this->pause, 2), $this->pause))));
        $this->pause = min(2 * $this->pause, $this->longest);
    }
}
