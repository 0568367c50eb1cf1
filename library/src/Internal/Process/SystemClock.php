<?php

declare(strict_types=1);

namespace Larder\Internal\Process;

use Psr\Clock\ClockInterface;

/** The clock of the machine, in UTC: a day has 24 hours. */
final class SystemClock implements ClockInterface
{
    public function now(): \DateTimeImmutable
    {
        return new \DateTimeImmutable('now', new \DateTimeZone('UTC'));
    }
}
