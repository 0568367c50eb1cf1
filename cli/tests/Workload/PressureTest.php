<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Workload\Pressure;
use Larder\Cli\Workload\PressureTask;
use Larder\Cli\Workload\TaskBlock;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;

final class PressureTest extends TaskTestCase
{
    public function testDataThatFitsIsAlwaysHit(): void
    {
        self::assertSame([100.0, 0.0, 0.0], self::figures($this->measure($this->files(), 0.5)));
    }

    public function testDataThatDoesNotFitIsEvicted(): void
    {
        [$hits, $refused] = self::figures($this->measure($this->files('?max_size=1100000'), 4.0));
        self::assertGreaterThan(20.0, $hits);
        self::assertLessThan(95.0, $hits);
        self::assertSame(0.0, $refused);
    }

    public function testLossesAndRefusalsAreTold(): void
    {
        $figures = self::figures($this->measure(PickyStore::class, 0.5));
        self::assertLessThan(100.0, $figures[0]);
        self::assertGreaterThan(0.0, $figures[1]);
        self::assertGreaterThan(0.0, $figures[2]);
    }

    public function testWrongValuesLeaveNoFigure(): void
    {
        foreach ($this->measure(MixingStore::class, 0.5) as $sample) {
            self::assertNull($sample->figure);
            self::assertStringStartsWith('gives wrong values', $sample->problem);
        }
    }

    /** The limits of Size take effect: twice the memory does not fit. */
    #[RequiresPhpExtension('apcu')]
    public function testStoresHaveTheSizeAskedFor(): void
    {
        $locations = new StoreLocations();
        $reasons = [];
        foreach ((new Pressure($locations, ['apcu', 'redis', 'memcached', 'sqlite'], 8, 500))->blocks(
            static function () use (&$reasons): void {
                $reasons[] = \func_get_args();
            },
        ) as $block) {
            foreach (self::samples($block) as $sample) {
                if (
                    $sample->subject->operation === Pressure::HITS
                    && $sample->subject->settings['data'] === '2x the memory'
                ) {
                    self::assertNotNull($sample->figure, $sample->problem);
                    self::assertLessThan(100.0, $sample->figure, $sample->subject->store);
                }
            }
        }
        self::assertSame([], $reasons);
    }

    /** @return list<Sample> */
    private function measure(string $address, float $ratio): array
    {
        return self::samples(new TaskBlock(new PressureTask('tested', null, $address, 1 << 20, [$ratio], 300, 1_000)));
    }

    /**
     * @param list<Sample> $samples
     * @return list<float|null>
     */
    private static function figures(array $samples): array
    {
        return array_map(static fn(Sample $sample): ?float => $sample->figure, $samples);
    }
}
