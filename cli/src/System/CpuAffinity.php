<?php

declare(strict_types=1);

namespace Larder\Cli\System;

use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/** The processor cores of this process. */
final class CpuAffinity
{
    /**
     * The cores that this process may use, by number.
     *
     * @return list<int> empty if the system does not report them
     */
    public static function allowed(): array
    {
        $status = (string) @file_get_contents('/proc/self/status');
        if (preg_match('/^Cpus_allowed_list:\s*([0-9,-]+)$/m', $status, $match) !== 1) {
            return [];
        }
        $cores = [];
        foreach (explode(',', $match[1]) as $range) {
            [$first, $last] = [...explode('-', $range), $range];
            array_push($cores, ...range((int) $first, (int) $last));
        }

        return $cores;
    }

    /**
     * Pins this process, and processes that it starts later, to one core: the last that it may use.
     *
     * @return int|null the core; null if pinning is not possible: then nothing has changed
     */
    public static function pin(): ?int
    {
        $cores = self::allowed();
        $core = end($cores);

        return $core !== false && self::set([$core]) ? $core : null;
    }

    /**
     * Pins the processes that a closure starts to one core, the last that this process may use, if that is possible.
     *
     * @template T
     * @param \Closure(): T $start
     * @return T
     */
    public static function pinned(\Closure $start): mixed
    {
        $cores = self::allowed();
        self::pin();

        try {
            return $start();
        } finally {
            self::set($cores);
        }
    }

    /** @param list<int> $cores */
    private static function set(array $cores): bool
    {
        $taskset = (new ExecutableFinder())->find('taskset');

        return $cores !== [] && $taskset !== null
            && (new Process([$taskset, '--cpu-list', '--pid', implode(',', $cores), (string) getmypid()]))->run() === 0;
    }
}
