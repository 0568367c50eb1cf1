<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** The time that a process measures. */
final class TimeBudget
{
    /**
     * @param int $batch nanoseconds that a batch of operations takes at least
     * @param int $total nanoseconds of all batches of one value and operation
     */
    public function __construct(public readonly int $batch, public readonly int $total) {}
}
