<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Workload\Keys;
use Larder\Cli\Workload\Latency;
use Larder\Cli\Workload\LatencyTask;
use Larder\Cli\Workload\Task;
use Larder\Cli\Workload\TaskBlock;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;

final class LatencyTest extends TaskTestCase
{
    public function testEachMixHasLatenciesAndThroughput(): void
    {
        $samples = self::samples(
            new TaskBlock(self::task($this->files(), [[100, Keys::Zipf, 1], [50, Keys::Uniform, 2]])),
        );
        self::assertSame(
            ['get', Latency::BOTH, 'get', 'set', Latency::BOTH, Latency::LOST],
            array_map(static fn(Sample $sample): string => $sample->subject->operation, $samples),
        );
        foreach ($samples as $sample) {
            self::assertSame([0, ''], [$sample->failures, $sample->problem]);
            $operation = $sample->subject->operation;
            if ($operation === Latency::LOST) {
                self::assertSame(0.0, $sample->figure);
            } else {
                self::assertGreaterThan(0, $sample->figure);
            }
            if (\in_array($operation, ['get', 'set'], true)) {
                self::assertNotNull($sample->histogram);
                self::assertSame((float) $sample->histogram->percentile(50), $sample->figure);
            }
        }
        self::assertSame(['mix' => '50:50', 'keys' => 'uniform', 'processes' => '2'], $samples[2]->subject->settings);
    }

    public function testLostValuesStandBesideTheFigure(): void
    {
        [$get, $both, $lost] = self::samples(new TaskBlock(self::task(ForgetfulStore::class, [[100, Keys::Zipf, 2]])));
        self::assertNotNull($get->figure);
        self::assertNotNull($both->figure);
        self::assertEqualsWithDelta(100_000, $lost->figure, 5_000);
    }

    public function testWrongValuesLeaveNoFigure(): void
    {
        foreach (self::samples(new TaskBlock(self::task(MixingStore::class, [[90, Keys::Zipf, 1]]))) as $sample) {
            self::assertNull($sample->figure);
            self::assertMatchesRegularExpression('/^gives wrong values$/', $sample->problem);
        }
    }

    public function testRareSlowOperationsAreSeenInHighPercentilesOnly(): void
    {
        // Tries again if the machine stood still so long that there were few operations.
        $tries = 0;
        do {
            [$get] = self::samples(new TaskBlock(self::task(HiccupStore::class, [[100, Keys::Zipf, 1]], 200)));
        } while ($get->histogram?->count() < 200 && ++$tries < 20);
        self::assertNotNull($get->histogram);
        self::assertGreaterThanOrEqual(20_000_000, $get->histogram->percentile(99));
        self::assertLessThan(20_000_000, $get->histogram->percentile(90));
    }

    public function testStoreThatCannotBeOpenedIsNamedWithItsReason(): void
    {
        $this->expectException(Unavailable::class);
        $this->expectExceptionMessage('/proc/nowhere');
        (new TaskBlock(self::task('file:///proc/nowhere', [[100, Keys::Zipf, 1]])))->run(static function (): void {});
    }

    public function testStoreThatEndsTheProcessFailsEachSubject(): void
    {
        $samples = self::samples(new TaskBlock(self::task(ExitingStore::class, [[100, Keys::Zipf, 1]])));
        self::assertCount(3, $samples);
        foreach ($samples as $sample) {
            self::assertNull($sample->figure);
            self::assertStringContainsString('a process failed', $sample->problem);
        }
    }

    /** All processes of a block share APCu's memory, like the workers of FPM. */
    #[RequiresPhpExtension('apcu')]
    public function testProcessesShareMemoryOfApcu(): void
    {
        $locations = new StoreLocations();
        $blocks = (new Latency($locations, ['apcu'], 2))->blocks(static function (): void {});
        self::assertCount(1, $blocks);
        foreach (self::samples($blocks[0]) as $sample) {
            self::assertSame([0, ''], [$sample->failures, $sample->problem]);
        }
    }

    /** @param list<array{int, Keys, int}> $mixes */
    private static function task(string $address, array $mixes, int $milliseconds = 100): Task
    {
        return new LatencyTask('tested', null, $address, $mixes, $milliseconds);
    }
}
