<?php

declare(strict_types=1);

namespace Larder\Dev\Figures;

/**
 * Measures two loops in fine alternation, so that a machine that changes its clock between rounds changes it for both.
 */
final class Pair
{
    /**
     * @param \Closure(int): void $ours does the work so many times
     * @param \Closure(int): void $theirs
     * @param int $batch times of each in a round; the clock is read twice a batch
     * @return non-empty-list<array{float, float}> nanoseconds of one time, less an empty loop
     */
    public static function measure(\Closure $ours, \Closure $theirs, int $batch, int $rounds, ?int $theirBatch = null): array
    {
        $theirBatch ??= $batch;
        $ours($batch);
        $theirs($theirBatch);
        // Who comes first changes with every round.
        return array_map(static function (int $round) use ($ours, $theirs, $batch, $theirBatch): array {
            $empty = self::time(self::empty(), $batch);
            if ($round % 2 === 0) {
                $mine = self::time($ours, $batch);
                $other = self::time($theirs, $theirBatch);
            } else {
                $other = self::time($theirs, $theirBatch);
                $mine = self::time($ours, $batch);
            }

            return [max(0.1, $mine - $empty), max(0.1, $other - $empty)];
        }, range(1, max(1, $rounds)));
    }

    /** @param \Closure(int): void $work */
    private static function time(\Closure $work, int $batch): float
    {
        $start = hrtime(true);
        $work($batch);

        return (hrtime(true) - $start) / $batch;
    }

    /** @return \Closure(int): void a loop around nothing */
    private static function empty(): \Closure
    {
        return static function (int $times): void {
            for ($i = 0; $i < $times; $i++) {
            }
        };
    }
}
