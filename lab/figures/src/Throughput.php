<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Stampede\Fork;

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
        $lasting = (int) (1e9 * $seconds);
        $from = hrtime(true) + 5_000_000 + \count($works) * 1_000_000; // all processes have started by then
        $forks = array_map(static fn(\Closure $work): Fork => Fork::start(static function () use ($work, $calls, $from, $lasting): array {
            while (hrtime(true) < $from) {
                usleep(100);
            }
            $made = $refused = 0;
            for ($until = $from + $lasting; hrtime(true) < $until; $made += $calls) {
                $refused += $work($made);
            }

            return [$made, $refused];
        }), $works);
        $end = microtime(true) + 60.0;

        return array_map(static function (Fork $fork) use ($end, $seconds): array {
            [$made, $refused] = [...$fork->result($end), 0.0, 0.0];

            return [$made / $seconds, $refused];
        }, $forks);
    }
}
