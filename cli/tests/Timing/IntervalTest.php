<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Timing;

use Larder\Cli\Timing\Interval;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class IntervalTest extends TestCase
{
    /** Positions from textbook tables of nonparametric statistics. */
    #[TestWith([6, 1])]
    #[TestWith([7, 1])]
    #[TestWith([8, 1])]
    #[TestWith([9, 2])]
    #[TestWith([10, 2])]
    #[TestWith([12, 3])]
    #[TestWith([17, 5])]
    #[TestWith([20, 6])]
    public function testIntervalLeavesOutAsManySamplesAsItMay(int $count, int $position): void
    {
        $interval = Interval::ofMedian(array_map(floatval(...), range($count, 1)));
        self::assertEquals(new Interval($position, $count + 1 - $position), $interval);
    }

    /** The control: the next narrower pair of samples contains it too rarely. */
    #[TestWith([6, 0.95, 0.99])]
    #[TestWith([7, 0.97, 1.0])]
    #[TestWith([10, 0.96, 0.99])]
    public function testIntervalHoldsTheTrueMedianInAtLeastNinetyFivePercentOfRuns(
        int $count,
        float $least,
        float $most,
    ): void {
        $random = new Randomizer(new Mt19937(2));
        $hits = $narrower = 0;
        for ($run = 0; $run < 2000; ++$run) {
            $samples = [];
            for ($i = 0; $i < $count; ++$i) {
                $samples[] = -log(1 - $random->getInt(0, 999_999_999) * 1e-9);
            }
            $interval = Interval::ofMedian($samples);
            self::assertNotNull($interval);
            $hits += (int) $interval->contains(log(2));
            $inside = array_values(array_filter(
                $samples,
                static fn(float $sample): bool => $sample > $interval->low && $sample < $interval->high,
            ));
            $narrower += $inside !== [] && min($inside) <= log(2) && log(2) <= max($inside) ? 1 : 0;
        }
        self::assertGreaterThan($least * 2000, $hits);
        self::assertLessThanOrEqual($most * 2000, $hits);
        self::assertLessThan(0.95 * 2000, $narrower);
    }

    /** For 10,000 samples, the probability that none is above the median is too small for a float. */
    public function testManySamplesHaveAnInterval(): void
    {
        $interval = Interval::ofMedian(array_map(floatval(...), range(1, 10_000)));
        self::assertEquals(new Interval(4902, 5099), $interval);
    }

    public function testFewSamplesHaveNoInterval(): void
    {
        self::assertNull(Interval::ofMedian([1.0, 2.0, 3.0, 4.0, 5.0]));
        self::assertNull(Interval::ofPairedRatio([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0]));
    }

    public function testIntervalDoesNotDependOnTheOrderOfTheSamples(): void
    {
        self::assertEquals(
            Interval::ofMedian([1.0, 2.0, 3.0, 4.0, 5.0, 9.0]),
            Interval::ofMedian([9.0, 3.0, 1.0, 5.0, 2.0, 4.0]),
        );
    }

    /**
     * A machine that becomes slower affects both figures of a round alike. The control compares figures of different
     * rounds.
     */
    public function testPairedRatioIsNarrowWhenTheMachineDrifts(): void
    {
        $a = $b = [];
        for ($round = 1; $round <= 10; ++$round) {
            $a[] = 100.0 * $round;
            $b[] = 200.0 * $round + $round % 3;
        }
        $paired = Interval::ofPairedRatio($a, $b);
        self::assertNotNull($paired);
        self::assertFalse($paired->contains(0.51));
        self::assertTrue($paired->contains(0.499));
        self::assertTrue(Interval::ofPairedRatio($a, array_reverse($b))?->contains(0.51));
    }

    public function testIntervalsThatTouchOverlap(): void
    {
        self::assertTrue((new Interval(1, 2))->overlaps(new Interval(2, 3)));
        self::assertTrue((new Interval(1, 4))->overlaps(new Interval(2, 3)));
        self::assertFalse((new Interval(1, 2))->overlaps(new Interval(2.1, 3)));
    }
}
