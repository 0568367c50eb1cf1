<?php

declare(strict_types=1);

namespace Larder\Internal\Process;

/** The effective user of this process, by the extension posix if it is loaded. */
final class User
{
    /** Without posix, PHP cannot change the user, so it is found only once. */
    private static ?int $id = null;

    /**
     * @param string $byPosix never passed: see Larder\Process\Pid
     * @return int|null null if there is no way to find out
     */
    public static function id(string $byPosix = 'posix_geteuid'): ?int
    {
        if (\function_exists($byPosix)) {
            return posix_geteuid();
        }

        return self::$id ??= self::bySystem();
    }

    private static function bySystem(): ?int
    {
        $look = static function (): ?int {
            // The kernel gives this folder to the effective user, even if it hides the rest of the process.
            $owner = \PHP_OS_FAMILY === 'Linux' ? fileowner('/proc/self') : false;
            $file = $owner === false ? tmpfile() : false;

            return $owner !== false ? $owner : ($file === false ? null : fstat($file)['uid'] ?? null);
        };

        try {
            return Warnings::suppress($look);
        } catch (\Error) {
            return null; // the host disables a function for this
        }
    }

    /**
     * @param string $byPosix never passed
     * @return string for messages and commands: the name, or the number if there is none; "?" if nothing is known
     */
    public static function name(?int $id = null, string $byPosix = 'posix_getpwuid'): string
    {
        $id ??= self::id();
        $user = $id !== null && \function_exists($byPosix) ? posix_getpwuid($id) : false;

        return $user === false ? (string) ($id ?? '?') : $user['name'];
    }
}
