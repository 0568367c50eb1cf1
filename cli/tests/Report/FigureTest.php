<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Report\Figure;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class FigureTest extends TestCase
{
    #[TestWith([0.0, '0.00 ns'])]
    #[TestWith([18.349, '18.3 ns'])]
    #[TestWith([999.4, '999 ns'])]
    #[TestWith([999.6, '1.00 µs'])]
    #[TestWith([99_960.0, '100 µs'])]
    #[TestWith([39_982_000.0, '40.0 ms'])]
    #[TestWith([2.5e9, '2.50 s'])]
    public function testDurationHasThreeDigitsAndAUnit(float $nanoseconds, string $expected): void
    {
        self::assertSame($expected, Figure::duration($nanoseconds));
    }

    #[TestWith([1.0, '1.00'])]
    #[TestWith([45.34, '45.3'])]
    #[TestWith([999.6, '1.0k'])]
    #[TestWith([9_960.0, '10k'])]
    #[TestWith([152_345.0, '152k'])]
    public function testRatioFitsItsColumn(float $ratio, string $expected): void
    {
        self::assertSame($expected, Figure::ratio($ratio));
    }

    public function testSpreadIsHalfTheRange(): void
    {
        self::assertSame('±10%', Figure::spread(95.0, 100.0, 115.0));
        self::assertSame('>99%', Figure::spread(10.0, 100.0, 1000.0));
        self::assertSame('±0%', Figure::spread(0.0, 0.0, 0.0));
    }
}
