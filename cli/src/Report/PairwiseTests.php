<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Timing\Interval;

/**
 * Which of several rows differ: each compared with each other by the exact rank sum test, with Holm's correction for
 * that many comparisons. If all are equal, not one of them differs from another in at least 95 % of runs, however many
 * there are. What slows down a whole round hides differences, and makes none.
 *
 * Samples of a round are not compared in pairs: the best that ten pairs can show has a chance of 1 in 512, which is not
 * enough for more than seven rows.
 */
final class PairwiseTests
{
    /**
     * Of more rows the correction is Bonferroni's, which is stricter: the time of Holm's grows with the square of their
     * number.
     */
    private const MOST_ROWS = 100;

    /**
     * @param array<int|string, list<float>> $samples sorted
     * @param float $limit a chance at or below it tells two apart
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
            return new self($samples, ManyTests::ofSo(self::pairs($count)));
        }
        $chances = [];
        foreach ($rows as $i => $row) {
            for ($j = $i + 1; $j < $count; ++$j) {
                $chances[] = RankSum::chanceOfSorted($row, $rows[$j]);
            }
        }

        return new self($samples, ManyTests::noFalseOne($chances));
    }

    public function differ(int|string $a, int|string $b): bool
    {
        return RankSum::chanceOfSorted($this->samples[$a] ?? [], $this->samples[$b] ?? []) <= $this->limit;
    }

    /** True if this number of rounds can distinguish two rows, among this number of rows. */
    public static function canTell(int $rows, int $rounds): bool
    {
        return $rounds >= Interval::FEWEST && RankSum::least($rounds, $rounds) <= ManyTests::ofSo(self::pairs($rows));
    }

    /** The fewest rounds for which canTell() holds. */
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
