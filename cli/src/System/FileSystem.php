<?php

declare(strict_types=1);

namespace Larder\Cli\System;

/** The kind of file system at a path: memory or disk. */
final class FileSystem
{
    private const IN_MEMORY = ['tmpfs', 'ramfs', 'devtmpfs'];

    /**
     * @return string a writable directory in memory
     * @throws \RuntimeException when there is none
     */
    public static function tmpfs(): string
    {
        return self::first(['/dev/shm', '/run/user/' . posix_geteuid(), sys_get_temp_dir()], true)
            ?? throw new \RuntimeException('No writable tmpfs was found. To add one: mount -t tmpfs tmpfs /dev/shm');
    }

    /**
     * @return string a writable directory that is not in memory
     * @throws \RuntimeException when there is none
     */
    public static function disk(): string
    {
        return self::first([sys_get_temp_dir(), '/var/tmp', (string) getcwd()], false)
            ?? throw new \RuntimeException(\sprintf(
                'No writable directory on a disk was found: %s is in memory. To name one: TMPDIR=/path',
                sys_get_temp_dir(),
            ));
    }

    /** The type that Linux reports for the mount: "tmpfs", "ext4"; "unknown" on other systems. */
    public static function type(string $directory): string
    {
        $directory = (string) realpath($directory);
        $type = 'unknown';
        $longest = -1;
        foreach (explode("\n", (string) @file_get_contents('/proc/self/mountinfo')) as $line) {
            [$before, $after] = [...explode(' - ', $line, 2), ''];
            // Spaces in paths are written \040.
            $mount = stripcslashes(explode(' ', $before)[4] ?? '');
            $isAbove = $mount === '/' || $directory === $mount || str_starts_with($directory, $mount . '/');
            if ($isAbove && \strlen($mount) >= $longest) {
                $longest = \strlen($mount);
                $type = explode(' ', $after)[0];
            }
        }

        return $type;
    }

    /** @param list<string> $directories */
    private static function first(array $directories, bool $inMemory): ?string
    {
        foreach ($directories as $directory) {
            if (
                is_dir($directory)
                && is_writable($directory)
                && \in_array(self::type($directory), self::IN_MEMORY, true) === $inMemory
            ) {
                return $directory;
            }
        }

        return null;
    }
}
