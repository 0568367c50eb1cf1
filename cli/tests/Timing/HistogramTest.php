<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Timing;

use Larder\Cli\Timing\Histogram;
use PHPUnit\Framework\TestCase;

final class HistogramTest extends TestCase
{
    public function testPercentilesAreAtMostAPercentTooHigh(): void
    {
        mt_srand(7);
        $durations = [];
        $histogram = Histogram::empty();
        for ($i = 0; $i < 20_000; ++$i) {
            $durations[] = $duration = (int) exp(mt_rand() / mt_getrandmax() * 30);
            $histogram->record($duration);
        }
        sort($durations);
        foreach ([1, 50, 90, 99, 99.9, 100] as $percent) {
            $right = $durations[(int) ceil(20_000 * $percent / 100) - 1];
            self::assertGreaterThanOrEqual($right, $histogram->percentile($percent));
            self::assertLessThanOrEqual($right * 1.008, $histogram->percentile($percent));
        }
        self::assertSame(end($durations), $histogram->maximum());
    }

    public function testEachNumberIsInItsBin(): void
    {
        foreach ([0, 1, 127, 128, 255, 256, 257, 511, 512, 1_000_003, 1 << 40] as $nanoseconds) {
            $histogram = Histogram::empty();
            $histogram->record($nanoseconds);
            $histogram->record(\PHP_INT_MAX >> 1); // so that the maximum does not limit the bin
            self::assertGreaterThanOrEqual($nanoseconds, $histogram->percentile(50));
            self::assertLessThanOrEqual((int) ($nanoseconds * 1.008), $histogram->percentile(50));
        }
    }

    public function testMergedRecordersAreOneOfAllOperations(): void
    {
        [$fast, $slow, $all] = [Histogram::empty(), Histogram::empty(), Histogram::empty()];
        for ($i = 1; $i <= 990; ++$i) {
            $fast->record($i);
            $all->record($i);
        }
        for ($i = 1; $i <= 10; ++$i) {
            $slow->record(1_000_000 * $i);
            $all->record(1_000_000 * $i);
        }
        $fast->merge(Histogram::fromArray($slow->toArray()));
        self::assertSame($all->toArray(), $fast->toArray());
        self::assertSame(1_000, $fast->count());
        self::assertLessThan(1_000, $fast->percentile(99));
        self::assertGreaterThan(1_000_000, $fast->percentile(99.5));
    }

    public function testNothingRecordedIsZero(): void
    {
        self::assertSame(0, Histogram::empty()->percentile(50));
    }
}
