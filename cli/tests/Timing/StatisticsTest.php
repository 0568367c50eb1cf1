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

    public function testDriftIsOfTheLastThirdToTheFirst(): void
    {
        self::assertSame(2.0, Statistics::drift([1.0, 1.0, 9.0, 9.0, 2.0, 2.0]));
        self::assertSame(1.0, Statistics::drift([5.0]));
    }

    public function testStandardDeviationIsOfTheMean(): void
    {
        self::assertSame(5.0, Statistics::mean([2, 4, 4, 4, 5, 5, 7, 9]));
        self::assertEqualsWithDelta(
            sqrt(32 / 7),
            (float) Statistics::standardDeviation([2, 4, 4, 4, 5, 5, 7, 9]),
            1e-12,
        );
        self::assertNull(Statistics::standardDeviation([2]));
    }
}
