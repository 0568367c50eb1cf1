<?php

declare(strict_types=1);

namespace Larder\Testing;

use PHPUnit\Framework\AssertionFailedError;

/** For tests that depend on time, and run on busy machines that sometimes stall. */
trait Timing
{
    /**
     * Runs steps whose result is only valid if they take less than $seconds. If they took longer, runs them again from
     * the start.
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
                // ignored if the steps took too long
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

    /** Checks that the wait took this long, and at most 8 s more: if it took longer, something else ended it. */
    protected static function assertWaited(float $seconds, float $start): void
    {
        $waited = microtime(true) - $start;
        self::assertGreaterThan($seconds - 0.01, $waited);
        self::assertLessThan($seconds + 8, $waited);
    }
}
