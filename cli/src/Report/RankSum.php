<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Timing\Interval;

/**
 * The rank sum test of Wilcoxon, Mann and Whitney, exact: whether samples of the one tend to be larger than those of
 * the other.
 *
 * @see https://doi.org/10.1214/aoms/1177730491
 */
final class RankSum
{
    /** More samples are not looked at: the time grows with the third power of their number. */
    public const MOST = 100;

    private const TAIL = 0.025;

    /**
     * @var array<string, non-empty-array<int, float>> chance of at most so many pairs with the first one larger, by
     *         numbers of samples
     */
    private static array $distributions = [];

    /**
     * @param list<float> $a
     * @param list<float> $b
     * @return float how likely samples of the same would differ so much, from 0 to 1
     */
    public static function chance(array $a, array $b): float
    {
        [$a, $b] = [\array_slice($a, 0, self::MOST), \array_slice($b, 0, self::MOST)];
        sort($a);
        sort($b);

        return self::chanceOfSorted($a, $b);
    }

    /**
     * The same, for who compares each of many with each other.
     *
     * @param list<float> $a sorted, at most MOST
     * @param list<float> $b the same
     */
    public static function chanceOfSorted(array $a, array $b): float
    {
        [$m, $n] = [\count($a), \count($b)];
        if ($m === 0 || $n === 0) {
            return 1.0;
        }
        $larger = 0.0; // pairs in which the one of $a is larger; half for equal ones
        $below = $upTo = 0;
        foreach ($a as $x) {
            while ($below < $n && $b[$below] < $x) {
                ++$below;
            }
            while ($upTo < $n && $b[$upTo] <= $x) {
                ++$upTo;
            }
            $larger += ($below + $upTo) / 2;
        }

        return min(1.0, 2 * self::distribution($m, $n)[(int) floor(min($larger, $m * $n - $larger))]);
    }

    /** The least chance that so many samples can give: all of the one are larger. */
    public static function least(int $m, int $n): float
    {
        return $m === 0 || $n === 0
            ? 1.0
            : min(1.0, 2 * self::distribution(min(self::MOST, $m), min(self::MOST, $n))[0]);
    }

    /**
     * How many times as large those of the one are: the median of the ratios of all pairs, after Hodges and Lehmann,
     * and the ratios that this test does not refuse at 5 %.
     *
     * @param non-empty-list<float> $a above zero
     * @param non-empty-list<float> $b above zero
     * @return array{float, Interval|null} no interval for too few samples
     * @see https://doi.org/10.1214/aoms/1177704172
     */
    public static function ratio(array $a, array $b): array
    {
        [$a, $b] = [\array_slice($a, 0, self::MOST), \array_slice($b, 0, self::MOST)];
        $ratios = [];
        foreach ($a as $x) {
            foreach ($b as $y) {
                $ratios[] = $x / $y;
            }
        }
        sort($ratios);
        $count = \count($ratios);
        $median = ($ratios[intdiv($count - 1, 2)] + $ratios[intdiv($count, 2)]) / 2;
        if (min(\count($a), \count($b)) < Interval::FEWEST) {
            return [$median, null];
        }
        $refused = -1; // the most pairs that the test still refuses
        foreach (self::distribution(\count($a), \count($b)) as $pairs => $chance) {
            $refused = $chance <= self::TAIL ? $pairs : $refused;
        }
        $outside = max(0, $refused);

        return [$median, new Interval($ratios[$outside], $ratios[$count - 1 - $outside])];
    }

    /** @return non-empty-array<int, float> */
    private static function distribution(int $m, int $n): array
    {
        return self::$distributions["$m $n"] ??= self::sums(self::ways($m, $n));
    }

    /**
     * @param non-empty-array<int, float> $ways
     * @return non-empty-array<int, float>
     */
    private static function sums(array $ways): array
    {
        $all = array_sum($ways);
        $sum = 0.0;
        foreach ($ways as $pairs => $of) {
            $sum += $of;
            $ways[$pairs] = $sum / $all;
        }

        return $ways;
    }

    /**
     * @return non-empty-array<int, float> in how many orders of m and n samples how many pairs have the first larger
     */
    private static function ways(int $m, int $n): array
    {
        // The coefficients of the Gaussian binomial, as a product of (1 - q^(n+i)) / (1 - q^i).
        $ways = [1.0, ...array_fill(0, $m * $n, 0.0)];
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
