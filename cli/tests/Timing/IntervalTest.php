<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Timing;

use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class IntervalTest extends TestCase
{
    /** Beside the plain bootstrap, with random draws. */
    public function testIntervalOfMedianIsTheBootstrapsForOddAndEvenNumbersOfSamples(): void
    {
        $random = new Randomizer(new Mt19937(1));
        foreach ([9, 10, 13, 20] as $count) {
            $samples = array_map(static fn(int $i): float => 100.0 + $i ** 2, range(1, $count));
            $medians = [];
            for ($draw = 0; $draw < 20_000; ++$draw) {
                $medians[] = Statistics::median(array_map(static fn(): float => $samples[$random->getInt(0, $count - 1)], $samples));
            }
            sort($medians);
            $interval = Interval::ofMedian($samples);
            self::assertNotNull($interval);
            // The distribution has steps: the draws' percentiles are those of a probability 0.4 % to each side.
            self::assertGreaterThanOrEqual($medians[420], $interval->low);
            self::assertLessThanOrEqual($medians[580], $interval->low);
            self::assertGreaterThanOrEqual($medians[19_420], $interval->high);
            self::assertLessThanOrEqual($medians[19_580], $interval->high);
        }
    }

    public function testIntervalHoldsTheTrueMedianInAboutNinetyFivePercentOfRuns(): void
    {
        $random = new Randomizer(new Mt19937(2));
        $hits = 0;
        for ($run = 0; $run < 1000; ++$run) {
            $samples = array_map(static fn(): float => -log(1 - $random->getInt(0, 999_999_999) * 1e-9), range(1, 10));
            $hits += (int) Interval::ofMedian($samples)?->contains(log(2));
        }
        self::assertGreaterThan(920, $hits);
        self::assertLessThan(970, $hits);
    }

    public function testFewSamplesHaveNoInterval(): void
    {
        self::assertNull(Interval::ofMedian([1.0, 2.0, 3.0, 4.0, 5.0]));
        self::assertNull(Interval::ofRatio([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0]));
        self::assertNull(Interval::ofPairedRatio([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0]));
    }

    public function testIntervalDoesNotDependOnTheOrderOfTheSamples(): void
    {
        self::assertEquals(Interval::ofMedian([1.0, 2.0, 3.0, 4.0, 5.0, 9.0]), Interval::ofMedian([9.0, 3.0, 1.0, 5.0, 2.0, 4.0]));
    }

    /** A machine that becomes slower changes both of a round alike. */
    public function testPairedRatioIsNarrowerWhenTheMachineDrifts(): void
    {
        $a = $b = [];
        for ($round = 1; $round <= 10; ++$round) {
            $a[] = 100.0 * $round;
            $b[] = 200.0 * $round + $round % 3;
        }
        $apart = Interval::ofRatio($a, $b);
        $paired = Interval::ofPairedRatio($a, $b);
        self::assertNotNull($apart);
        self::assertNotNull($paired);
        self::assertTrue($apart->contains(1.0), 'apart, the drift hides the difference');
        self::assertFalse($paired->contains(0.51));
        self::assertTrue($paired->contains(0.499));
    }

    public function testIntervalsThatTouchOverlap(): void
    {
        self::assertTrue((new Interval(1, 2))->overlaps(new Interval(2, 3)));
        self::assertTrue((new Interval(1, 4))->overlaps(new Interval(2, 3)));
        self::assertFalse((new Interval(1, 2))->overlaps(new Interval(2.1, 3)));
    }
}
