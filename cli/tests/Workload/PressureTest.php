<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\System\Php;
use Larder\Cli\Workload\MixedValue;
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

    public function testMixedValuesAreComparedAsWell(): void
    {
        $task = static fn(string $address): TaskBlock => new TaskBlock(
            new PressureTask('tested', null, $address, 1 << 20, [0.5], 300, 1_000, ['form' => 'tested']),
        );
        $samples = self::samples($task($this->files()));
        self::assertSame([100.0, 0.0, 0.0], self::figures($samples));
        self::assertSame('pressure: hit rate, mixed values', $samples[0]->subject->table);
        self::assertSame(
            ['data' => "0.5x the memory in PHP's form", 'form' => 'tested'],
            $samples[0]->subject->settings,
        );
        self::assertStringStartsWith('gives wrong values', self::samples($task(MixingStore::class))[0]->problem);
    }

    /** In PHP's own form fewer fit. */
    #[RequiresPhpExtension('apcu')]
    #[RequiresPhpExtension('igbinary')]
    #[RequiresPhpExtension('larder')]
    public function testStoresKeepMoreMixedValuesInShorterForms(): void
    {
        $engine = getenv(Php::ENGINE_VARIABLE);
        putenv(Php::ENGINE_VARIABLE . '=' . \dirname(__DIR__, 3) . '/extension/modules/larder.so');
        $locations = new StoreLocations();
        $hits = [];

        try {
            foreach ((new Pressure($locations, ['larder', 'apcu', 'redis'], 8, 500))->blocks(
                static fn(Subject $subject, string $reason) => self::fail($reason),
            ) as $block) {
                if (!str_ends_with($block->subjects()[0]->table, 'mixed values')) {
                    continue;
                }
                foreach (self::samples($block) as $sample) {
                    if ($sample->subject->settings['data'] === "4x the memory in PHP's form") {
                        self::assertNotNull($sample->figure, $sample->problem);
                        $settings = array_diff_key($sample->subject->settings, ['data' => '']);
                        $hits[$sample->subject->store . ' ' . implode($settings)][$sample->subject->operation]
                            = $sample->figure;
                    }
                }
            }
        } finally {
            putenv(Php::ENGINE_VARIABLE . ($engine === false ? '' : '=' . $engine));
        }
        self::assertCount(5, $hits);
        self::assertSame([0.0], array_values(array_unique(array_column($hits, Pressure::REFUSED))));
        $hits = array_map(static fn(array $figures): float => $figures[Pressure::HITS], $hits);
        self::assertGreaterThan($hits["larder PHP's own"] + 5, $hits['larder compact']);
        self::assertGreaterThan($hits['apcu php'], $hits['apcu igbinary']);
        self::assertGreaterThan(50.0, $hits['redis igbinary']);
    }

    /** What BYTES says is how much data there is for the memory. */
    #[RequiresPhpExtension('larder')]
    public function testMixedValuesHaveTheMeanSizeThatIsTold(): void
    {
        $sum = 0;
        $count = MixedValue::KINDS * MixedValue::SIZES;
        for ($number = 0; $number < $count; ++$number) {
            self::assertTrue(larder_store('mixed value', MixedValue::number($number)));
            $size = larder_key_info('mixed value')['size'] ?? null;
            self::assertIsInt($size);
            $sum += $size;
            self::assertNotEquals(MixedValue::number($number), MixedValue::number($number + $count));
        }
        larder_delete('mixed value');
        self::assertEqualsWithDelta(MixedValue::BYTES, $sum / $count, 100);
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
                    $sample->subject->table === 'pressure: hit rate'
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
