<?php

declare(strict_types=1);

namespace Larder\Testing;

use PHPUnit\Framework\AssertionFailedError;

/** For tests that depend on time, on machines that are busy and stall now and then. */
trait Timing
{
    /**
     * Runs steps that are only valid if they take less than $seconds; runs them again, from the start, if they took
     * longer.
     *
     * @param \Closure(): void $steps
     */
    protected static function within(float $seconds, \Closure $steps): void
    {
        for ($tries = 0; $tries < 20; ++$tries) {
            $start = microtime(true);
            $failed = null;

            try {
                $steps();
            } catch (AssertionFailedError $failed) {
                // perhaps only because they were late
            }
            if (microtime(true) < $start + $seconds) {
                if ($failed !== null) {
                    throw $failed;
                }

                return;
            }
        }
        self::fail(\sprintf(
            'This machine is too busy: the steps took longer than %.1f s in each of 20 tries.',
            $seconds,
        ));
    }

    /** Checks that this much time has passed, and not so much more that something else ended the wait. */
    protected static function assertWaited(float $seconds, float $start): void
    {
        $waited = microtime(true) - $start;
        self::assertGreaterThan($seconds - 0.01, $waited);
        self::assertLessThan($seconds + 8, $waited);
    }
}
