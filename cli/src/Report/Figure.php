<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Unit;

/** Numbers for readers: three digits and a unit. */
final class Figure
{
    public static function of(Unit $unit, float $figure): string
    {
        return match ($unit) {
            Unit::Nanoseconds => self::duration($figure),
            Unit::Percent => self::threeDigits($figure) . ' %',
            Unit::Count => self::threeDigits($figure),
            Unit::Bytes => number_format($figure) . ' B',
            Unit::RequestsPerSecond, Unit::OperationsPerSecond => number_format($figure) . '/s',
        };
    }

    /** "25.1 ns", "1.23 µs", "123 ms": at most seven characters up to 999 s. */
    public static function duration(float $nanoseconds): string
    {
        foreach (['ns', 'µs', 'ms'] as $unit) {
            if ($nanoseconds < 999.5) {
                return self::threeDigits($nanoseconds) . ' ' . $unit;
            }
            $nanoseconds /= 1000;
        }

        return self::threeDigits($nanoseconds) . ' s';
    }

    /** "1.00", "45.3", "812", "3.8k", "152k": at most five characters up to 999k. */
    public static function ratio(float $ratio): string
    {
        return match (true) {
            $ratio < 999.5 => self::threeDigits($ratio),
            $ratio < 9_950 => \sprintf('%.1fk', $ratio / 1000),
            default => \sprintf('%.0fk', $ratio / 1000),
        };
    }

    /** The width of an interval: "±3%" is half the distance from low to high, divided by the median. */
    public static function spread(float $low, float $median, float $high): string
    {
        $percent = $median > 0.0 ? 50 * ($high - $low) / $median : 0.0;

        return $percent > 99.5 ? '>99%' : \sprintf('±%.0f%%', $percent);
    }

    private static function threeDigits(float $figure): string
    {
        return match (true) {
            $figure < 9.995 => number_format($figure, 2),
            $figure < 99.95 => number_format($figure, 1),
            default => number_format($figure, 0, '', ''),
        };
    }
}
