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

    /** @param non-empty-list<int|float> $figures */
    public static function mean(array $figures): float
    {
        return array_sum($figures) / \count($figures);
    }

    /**
     * The sample standard deviation, as an estimate for the population.
     *
     * @param list<int|float> $figures
     * @return float|null null for fewer than two
     */
    public static function standardDeviation(array $figures): ?float
    {
        if (\count($figures) < 2) {
            return null;
        }
        $mean = self::mean($figures);

        return sqrt(array_sum(array_map(
            static fn(int|float $figure): float => ($figure - $mean) ** 2,
            $figures,
        )) / (\count($figures) - 1));
    }

    /**
     * The change of figures that were taken one after the other: the median of the last third, divided by that of the
     * first third.
     *
     * @param non-empty-list<float> $figures above zero
     */
    public static function drift(array $figures): float
    {
        $third = max(1, intdiv(\count($figures), 3));

        [$first, $last] = [\array_slice($figures, 0, $third), \array_slice($figures, -$third)];

        return $last === [] ? 1.0 : self::median($last) / self::median($first);
    }
}
