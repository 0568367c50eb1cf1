<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Ranks;
use Larder\Cli\Report\Row;
use PHPUnit\Framework\TestCase;

final class RanksTest extends TestCase
{
    public function testRowsThatCannotBeToldFromTheBestOfTheirGroupShareItsRank(): void
    {
        self::assertSame(
            ['a' => 1, 'b' => 1, 'c' => 3, 'd' => 3, 'e' => 5],
            self::ranks([
                Rows::of('e', Rows::around(900)), Rows::of('b', Rows::around(100.5)), Rows::of('a', Rows::around(100)),
                Rows::of('c', Rows::around(300)), Rows::of('d', Rows::around(301)),
            ]),
        );
    }

    public function testMoreRequestsPerSecondAreBetter(): void
    {
        self::assertSame(['a' => 1, 'b' => 2], self::ranks([
            Rows::of('b', Rows::around(10), unit: Unit::RequestsPerSecond),
            Rows::of('a', Rows::around(20), unit: Unit::RequestsPerSecond),
        ]));
    }

    public function testRowsOfTooFewRoundsHaveNoRanks(): void
    {
        $rows = static fn(int $rounds, int $rows): array => array_map(
            static fn(int $i): Row => Rows::of("store $i", \array_slice(Rows::around(100.0 * $i), 0, $rounds)),
            range(1, $rows),
        );
        self::assertSame(['store 1' => null, 'store 2' => null], self::ranks($rows(5, 2)));
        self::assertSame(
            range(1, 7),
            array_values(self::ranks($rows(6, 7))),
            'the control: six rounds tell seven apart',
        );
        self::assertSame(array_fill(0, 8, null), array_values(self::ranks($rows(6, 8))));
        self::assertSame(range(1, 8), array_values(self::ranks($rows(7, 8))));
        self::assertSame(range(1, 29), array_values(self::ranks($rows(10, 29))));
    }

    public function testFailedRowsAreNotRanked(): void
    {
        self::assertSame(['b' => 1], self::ranks([Rows::of('a', []), Rows::of('b', Rows::around(1))]));
        self::assertSame([], self::ranks([Rows::of('a', [])]));
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
