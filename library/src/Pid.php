<?php

declare(strict_types=1);

namespace Larder;

use function larder_pid;

/** Which process this is: a fork has a number of its own, and must not use its parent's connections and locks. */
final class Pid
{
    public static function own(): int
    {
        // The engine knows the number; to ask the system for it takes longer than all else before a call of Redis.
        return \function_exists('larder_pid') ? larder_pid() : (int) getmypid();
    }
}
