<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

/** A class as an attacker would like it: it acts when an object of it is made, and when that is freed. */
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
