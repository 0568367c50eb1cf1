<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

final class Wait
{
    /**
     * Waits until the condition holds. The limit is one that a busy machine, which stalls now and then, does not reach.
     *
     * @param \Closure(): bool $isSo
     * @throws PhpFailed when the time is over
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
