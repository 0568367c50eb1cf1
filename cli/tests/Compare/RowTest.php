<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Kind;
use Larder\Cli\Compare\Measurement;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\Row;
use Larder\Cli\Compare\Target;
use Larder\Cli\Compare\Value;
use PHPUnit\Framework\TestCase;

final class RowTest extends TestCase
{
    public function testFigureIsTheMedianOfTheRounds(): void
    {
        $row = self::row(new Measurement('1k', Operation::Get, 30.0), new Measurement('1k', Operation::Get, 10.0), new Measurement('1k', Operation::Get, 20.0));
        self::assertSame([20.0, 10.0, 30.0, 3, 0], [$row->median, $row->low, $row->high, $row->rounds, $row->failures]);
    }

    public function testOneFailureInOneRoundRemovesTheFigure(): void
    {
        $row = self::row(new Measurement('1k', Operation::Get, 30.0), new Measurement('1k', Operation::Get, null, 2, 'loses values'));
        self::assertSame([null, null, null, 1, 2, 'loses values'], [$row->median, $row->low, $row->high, $row->rounds, $row->failures, $row->problem]);
    }

    public function testMeasurementSurvivesThePipe(): void
    {
        foreach ([new Measurement('1k', Operation::Set, 12.0), new Measurement('10b', Operation::Get, null, 3, "throws\n\xff")] as $measurement) {
            $read = Measurement::fromLine($measurement->line());
            self::assertStringNotContainsString("\n", $measurement->line());
            self::assertSame([$measurement->value, $measurement->operation, $measurement->nanoseconds, $measurement->failures], [$read->value, $read->operation, $read->nanoseconds, $read->failures]);
        }
    }

    private static function row(Measurement ...$measurements): Row
    {
        return Row::of(new Target('store', null, 'array:', Kind::Local), Value::all()['1k'], Operation::Get, array_values($measurements));
    }
}
