<?php

declare(strict_types=1);

namespace Larder\Process;

use Larder\Internal\Process\Warnings;

/** The process id. A fork has another one, and must not use its parent's connections and locks. */
final class Pid
{
    private static ?bool $isKnownByEngine = null;
    private static ?bool $isKnownByPhp = null;

    /**
     * The engine knows the number; asking the system takes longer than everything else before a call of Redis.
     *
     * @param string $byEngine never passed. For a literal, PHP's optimizer computes function_exists() and
     *        extension_loaded() at compile time. But compiled code may run where the function is missing: opcache's
     *        file cache does not depend on the loaded extensions, and FPM's pools share opcache, but not
     *        disable_functions. The call is then a crash rather than an Error, because INIT_FCALL does not check that
     *        the function is in the table. So Larder never asks about a literal: a parameter's default is read at run
     *        time.
     * @param string $byPhp never passed: hosts disable this function
     */
    public static function own(string $byEngine = 'larder_pid', string $byPhp = 'getmypid'): int
    {
        if (self::$isKnownByEngine ??= \function_exists($byEngine)) {
            return \larder_pid();
        }

        return (self::$isKnownByPhp ??= \function_exists($byPhp)) ? (int) getmypid() : self::bySystem();
    }

    /**
     * @param string $byPosix never passed
     * @return int 0 if there is no way to find out: a fork is not noticed then
     */
    private static function bySystem(string $byPosix = 'posix_getpid'): int
    {
        if (\function_exists($byPosix)) {
            return posix_getpid();
        }
        clearstatcache(true, '/proc/self'); // a fork inherits PHP's cache of links
        clearstatcache(true, '/proc/self/stat');

        return (int) Warnings::suppress(static fn(): string|false => file_get_contents('/proc/self/stat'));
    }
}
