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

    public static function number(float $number): string
    {
        return rtrim(rtrim(number_format($number, 3), '0'), '.');
    }
}
