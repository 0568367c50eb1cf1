<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** An operation done many times between two looks at the clock. */
interface Loop
{
    /** Gets ready for batches of so many operations. */
    public function resize(int $operations): void;

    /** @return int nanoseconds that one batch took */
    public function run(): int;

    /** @return int nanoseconds that a batch takes in which the store is not called */
    public function runEmpty(): int;

    /** Looks at what the last batch read or wrote: all of it, after the clock has stopped. */
    public function check(FailureCount $tally): void;
}
