<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

final class Wait
{
    /**
     * Looks until it is so. The time is one that a busy machine that stands still now and then does not need.
     *
     * @param \Closure(): bool $isSo
     * @throws NoAnswer when the time is over
     */
    public static function until(\Closure $isSo, string $what, float $seconds = 60.0): void
    {
        for ($deadline = microtime(true) + $seconds; !$isSo(); usleep(2_000)) {
            if (microtime(true) > $deadline) {
                throw new NoAnswer(\sprintf('waited %g s in vain until %s', $seconds, $what));
            }
        }
    }
}
