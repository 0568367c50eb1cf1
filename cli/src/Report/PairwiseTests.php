<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Timing\Interval;

/**
 * Compares each of several rows with each other by the exact rank sum test, with Holm's correction for that many
 * comparisons. If all rows are equal, no two of them count as different in at least 95 % of runs, for any number of
 * rows. A slow round can hide differences, but it cannot create one.
 *
 * Samples of a round are not compared in pairs: with ten pairs, no probability is below 1 in 512, which is too much for
 * more than seven rows.
 */
final class PairwiseTests
{
    /**
     * With more rows, the correction is Bonferroni's, which is stricter, because the time for Holm's grows with the
     * square of their number.
     */
    private const MOST_ROWS = 100;

    /**
     * @param array<int|string, list<float>> $samples sorted
     * @param float $limit two rows differ if the probability is at or below it
     */
    private function __construct(private readonly array $samples, private readonly float $limit) {}

    /** @param array<int|string, list<float>> $samples of each row, by any key */
    public static function of(array $samples): self
    {
        foreach ($samples as $key => $ofRow) {
            $samples[$key] = \array_slice($ofRow, 0, RankSum::MOST);
            sort($samples[$key]);
        }
        $rows = array_values($samples);
        $count = \count($rows);
        if ($count > self::MOST_ROWS) {
            return new self($samples, ManyTests::bonferroni(self::pairs($count)));
        }
        $chances = [];
        foreach ($rows as $i => $row) {
            for ($j = $i + 1; $j < $count; ++$j) {
                $chances[] = RankSum::chanceOfSorted($row, $rows[$j]);
            }
        }

        return new self($samples, ManyTests::holm($chances));
    }

    public function differ(int|string $a, int|string $b): bool
    {
        return RankSum::chanceOfSorted($this->samples[$a] ?? [], $this->samples[$b] ?? []) <= $this->limit;
    }

    /** True if this number of rounds can distinguish two rows, among this number of rows. */
    public static function canTell(int $rows, int $rounds): bool
    {
        return $rounds >= Interval::FEWEST
            && RankSum::least($rounds, $rounds) <= ManyTests::bonferroni(self::pairs($rows));
    }

    /** The smallest number of rounds for which canTell() is true. */
    public static function roundsFor(int $rows): int
    {
        $rounds = Interval::FEWEST;
        while ($rounds < RankSum::MOST && !self::canTell($rows, $rounds)) {
            ++$rounds;
        }

        return $rounds;
    }

    private static function pairs(int $rows): int
    {
        return intdiv($rows * ($rows - 1), 2);
    }
}
