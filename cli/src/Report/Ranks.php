<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** The order of rows that can be compared: other stores doing the same to the same value. */
final class Ranks
{
    /**
     * Rows whose interval overlaps with that of the best of their group share its rank: the run shows no difference between
     * them. The next row then leads the next group.
     *
     * @param list<Row> $rows
     * @return list<array{row: Row, rank: int|null}> those with a figure, the best first; without ranks when a row has no
     *                                               interval
     */
    public static function of(array $rows): array
    {
        $rows = array_values(array_filter($rows, static fn(Row $row): bool => $row->median !== null));
        usort($rows, static fn(Row $a, Row $b): int => $a->subject->unit->isMoreBetter() ? $b->median <=> $a->median : $a->median <=> $b->median);
        $ranked = [];
        $best = $rank = null;
        foreach ($rows as $i => $row) {
            $interval = $row->interval();
            if ($interval === null) {
                return array_map(static fn(Row $row): array => ['row' => $row, 'rank' => null], $rows);
            }
            if ($best === null || !$interval->overlaps($best)) {
                $best = $interval;
                $rank = $i + 1;
            }
            $ranked[] = ['row' => $row, 'rank' => $rank];
        }

        return $ranked;
    }
}
