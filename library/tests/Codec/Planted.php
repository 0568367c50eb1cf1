<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

/** A class that an attacker could use: it acts when an object of it is created. */
final class Planted
{
    public static int $made = 0;

    public function __wakeup(): void
    {
        ++self::$made;
    }
}
