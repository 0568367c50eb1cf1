<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Report\Difference;
use Larder\Cli\Report\RankSum;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class DifferenceTest extends TestCase
{
    public function testRowsThatChangedAreTold(): void
    {
        $before = new Report(Rows::ENVIRONMENT, [
            Rows::of('apcu', Rows::around(100)),
            Rows::of('redis', Rows::around(500)),
            Rows::of('yac', Rows::around(7)),
        ]);
        $after = new Report(
            ['php' => '8.3.1', 'servers' => ['redis' => '7.0.15', 'memcached' => '1.6']] + Rows::ENVIRONMENT,
            [
                Rows::of('apcu', Rows::around(100.3)),
                Rows::of('redis', Rows::around(250)),
                Rows::of('file', Rows::around(9)),
            ],
        );
        $difference = Difference::between($before, $after);
        self::assertCount(1, $difference->changed);
        self::assertSame('compare: redis, get 1k', Difference::name($difference->changed[0]['subject']));
        self::assertEqualsWithDelta(0.5, $difference->changed[0]['ratio'], 1e-9);
        self::assertTrue($difference->changed[0]['interval']?->contains(0.5));
        self::assertSame(
            ['compare: apcu, get 1k'],
            array_map(static fn(array $row): string => Difference::name($row['subject']), $difference->noise),
        );
        self::assertSame(['compare: yac, get 1k'], $difference->onlyBefore);
        self::assertSame(['compare: file, get 1k'], $difference->onlyAfter);
        self::assertSame(
            ['php' => ['8.2.36', '8.3.1'], 'servers.memcached' => ['not told', '1.6']],
            $difference->environment,
        );
    }

    /** 200 rows that did not change: some have 95 % intervals without 1, and must still count as noise. */
    public function testNoiseOfManyRowsIsNotToldAsChange(): void
    {
        $random = new Randomizer(new Mt19937(7));
        $samples = static fn(float $middle): array
            => array_map(static fn(): float => $middle * (1 + $random->getInt(-1000, 1000) / 10_000), range(1, 10));
        $before = $after = [];
        for ($i = 0; $i < 200; ++$i) {
            $before[] = Rows::of("store$i", $samples(100));
            $after[] = Rows::of("store$i", $samples(100));
        }
        $difference = Difference::between(new Report([], $before), new Report([], $after));
        self::assertSame([], $difference->changed);
        $excluding = array_filter(
            $difference->noise,
            static fn(array $row): bool => $row['interval']?->contains(1.0) === false,
        );
        self::assertGreaterThan(1, \count($excluding), 'the control: intervals alone find changes');

        $after[7] = Rows::of('store7', $samples(130));
        $difference = Difference::between(new Report([], $before), new Report([], array_values($after)));
        self::assertSame(
            ['compare: store7, get 1k'],
            array_map(static fn(array $row): string => Difference::name($row['subject']), $difference->changed),
        );
    }

    public function testMedianThatAFileTellsIsNotBelieved(): void
    {
        $row = Rows::of('apcu', Rows::around(100));
        $other = Rows::of('apcu', Rows::around(50));
        $difference = Difference::between(
            new Report([], [$row]),
            new Report([], [new Row($other->subject, $other->samples, 100.0, 99.0, 101.0)]),
        );
        self::assertEqualsWithDelta(0.5, $difference->changed[0]['ratio'] ?? 0.0, 1e-9);
    }

    /** For example, lost values: there is no ratio to zero. */
    public function testChangeFromNothingIsTold(): void
    {
        $none = array_fill(0, 10, 0.0);
        $before = new Report([], [Rows::of('yac', $none), Rows::of('apcu', $none)]);
        $after = new Report([], [Rows::of('yac', Rows::around(50)), Rows::of('apcu', $none)]);
        $difference = Difference::between($before, $after);
        self::assertSame(
            ['compare: yac, get 1k'],
            array_map(static fn(array $row): string => Difference::name($row['subject']), $difference->changed),
        );
        self::assertNull($difference->changed[0]['ratio']);
        self::assertSame(
            ['compare: apcu, get 1k'],
            array_map(static fn(array $row): string => Difference::name($row['subject']), $difference->noise),
        );
    }

    public function testQuickRunsShowNoChange(): void
    {
        $difference = Difference::between(
            new Report([], [Rows::of('apcu', [1.0, 1.0])]),
            new Report([], [Rows::of('apcu', [9.0, 9.0])]),
        );
        self::assertSame([], $difference->changed);
        self::assertCount(1, $difference->noise);
    }

    /** It is unknown which of the two rows is meant. */
    public function testRowThatStandsTwiceInAFileIsLeftOutAndNamed(): void
    {
        $before = new Report([], [Rows::of('apcu', Rows::around(100)), Rows::of('redis', Rows::around(500))]);
        $after = new Report([], [
            Rows::of('apcu', Rows::around(100)),
            Rows::of('apcu', Rows::around(900)),
            Rows::of('redis', Rows::around(900)),
        ]);
        foreach ([Difference::between($before, $after), Difference::between($after, $before)] as $difference) {
            self::assertSame(['compare: apcu, get 1k'], $difference->repeated);
            self::assertSame(
                ['compare: redis, get 1k'],
                array_map(static fn(array $row): string => Difference::name($row['subject']), $difference->changed),
            );
            self::assertSame([[], [], []], [$difference->noise, $difference->onlyBefore, $difference->onlyAfter]);
        }
    }

    /**
     * The interval holds the ratios that the test does not reject: it does not reject just inside of an end, and does
     * just outside.
     */
    public function testIntervalOfARatioAgreesWithTheTest(): void
    {
        $random = new Randomizer(new Mt19937(3));
        for ($run = 0; $run < 50; ++$run) {
            $samples = static fn(int $count): array
                => array_map(static fn(): float => 100.0 + $random->getInt(0, 1_000_000) / 20_000, range(1, $count));
            [$a, $b] = [$samples(10), $samples(7 + $run % 4)];
            [$ratio, $interval] = RankSum::ratio($a, $b);
            self::assertNotNull($interval);
            self::assertTrue($interval->contains($ratio));
            foreach ([[$interval->low, 1 - 1e-9], [$interval->high, 1 + 1e-9]] as [$end, $beyond]) {
                $chance = static fn(float $factor): float
                    => RankSum::chance($a, array_map(static fn(float $sample): float => $sample * $factor, $b));
                self::assertGreaterThan(0.05, $chance($end / $beyond));
                self::assertLessThanOrEqual(0.05, $chance($end * $beyond));
            }
        }
        self::assertSame([2.0, null], RankSum::ratio([2.0, 2.0], [1.0]));
    }

    /**
     * Checked against the published table of the test: for ten and ten samples, U = 23 is the largest value with a
     * probability of at most 5 %.
     */
    public function testRankSumIsExact(): void
    {
        self::assertEqualsWithDelta(2 / 184_756, RankSum::chance(range(1.0, 10.0), range(11.0, 20.0)), 1e-12);
        self::assertEqualsWithDelta(0.1, RankSum::chance([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 1e-12);
        self::assertSame(1.0, RankSum::chance([1.0, 1.0], [1.0, 1.0]));
        self::assertSame(1.0, RankSum::chance([], [1.0]));
        $shifted = static fn(int $by): float => RankSum::chance(
            range(1.0, 10.0),
            array_map(static fn(float $x): float => $x + $by + 0.5, range(1.0, 10.0)),
        );
        self::assertGreaterThan(0.05, $shifted(2));
        self::assertLessThan(0.05, $shifted(5));
    }
}
