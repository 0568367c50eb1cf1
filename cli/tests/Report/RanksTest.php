<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Ranks;
use Larder\Cli\Report\Row;
use PHPUnit\Framework\TestCase;

final class RanksTest extends TestCase
{
    public function testRowsThatOverlapWithTheBestOfTheirGroupShareItsRank(): void
    {
        self::assertSame(
            ['a' => 1, 'b' => 1, 'c' => 3, 'd' => 3, 'e' => 5],
            self::ranks([self::row('e', 9, 8.5, 9.5), self::row('b', 2, 1.4, 2.6), self::row('a', 1, 0.5, 1.5), self::row('c', 3, 2.4, 4), self::row('d', 4, 3.9, 5)]),
        );
    }

    public function testMoreRequestsPerSecondAreBetter(): void
    {
        self::assertSame(['a' => 1, 'b' => 2], self::ranks([self::row('b', 10, 9, 11, Unit::RequestsPerSecond), self::row('a', 20, 19, 21, Unit::RequestsPerSecond)]));
    }

    public function testRowsWithoutIntervalsHaveNoRanks(): void
    {
        self::assertSame(['a' => null, 'b' => null], self::ranks([self::row('b', 2, null, null), self::row('a', 1, null, null)]));
    }

    public function testFailedRowsAreNotRanked(): void
    {
        self::assertSame([], self::ranks([self::row('a', null, null, null)]));
    }

    private static function row(string $store, ?float $median, ?float $low, ?float $high, Unit $unit = Unit::Nanoseconds): Row
    {
        return new Row(new Subject('compare', $store, null, '1k', 1000, 'get', $unit), [], $median, $low, $high);
    }

    /**
     * @param list<Row> $rows
     * @return array<string, int|null>
     */
    private static function ranks(array $rows): array
    {
        $ranks = [];
        foreach (Ranks::of($rows) as ['row' => $row, 'rank' => $rank]) {
            $ranks[$row->subject->store] = $rank;
        }

        return $ranks;
    }
}
