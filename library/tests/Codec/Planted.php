<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

/** A class as an attacker would like it: it acts when an object of it is made. */
final class Planted
{
    public static int $made = 0;

    public function __wakeup(): void
    {
        ++self::$made;
    }
}
