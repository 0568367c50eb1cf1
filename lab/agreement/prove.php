<?php

declare(strict_types=1);

/*
 * Prints how many rows of two runs agree, that is, have overlapping intervals. Fails if fewer than 95 % do.
 *
 *     php lab/agreement/prove.php A.jsonl B.jsonl [factor of the intervals' width, 1 by default]
 */

use Larder\Cli\Report\Figure;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Timing\Interval;

require __DIR__ . '/../../vendor/autoload.php';

const ENOUGH = 0.95;

function shrunk(Row $row, float $part): ?Interval
{
    return $row->median === null || $row->low === null || $row->high === null ? null
        : new Interval($row->median - $part * ($row->median - $row->low), $row->median + $part * ($row->high - $row->median));
}

/** @return array<string, Row> by subject */
function rows(string $file): array
{
    $rows = [];
    foreach (ResultFile::read($file)->rows as $row) {
        $rows[$row->subject->key()] = $row;
    }

    return $rows;
}

[, $a, $b] = [...$argv, '', ''];
$part = (float) ($argv[3] ?? 1);
$rows = rows($a);
$others = rows($b);
$agree = $compared = 0;
foreach ($rows as $key => $row) {
    $one = shrunk($row, $part);
    $other = isset($others[$key]) ? shrunk($others[$key], $part) : null;
    ++$compared;
    if ($one !== null && $other !== null && $one->overlaps($other)) {
        ++$agree;
    } else {
        printf("%s, %s %s: %s\n", $row->subject->name(), $row->subject->operation, $row->subject->value, $one === null || $other === null ? 'has no interval' : sprintf(
            '%s to %s, then %s to %s',
            Figure::of($row->subject->unit, $one->low),
            Figure::of($row->subject->unit, $one->high),
            Figure::of($row->subject->unit, $other->low),
            Figure::of($row->subject->unit, $other->high),
        ));
    }
}
printf("%d of %d rows agree: %.1f%%\n", $agree, $compared, 100 * $agree / max(1, $compared));
exit($compared > 0 && array_keys($rows) === array_keys($others) && $agree >= ENOUGH * $compared ? 0 : 1);
