<?php

declare(strict_types=1);

namespace Larder\Driver\Common;

/** Adding without losing precision. */
final class Counter
{
    /** @return int|false false when the value is no integer, or the sum would leave the range of int */
    public static function sum(mixed $value, int $step): int|false
    {
        if (!\is_int($value) || ($step > 0 ? $value > \PHP_INT_MAX - $step : $value < \PHP_INT_MIN - $step)) {
            return false;
        }

        return $value + $step;
    }
}
