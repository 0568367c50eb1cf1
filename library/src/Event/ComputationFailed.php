<?php

declare(strict_types=1);

namespace Larder\Event;

/** The callback of remember() has thrown. */
final class ComputationFailed implements Event
{
    /** @param class-string<\Throwable> $exception its class alone: message and trace may hold what is secret */
    public function __construct(public readonly string $key, public readonly float $seconds, public readonly string $exception) {}
}
