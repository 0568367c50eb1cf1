<?php

declare(strict_types=1);

namespace Larder\Event;

/** The callback of remember() threw an exception. */
final class ComputationFailed implements Event
{
    /** @param class-string<\Throwable> $exception its class alone: message and trace may have secrets */
    public function __construct(
        public readonly string $key,
        public readonly float $seconds,
        public readonly string $exception,
    ) {}
}
