<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

/** A class that an attacker could use: it acts when an object of it is created, and when it is freed. */
final class Gadget
{
    public static int $ran = 0;

    public function __wakeup(): void
    {
        ++self::$ran;
    }

    public function __destruct()
    {
        ++self::$ran;
    }
}
