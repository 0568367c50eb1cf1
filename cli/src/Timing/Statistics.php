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

    /**
     * Whether two differ beyond the noise: without the lowest and the highest quarter of its rounds, neither overlaps the
     * other. (Of seven rounds of the same, 3 % do.) Fewer than three rounds do not show their noise.
     *
     * @param list<float> $a a figure a round
     * @param list<float> $b
     */
    public static function differ(array $a, array $b): bool
    {
        if (min(\count($a), \count($b)) < 3) {
            return false;
        }
        [$lowA, $highA] = self::middle($a);
        [$lowB, $highB] = self::middle($b);

        return $highA < $lowB || $highB < $lowA;
    }

    /**
     * @param list<float> $figures
     * @return array{float, float}
     */
    private static function middle(array $figures): array
    {
        sort($figures);
        $quarter = intdiv(\count($figures), 4);

        return [$figures[$quarter] ?? 0.0, $figures[\count($figures) - 1 - $quarter] ?? 0.0];
    }
}
