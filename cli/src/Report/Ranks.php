<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** The order of rows that can be compared: different stores, the same operation and value. */
final class Ranks
{
    /**
     * Rows that PairwiseTests cannot distinguish from the best of their group share its rank: the run shows no
     * difference between them. The next row then is the best of the next group.
     *
     * @param list<Row> $rows
     * @return list<array{row: Row, rank: int|null}> rows with a figure, the best first; rank is null if a row has too
     *         few samples for this many comparisons
     */
    public static function of(array $rows): array
    {
        $rows = array_values(array_filter($rows, static fn(Row $row): bool => $row->median !== null));
        usort(
            $rows,
            static fn(Row $a, Row $b): int
                => $a->subject->unit->higherIsBetter() ? $b->median <=> $a->median : $a->median <=> $b->median,
        );
        if (!self::canRank($rows)) {
            return array_map(static fn(Row $row): array => ['row' => $row, 'rank' => null], $rows);
        }
        $tests = PairwiseTests::of(array_map(static fn(Row $row): array => $row->samples, $rows));
        $ranked = [];
        $best = 0;
        foreach ($rows as $i => $row) {
            $best = $tests->differ($best, $i) ? $i : $best;
            $ranked[] = ['row' => $row, 'rank' => $best + 1];
        }

        return $ranked;
    }

    /** @param list<Row> $rows */
    private static function canRank(array $rows): bool
    {
        $rounds = array_map(static fn(Row $row): int => \count($row->samples), $rows);

        return $rounds !== [] && PairwiseTests::canTell(\count($rows), min($rounds));
    }
}
