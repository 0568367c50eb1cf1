<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

final class Wait
{
    /**
     * Waits until the condition is true. The limit is longer than stalls of a busy machine.
     *
     * @param \Closure(): bool $isSo
     * @throws PhpFailed after the time limit
     */
    public static function until(\Closure $isSo, string $what, float $seconds = 60.0): void
    {
        for ($deadline = microtime(true) + $seconds; !$isSo(); usleep(2_000)) {
            if (microtime(true) > $deadline) {
                throw new PhpFailed(\sprintf('waited %g s in vain until %s', $seconds, $what));
            }
        }
    }
}
