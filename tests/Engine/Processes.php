<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** The kernel's data on running processes. */
final class Processes
{
    /** @return list<int> */
    public static function childrenOf(int $pid): array
    {
        preg_match_all('/\d+/', (string) @file_get_contents("/proc/$pid/task/$pid/children"), $children);

        return array_map(intval(...), $children[0]);
    }

    public static function lives(int $pid): bool
    {
        $status = @file_get_contents("/proc/$pid/stat");

        return $status !== false && !str_contains($status, ') Z ');
    }

    /**
     * Mappings and descriptors of a process on files whose path contains the word.
     *
     * @return list<string>
     */
    public static function holds(int $pid, string $word): array
    {
        $maps = file("/proc/$pid/maps", \FILE_IGNORE_NEW_LINES);
        $descriptors = glob("/proc/$pid/fd/*");
        if ($maps === false || $maps === [] || $descriptors === false || $descriptors === []) {
            throw new \RuntimeException("process $pid does not show what it holds");
        }
        $paths = [...$maps, ...array_map(static fn(string $link): string => (string) @readlink($link), $descriptors)];

        return array_values(array_filter($paths, static fn(string $path): bool => str_contains($path, $word)));
    }

    /** Sends a signal, and waits until the process has ended. */
    public static function kill(int $pid, int $signal = \SIGKILL): void
    {
        posix_kill($pid, $signal);
        Wait::until(static fn(): bool => !self::lives($pid), "process $pid has ended");
    }

    /**
     * Kills workers of FPM, but no other process that has got the id of one.
     *
     * @param list<int> $pids
     */
    public static function killWorkers(array $pids): void
    {
        foreach ($pids as $pid) {
            if (str_starts_with((string) @file_get_contents("/proc/$pid/cmdline"), 'php-fpm: pool')) {
                self::kill($pid);
            }
        }
    }
}
