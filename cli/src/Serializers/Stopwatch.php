<?php

declare(strict_types=1);

namespace Larder\Cli\Serializers;

use Larder\Cli\Compare\Statistics;

/**
 * Nanoseconds of one call of each of several closures: the medians over rounds of batches that last about a millisecond.
 * A round has a batch of each, so that a machine that changes its clock changes it for all.
 */
final class Stopwatch
{
    private const BATCH_NANOSECONDS = 1_000_000;

    /**
     * @param list<\Closure(): mixed> $works
     * @return list<float>
     */
    public static function nanoseconds(array $works, int $rounds): array
    {
        $times = array_map(
            static fn(\Closure $work): int => max(1, (int) (self::BATCH_NANOSECONDS / max(1.0, min(self::batch($work, 1), self::batch($work, 1))))),
            $works,
        );
        $empty = static fn(): mixed => null;
        $figures = array_map(
            static fn(): array => array_map(static fn(\Closure $work, int $times): float => max(0.1, self::batch($work, $times) - self::batch($empty, $times)), $works, $times),
            range(1, max(1, $rounds)),
        );

        return array_map(
            static fn(int $work): float => Statistics::median(array_map(static fn(array $round): float => $round[$work] ?? 0.0, $figures)),
            array_keys($works),
        );
    }

    /** @param \Closure(): mixed $work */
    private static function batch(\Closure $work, int $times): float
    {
        $start = hrtime(true);
        for ($i = 0; $i < $times; ++$i) {
            $work();
        }

        return (hrtime(true) - $start) / $times;
    }
}
