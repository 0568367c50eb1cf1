<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Stampede\Barrier;

/** The throughput of several forked processes that run at the same time. */
final class Throughput
{
    /**
     * @param non-empty-list<\Closure(int): int> $works one per process. It receives the number of calls that it made
     *        so far, makes $calls more, and returns how many of these were refused
     * @param int $calls number of calls that a closure makes when it is called once
     * @return non-empty-list<array{float, float}> for each process: calls per second, number of refused calls
     */
    public static function of(array $works, int $calls, float $seconds): array
    {
        $processes = Barrier::before(\count($works), static fn(int $number): \Closure => static function () use ($works, $number, $calls, $seconds): array {
            $made = $refused = 0;
            for ($until = hrtime(true) + (int) (1e9 * $seconds); hrtime(true) < $until; $made += $calls) {
                $refused += $works[$number]($made);
            }

            return [$made, $refused];
        });
        $processes->open();
        $counts = $processes->results(microtime(true) + 60.0);

        return array_map(static fn(int $number): array => [($counts[$number][0] ?? 0.0) / $seconds, $counts[$number][1] ?? 0.0], array_keys($works));
    }
}
