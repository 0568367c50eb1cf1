<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Advice\Estimate;
use Larder\Cli\Advice\Ranking;
use Larder\Cli\Report\ManyTests;
use Larder\Cli\Report\PairwiseTests;
use Larder\Cli\Report\Ranks;
use Larder\Cli\Report\RankSum;
use Larder\Cli\Report\Row;
use Larder\Cli\Timing\Statistics;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Random\Engine\Xoshiro256StarStar;
use Random\Randomizer;

/** Simulated runs, with the same random numbers each time. */
final class PairwiseTestsTest extends TestCase
{
    private const RUNS = 1000;
    private const STORES = 12;
    private const NOISE = 0.02;

    /** At a rate of 5 %, 1,000 runs have more than this with a probability of 0.1 %. */
    private const MOST_FALSE = 71;

    /** Without slow rounds, and with rounds in which the whole machine is up to half slower. */
    #[TestWith([10, 0.0])]
    #[TestWith([10, 0.5])]
    #[TestWith([9, 0.0])]
    #[TestWith([7, 0.0])]
    public function testEqualStoresAreSeldomToldApart(int $rounds, float $slowness): void
    {
        $random = new Randomizer(new Xoshiro256StarStar(1));
        $ranked = $advised = $uncorrected = 0;
        for ($run = 0; $run < self::RUNS; ++$run) {
            $samples = self::measured($random, array_fill(0, self::STORES, 100.0), $rounds, $slowness);
            $rows = array_map(static fn(int $i): Row => Rows::of("store $i", $samples[$i]), array_keys($samples));
            $ranked += array_filter(Ranks::of($rows), static fn(array $row): bool => $row['rank'] > 1) === [] ? 0 : 1;
            $ranking = Ranking::of(array_combine(
                array_map(static fn(int $i): string => "store $i", array_keys($samples)),
                array_map(Estimate::ofRounds(...), $samples),
            ));
            $advised += $ranking?->others === [] ? 0 : 1;
            $uncorrected += self::differsWithoutCorrection($samples) ? 1 : 0;
        }
        self::assertLessThanOrEqual(self::MOST_FALSE, $ranked);
        self::assertLessThanOrEqual(self::MOST_FALSE, $advised);
        if ($slowness === 0.0) {
            self::assertGreaterThan(self::RUNS / 4, $uncorrected, 'the control: without the correction');
        }
    }

    public function testStoreThatIsTenPercentSlowerIsFound(): void
    {
        $random = new Randomizer(new Xoshiro256StarStar(2));
        $found = $advised = 0;
        for ($run = 0; $run < 100; ++$run) {
            $samples = self::measured($random, [110.0, ...array_fill(0, self::STORES - 1, 100.0)], 10, 0.0);
            $ranks = Ranks::of(array_map(
                static fn(int $i): Row => Rows::of("store $i", $samples[$i]),
                array_keys($samples),
            ));
            $found += $ranks[self::STORES - 1]['row']->subject->store === 'store 0'
                && $ranks[self::STORES - 1]['rank'] === self::STORES
                ? 1
                : 0;
            $ranking = Ranking::of(array_combine(
                array_map(static fn(int $i): string => "store $i", array_keys($samples)),
                array_map(Estimate::ofRounds(...), $samples),
            ));
            $advised += isset($ranking?->others['store 0']) ? 1 : 0;
        }
        self::assertGreaterThanOrEqual(99, $found);
        self::assertGreaterThanOrEqual(99, $advised);
    }

    /** Holm's limit for the remaining pairs is less strict than Bonferroni's limit for all pairs. */
    public function testPairsThatClearlyDifferDoNotMakeTheOthersHarderToTell(): void
    {
        $close = [
            [...self::from(100.0, 9), 120.5],
            self::from(109.5),
        ]; // one sample of ten exceeds all of the other row: a probability of 0.0021
        self::assertTrue(PairwiseTests::of($close)->differ(0, 1));
        $apart = array_map(static fn(int $i): array => self::from(1000.0 * $i), range(1, 12));
        self::assertTrue(PairwiseTests::of([...$close, ...$apart])->differ(0, 1), 'one pair in doubt, among 91');
        self::assertFalse(
            PairwiseTests::of([...$close, ...array_fill(0, 12, self::from(105.0))])->differ(0, 1),
            'among 91 in doubt',
        );
    }

    public function testHundredRowsAndMoreAreToldApart(): void
    {
        $rows = array_map(
            static fn(int $i): array => array_map(static fn(int $j): float => 1000.0 * $i + $j, range(1, 14)),
            range(1, 300),
        );
        self::assertTrue(PairwiseTests::canTell(300, 14));
        $tests = PairwiseTests::of($rows);
        self::assertTrue($tests->differ(0, 1));
        self::assertFalse($tests->differ(0, 0));
    }

    public function testRoundsThatARankingNeeds(): void
    {
        self::assertSame([6, 7, 9, 10, 11], array_map(PairwiseTests::roundsFor(...), [7, 8, 29, 96, 97]));
        self::assertFalse(PairwiseTests::canTell(2, 5));
    }

    public function testHolmStopsAtTheFirstThatDoesNotCount(): void
    {
        self::assertSame(0.02, ManyTests::holm([0.02, 0.9, 0.01, 0.001]));
        self::assertSame(0.001, ManyTests::holm([0.03, 0.03, 0.03, 0.001]));
        self::assertSame(-1.0, ManyTests::holm([0.04, 0.04]));
        self::assertSame(-1.0, ManyTests::holm([]));
    }

    /** @return list<float> */
    private static function from(float $first, int $count = 10): array
    {
        return array_map(static fn(int $i): float => $first + $i, range(0, $count - 1));
    }

    /**
     * True if one of the stores would be listed as slower than the best by a single test at 5 %.
     *
     * @param list<non-empty-list<float>> $samples
     */
    private static function differsWithoutCorrection(array $samples): bool
    {
        usort($samples, static fn(array $a, array $b): int => Statistics::median($a) <=> Statistics::median($b));
        foreach ($samples as $ofStore) {
            if (RankSum::chance($samples[0], $ofStore) <= 0.05) {
                return true;
            }
        }

        return false;
    }

    /**
     * @param list<float> $figures of the stores
     * @return list<non-empty-list<float>> samples of each, with normal noise
     */
    private static function measured(Randomizer $random, array $figures, int $rounds, float $slowness): array
    {
        $uniform = static fn(): float => ($random->getInt(0, (1 << 52) - 1) + 0.5) / (1 << 52);
        $samples = [];
        for ($round = 0; $round < $rounds; ++$round) {
            $slow = 1 + $slowness * $uniform();
            foreach ($figures as $store => $figure) {
                $normal = sqrt(-2 * log($uniform())) * cos(2 * \M_PI * $uniform());
                $samples[$store][] = $slow * $figure * (1 + self::NOISE * $normal);
            }
        }

        return array_values($samples);
    }
}
