<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Timing\Interval;

/** Parts of sentences. */
final class Text
{
    /** @param \Closure(float): string $text */
    public static function range(Interval $interval, \Closure $text): string
    {
        return \sprintf('%s to %s', $text($interval->low), $text($interval->high));
    }

    public static function bytes(int $bytes): string
    {
        return $bytes < 1000 ? "$bytes B" : self::number(round($bytes / 1000, 1)) . ' kB';
    }

    /** "1 row", "2 rows" */
    public static function counted(int $count, string $what): string
    {
        return "$count $what" . ($count === 1 ? '' : 's');
    }

    /** "0:38" */
    public static function minutes(float $seconds): string
    {
        $seconds = (int) round($seconds);

        return \sprintf('%d:%02d', intdiv($seconds, 60), $seconds % 60);
    }

    /** "20", "3.2", "120", "0.051" */
    public static function twoDigits(float $number): string
    {
        return self::digits($number, round(...));
    }

    /** The number rounded down. */
    public static function atLeast(float $number): string
    {
        return self::digits($number, floor(...));
    }

    /** @param \Closure(float): float $whole */
    private static function digits(float $number, \Closure $whole): string
    {
        $unit = $number > 0.0 ? 10 ** (floor(log10($number)) - 1) : 1.0;

        return self::number($whole($number / $unit + 1e-9) * $unit);
    }

    public static function number(float $number): string
    {
        return rtrim(rtrim(number_format($number, 3), '0'), '.');
    }
}
