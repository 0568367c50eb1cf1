<?php

declare(strict_types=1);

namespace Larder\Testing;

use Psr\Clock\ClockInterface;

/** A clock that only moves when it is set. */
final class SetClock implements ClockInterface
{
    public function __construct(private \DateTimeImmutable $now) {}

    public function now(): \DateTimeImmutable
    {
        return $this->now;
    }

    public function move(float $seconds): void
    {
        $interval = new \DateInterval(\sprintf('PT%dS', $seconds));
        $interval->f = fmod($seconds, 1.0);
        $this->now = $this->now->add($interval);
    }
}
