<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

final class Statistics
{
    /** @param non-empty-list<int|float> $figures */
    public static function median(array $figures): float
    {
        sort($figures);
        $count = \count($figures);
        $middle = intdiv($count, 2);

        return $count % 2 === 1 ? (float) $figures[$middle] : ($figures[$middle - 1] + $figures[$middle]) / 2;
    }

    /**
     * The mean of ratios: 2 and 0.5 make 1.
     *
     * @param non-empty-list<float> $figures each above zero
     */
    public static function geometricMean(array $figures): float
    {
        return exp(array_sum(array_map(log(...), $figures)) / \count($figures));
    }
}
