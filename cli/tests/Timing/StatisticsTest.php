<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Timing;

use Larder\Cli\Timing\Statistics;
use PHPUnit\Framework\TestCase;

final class StatisticsTest extends TestCase
{
    public function testMedianIsTheMiddleOne(): void
    {
        self::assertSame(3.0, Statistics::median([9, 1, 3]));
    }

    public function testMedianOfAnEvenNumberLiesBetweenTheMiddleTwo(): void
    {
        self::assertSame(2.5, Statistics::median([100, 3, 2, -5]));
    }

    public function testOutlierDoesNotMoveTheMedian(): void
    {
        self::assertSame(Statistics::median([10, 11, 12]), Statistics::median([10, 11, 1e9]));
    }

    public function testGeometricMeanOfOppositeRatiosIsOne(): void
    {
        self::assertEqualsWithDelta(1.0, Statistics::geometricMean([2.0, 0.5]), 1e-12);
        self::assertEqualsWithDelta(10.0, Statistics::geometricMean([1.0, 10.0, 100.0]), 1e-9);
    }
}
