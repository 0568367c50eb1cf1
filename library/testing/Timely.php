<?php

declare(strict_types=1);

namespace Larder\Testing;

use PHPUnit\Framework\AssertionFailedError;

/** For tests of what ends by time, on machines that are busy and stand still now and then. */
trait Timely
{
    /**
     * Does what only holds before $seconds are over; once more, from its beginning, when it took longer than that.
     *
     * @param \Closure(): void $steps
     */
    private static function within(float $seconds, \Closure $steps): void
    {
        for ($tries = 0; $tries < 20; ++$tries) {
            $start = microtime(true);
            $failed = null;

            try {
                $steps();
            } catch (AssertionFailedError $failed) {
                // it may be for being late
            }
            if (microtime(true) < $start + $seconds) {
                if ($failed !== null) {
                    throw $failed;
                }

                return;
            }
        }
        self::fail(\sprintf('This machine cannot do within %.1f seconds what the test does in them.', $seconds));
    }

    /** That so much time is over, and not so much more that something else has ended the wait. */
    private static function assertWaited(float $seconds, float $start): void
    {
        $waited = microtime(true) - $start;
        self::assertGreaterThan($seconds - 0.01, $waited);
        self::assertLessThan($seconds + 8, $waited);
    }
}
