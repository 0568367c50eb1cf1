<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Timing\Interval;

/**
 * The exact rank sum test of Wilcoxon, Mann and Whitney: tests whether one set of samples tends to be larger than
 * another.
 *
 * @see https://doi.org/10.1214/aoms/1177730491
 */
final class RankSum
{
    /** Further samples are ignored: the time grows with the third power of their number. */
    public const MOST = 100;

    private const TAIL = 0.025;

    /**
     * @var array<string, non-empty-array<int, float>> probability of at most this many pairs with the first sample
     *         larger, by numbers of samples
     */
    private static array $distributions = [];

    /**
     * @param list<float> $a
     * @param list<float> $b
     * @return float probability of at least this difference if both had the same distribution, from 0 to 1
     */
    public static function chance(array $a, array $b): float
    {
        [$a, $b] = [\array_slice($a, 0, self::MOST), \array_slice($b, 0, self::MOST)];
        sort($a);
        sort($b);

        return self::chanceOfSorted($a, $b);
    }

    /**
     * The same for sorted samples, for callers that compare many rows with each other.
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
        $larger = 0.0; // pairs in which the sample of $a is larger; half a pair if they are equal
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

    /** The smallest probability for these numbers of samples: all of one set are larger. */
    public static function least(int $m, int $n): float
    {
        return $m === 0 || $n === 0
            ? 1.0
            : min(1.0, 2 * self::distribution(min(self::MOST, $m), min(self::MOST, $n))[0]);
    }

    /**
     * How many times larger the samples of $a are: the median of the ratios of all pairs, after Hodges and Lehmann. The
     * interval holds the ratios that this test does not reject at 5 %.
     *
     * @param non-empty-list<float> $a above zero
     * @param non-empty-list<float> $b above zero
     * @return array{float, Interval|null} the interval is null for too few samples
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
        $refused = -1; // most pairs that the test still rejects
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
     * @return non-empty-array<int, float> by number of pairs with the first sample larger: the number of orders of m
     *         and n samples that have it
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
