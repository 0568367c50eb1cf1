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
    public function testVerdictNamesTheFastestOfEachKindAndTheCostOfSocketsAndSerializing(): void
    {
        $lines = self::verdict(['10b', '16k', '50 x 50 array'], [
            ['array', null, Kind::Process, [1.0, 1.0, 1.0]],
            ['larder', null, Kind::Local, [20.0, 20.0, 20.0]],
            ['apcu', null, Kind::Local, [100.0, 400.0, 2_000.0]],
            ['redis', 'socket', Kind::Server, [15_000.0, 18_000.0, 80_000.0]],
            ['redis', 'tcp', Kind::Server, [20_000.0, 24_000.0, 100_000.0]],
        ]);
        self::assertSame([
            'Fastest on one machine, get: larder (20.0 ns for 10b, 20.0 ns for 50 x 50 array); next: apcu, 21.5x slower',
            'Fastest server, get: redis socket (15.0 µs for 10b, 80.0 µs for 50 x 50 array); next: redis tcp, 1.30x slower',
            'Unix socket instead of TCP, get. redis: 23% less time',
            'Unserializing: the 50 x 50 array and a string of similar length (16k) take larder 20.0 ns and 20.0 ns, '
                . 'apcu 2.00 µs and 400 ns, redis socket 80.0 µs and 18.0 µs, redis tcp 100 µs and 24.0 µs',
        ], $lines);
    }

    /** The control of the lines above: the same medians, but rounds that lie further apart than the stores. */
    public function testDifferenceWithinTheNoiseIsNotStated(): void
    {
        $stores = [
            ['redis', 'socket', Kind::Server, [15_000.0]],
            ['redis', 'tcp', Kind::Server, [20_000.0]],
        ];
        $noisy = [0.7, 1.0, 1.4];
        $expected = [
            'Fastest server, get: redis socket (15.0 µs for 10b); no difference beyond the noise: redis tcp',
            'Unix socket instead of TCP, get. redis: no difference beyond the noise',
        ];
        self::assertSame($expected, self::verdict(['10b'], $stores, $noisy));
        self::assertSame($expected, self::verdict(['10b'], $stores, [1.0]), 'one round does not show the noise');
        self::assertStringContainsString('redis: 25% less time', self::verdict(['10b'], $stores)[1] ?? '');
    }

    /** A socket that takes longer than TCP by coincidence saves nothing, and not "-23%". */
    public function testSocketThatLosesWithinTheNoiseIsNoDifference(): void
    {
        $stores = [
            ['redis', 'socket', Kind::Server, [24_600.0]],
            ['redis', 'tcp', Kind::Server, [20_000.0]],
        ];
        self::assertSame('Unix socket instead of TCP, get. redis: no difference beyond the noise', self::verdict(['10b'], $stores, [0.7, 1.0, 1.4])[1] ?? '');
        self::assertSame('Unix socket instead of TCP, get. redis: 23% more time', self::verdict(['10b'], $stores)[1] ?? '');
    }

    /** Nobody is the fastest by failing where others have a figure. */
    public function testStoreThatFailsInOneValueIsNotRanked(): void
    {
        $lines = self::verdict(['10b', '128k'], [
            ['yac', null, Kind::Local, [1.0, null]],
            ['apcu', null, Kind::Local, [100.0, 400.0]],
        ]);
        self::assertSame(['Fastest on one machine, get: apcu (100 ns for 10b, 400 ns for 128k)'], $lines);
    }

    public function testVerdictOmitsWhatWasNotMeasured(): void
    {
        self::assertSame([], self::verdict(['10b'], [['array', null, Kind::Process, [1.0]]]));
        self::assertSame([], self::verdict(['10b'], []));
    }

    /**
     * @param non-empty-list<string> $values
     * @param list<array{string, string|null, Kind, list<float|null>}> $stores with a figure for each value; null: failed
     * @param non-empty-list<float> $rounds by what the figure is multiplied in each round
     * @return list<string>
     */
    private static function verdict(array $values, array $stores, array $rounds = [0.99, 1.0, 1.01]): array
    {
        $all = Value::all();
        $rows = [];
        foreach ($values as $i => $value) {
            foreach ($stores as [$store, $connection, $kind, $figures]) {
                $figure = $figures[$i];
                $measurements = array_map(static fn(float $factor): Measurement => new Measurement($value, Operation::Get, $figure === null ? null : $figure * $factor, $figure === null ? 1 : 0), $rounds);
                $rows[] = Row::of(new Target($store, $connection, 'array:', $kind), $all[$value], Operation::Get, $measurements);
            }
        }
        $plan = new Plan(array_map(static fn(string $value): Value => $all[$value], $values), [Operation::Get], 1, new TimeBudget(1, 1));

        return (new Verdict($plan, new Result($rows, [], [])))->lines();
    }
}
