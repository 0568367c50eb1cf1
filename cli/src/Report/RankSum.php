<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/**
 * The rank sum test of Wilcoxon, Mann and Whitney, exact: whether samples of the one tend to be larger than those of the other.
 *
 * @see https://doi.org/10.1214/aoms/1177730491
 */
final class RankSum
{
    /** More samples are not looked at: the time grows with the third power of their number. */
    private const MOST = 100;

    /**
     * @param list<float> $a
     * @param list<float> $b
     * @return float how likely samples of the same would differ so much, from 0 to 1
     */
    public static function chance(array $a, array $b): float
    {
        [$a, $b] = [\array_slice($a, 0, self::MOST), \array_slice($b, 0, self::MOST)];
        [$m, $n] = [\count($a), \count($b)];
        if ($m === 0 || $n === 0) {
            return 1.0;
        }
        $larger = 0.0; // pairs in which the one of $a is larger; half for equal ones
        foreach ($a as $x) {
            foreach ($b as $y) {
                $larger += ($x <=> $y) / 2 + 0.5;
            }
        }
        $tail = (int) floor(min($larger, $m * $n - $larger));
        $ways = self::ways($m, $n);

        return min(1.0, 2 * array_sum(\array_slice($ways, 0, $tail + 1)) / array_sum($ways));
    }

    /** @return array<int, float> in how many orders of m and n samples how many pairs have the first larger */
    private static function ways(int $m, int $n): array
    {
        // The coefficients of the Gaussian binomial, as a product of (1 - q^(n+i)) / (1 - q^i).
        $ways = array_fill(0, $m * $n + 1, 0.0);
        $ways[0] = 1.0;
        for ($i = 1; $i <= $m; ++$i) {
            for ($j = $m * $n; $j >= $n + $i; --$j) {
                $ways[$j] -= $ways[$j - $n - $i];
            }
            for ($j = $i; $j <= $m * $n; ++$j) {
                $ways[$j] += $ways[$j - $i];
            }
        }

        return $ways;
    }
}
