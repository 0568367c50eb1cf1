<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

/**
 * A 95 % confidence interval of a median: from one of the sorted samples to the one as far from the other end, the
 * narrowest such pair that is enough. How many samples lie below the true median is a toss of coins, whatever their
 * distribution, so a pair holds it in at least 95 % of runs by its position alone. Of ten samples it is the second
 * smallest to the second largest (97.9 %), of six to eight the smallest to the largest.
 *
 * @see https://doi.org/10.1214/aoms/1177732502 Thompson, "On Confidence Ranges for the Median and Other Expectation
 *      Distributions for Populations of Unknown Distribution Form"
 */
final class Interval
{
    /** Fewer samples give none: even the whole range of five holds the median in 93.8 % only. */
    public const FEWEST = 6;

    /** How often the median may lie beyond one end. */
    private const TAIL = 0.025;

    public function __construct(public readonly float $low, public readonly float $high) {}

    /** @param list<float> $samples independent: one from each process */
    public static function ofMedian(array $samples): ?self
    {
        $count = \count($samples);
        if ($count < self::FEWEST) {
            return null;
        }
        sort($samples);
        $outside = self::outside($count);
        $inside = \array_slice($samples, $outside, $count - 2 * $outside);

        return $inside === [] ? null : new self($inside[0], end($inside));
    }

    /**
     * Of the median of the ratios in each round: what slowed down both in a round does not widen it.
     *
     * @param list<float> $a above zero, one a round
     * @param list<float> $b of the same rounds
     */
    public static function ofPairedRatio(array $a, array $b): ?self
    {
        return \count($a) === \count($b)
            ? self::ofMedian(array_map(static fn(float $x, float $y): float => $x / $y, $a, $b))
            : null;
    }

    public function overlaps(self $other): bool
    {
        return $this->low <= $other->high && $other->low <= $this->high;
    }

    public function contains(float $figure): bool
    {
        return $this->low <= $figure && $figure <= $this->high;
    }

    /** How many samples at each end the interval may leave outside. */
    private static function outside(int $count): int
    {
        // The logarithm of the chance that so many of $count coins show heads: the chance itself is too small for a
        // float.
        $log = -$count * log(2);
        $beyond = exp($log);
        $heads = 0;
        while ($beyond <= self::TAIL) {
            $log += log(($count - $heads) / ($heads + 1));
            $beyond += exp($log);
            ++$heads;
        }

        return $heads - 1;
    }
}
