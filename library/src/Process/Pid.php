<?php

declare(strict_types=1);

namespace Larder\Process;

/** The process id. A fork has another one, and must not use its parent's connections and locks. */
final class Pid
{
    private static ?bool $isKnownByEngine = null;

    /**
     * The engine knows the number; to ask the system for it takes longer than all else before a call of Redis.
     *
     * @param string $byEngine not to be given: a function named in the call itself is taken by opcache for always there if
     *        it is when it compiles, and where the same code then runs without the engine (opcache.file_cache,
     *        disable_functions of one FPM pool) the process crashes
     */
    public static function own(string $byEngine = 'larder_pid'): int
    {
        return (self::$isKnownByEngine ??= \function_exists($byEngine)) ? \larder_pid() : (int) getmypid();
    }
}
