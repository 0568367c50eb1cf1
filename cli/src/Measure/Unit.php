<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/** The unit of a figure. */
enum Unit: string
{
    case Nanoseconds = 'ns';
    case RequestsPerSecond = 'requests/s';
    case OperationsPerSecond = 'operations/s';
    case Bytes = 'bytes';
    case Percent = '%';
    case Count = 'count';

    /** True if the larger figure is better. */
    public function higherIsBetter(): bool
    {
        return match ($this) {
            self::RequestsPerSecond, self::OperationsPerSecond, self::Percent => true,
            self::Nanoseconds, self::Bytes, self::Count => false,
        };
    }
}
