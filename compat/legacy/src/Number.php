<?php

declare(strict_types=1);

namespace Larder\Legacy;

/** The figures of larder_info(). */
final class Number
{
    public static function of(mixed $number): int
    {
        return \is_int($number) || \is_float($number) ? (int) $number : 0;
    }
}
