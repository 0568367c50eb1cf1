<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

/**
 * A 95 % confidence interval of a median: from one of the sorted samples to the sample equally far from the other end.
 * It is the narrowest such pair that suffices. Each sample is below the true median with probability one half, for any
 * distribution, so the position of the pair alone decides. For ten samples, it is the second smallest to the second
 * largest (97.9 %), for six to eight the smallest to the largest.
 *
 * @see https://doi.org/10.1214/aoms/1177732502 Thompson, "On Confidence Ranges for the Median and Other Expectation
 *      Distributions for Populations of Unknown Distribution Form"
 */
final class Interval
{
    /** Fewer samples give no interval: even the range of five contains the median in only 93.8 %. */
    public const FEWEST = 6;

    /** Largest probability that the median is beyond one end. */
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
     * Of the median of the ratios in each round: a slow phase that affected both in a round does not widen it.
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

    /** Number of samples at each end that are outside of the interval. */
    private static function outside(int $count): int
    {
        // Logarithm of the probability that this many of $count coins show heads. The probability itself is too small
        // for a float.
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
