<?php

declare(strict_types=1);

namespace Larder\Process;

/** The user as whom this process acts (its effective user id). The extension posix is used where it is loaded. */
final class User
{
    /** Without posix the user cannot be changed while PHP runs, so it is found out once. */
    private static ?int $id = null;

    /**
     * @param string $byPosix not to be given: see Larder\Process\Pid
     * @return int|null null where there is no way to find out
     */
    public static function id(string $byPosix = 'posix_geteuid'): ?int
    {
        if (\function_exists($byPosix)) {
            return posix_geteuid();
        }

        return self::$id ??= Quietly::run(static function (): ?int {
            // The kernel gives this folder to the effective user, whatever else it hides of the process.
            $owner = \PHP_OS_FAMILY === 'Linux' ? fileowner('/proc/self') : false;
            $file = $owner === false ? tmpfile() : false;

            return $owner !== false ? $owner : ($file === false ? null : fstat($file)['uid'] ?? null);
        });
    }

    /**
     * @param string $byPosix not to be given
     * @return string for messages and commands: the name, or the number where there is none
     */
    public static function name(?int $id = null, string $byPosix = 'posix_getpwuid'): string
    {
        $id ??= self::id();
        $user = $id !== null && \function_exists($byPosix) ? posix_getpwuid($id) : false;

        return $user === false ? (string) ($id ?? get_current_user()) : $user['name'];
    }
}
