<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Kind;
use Larder\Cli\Compare\Measurement;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\Plan;
use Larder\Cli\Compare\Result;
use Larder\Cli\Compare\Row;
use Larder\Cli\Compare\Target;
use Larder\Cli\Compare\TimeBudget;
use Larder\Cli\Compare\Value;
use Larder\Cli\Compare\Verdict;
use PHPUnit\Framework\TestCase;

final class VerdictTest extends TestCase
{
    public function testItTellsTheFastestOfEachKindAndWhatSocketsAndSerializingCost(): void
    {
        $lines = self::verdict(['10b', '16k', '50 x 50 array'], [
            ['array', null, Kind::Process, [1.0, 1.0, 1.0]],
            ['larder', null, Kind::Local, [20.0, 20.0, 20.0]],
            ['apcu', null, Kind::Local, [100.0, 400.0, 2_000.0]],
            ['redis', 'socket', Kind::Server, [15_000.0, 18_000.0, 80_000.0]],
            ['redis', 'tcp', Kind::Server, [20_000.0, 24_000.0, 100_000.0]],
        ]);
        self::assertSame([
            'Fastest on one machine, get: larder (20.0 ns for 10b, 20.0 ns for 50 x 50 array). Next: apcu, 21.5 times as long',
            'Fastest server, get: redis socket (15.0 µs for 10b, 80.0 µs for 50 x 50 array). Next: redis tcp, 1.30 times as long',
            'A unix socket saves 25% of a get over TCP (redis 25%)',
            'What unserializing costs: the 50 x 50 array and a string of about its length (16k) take larder 20.0 ns and 20.0 ns, '
                . 'apcu 2.00 µs and 400 ns, redis socket 80.0 µs and 18.0 µs, redis tcp 100 µs and 24.0 µs',
        ], $lines);
    }

    /** Nobody is the fastest by failing where others have a figure. */
    public function testAStoreThatFailsInOneValueIsNotRanked(): void
    {
        $lines = self::verdict(['10b', '128k'], [
            ['yac', null, Kind::Local, [1.0, null]],
            ['apcu', null, Kind::Local, [100.0, 400.0]],
        ]);
        self::assertSame(['Fastest on one machine, get: apcu (100 ns for 10b, 400 ns for 128k)'], $lines);
    }

    public function testItSaysNothingOfWhatWasNotMeasured(): void
    {
        self::assertSame([], self::verdict(['10b'], [['array', null, Kind::Process, [1.0]]]));
        self::assertSame([], self::verdict(['10b'], []));
    }

    /**
     * @param non-empty-list<string> $values
     * @param list<array{string, string|null, Kind, list<float|null>}> $stores with a figure for each value; null: failed
     * @return list<string>
     */
    private static function verdict(array $values, array $stores): array
    {
        $all = Value::all();
        $rows = [];
        foreach ($values as $i => $value) {
            foreach ($stores as [$store, $connection, $kind, $figures]) {
                $measurement = new Measurement($value, Operation::Get, $figures[$i], $figures[$i] === null ? 1 : 0);
                $rows[] = Row::of(new Target($store, $connection, 'array:', $kind), $all[$value], Operation::Get, [$measurement]);
            }
        }
        $plan = new Plan(array_map(static fn(string $value): Value => $all[$value], $values), [Operation::Get], 1, new TimeBudget(1, 1));

        return (new Verdict($plan, new Result($rows, [], [])))->lines();
    }
}
