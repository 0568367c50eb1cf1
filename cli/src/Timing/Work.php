<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

/** Operations that Timer measures in batches. The clock runs during run() and runEmpty() alone. */
interface Work
{
    /** Prepares one batch of this many operations. */
    public function prepare(int $times): void;

    /** The same loop as run(), without the operation. */
    public function runEmpty(int $times): void;

    public function run(int $times): void;

    /**
     * Checks the results of the last run().
     *
     * @throws \Exception which ends the measurement
     */
    public function check(): void;
}
