<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Value;
use Larder\Cli\Compare\Verdict;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Rows;
use PHPUnit\Framework\TestCase;

final class VerdictTest extends TestCase
{
    private const STEADY = [0.98, 0.99, 0.99, 1.0, 1.0, 1.01, 1.01, 1.02];
    private const NOISY = [0.6, 0.7, 0.8, 1.0, 1.0, 1.2, 1.4, 1.6];

    public function testVerdictNamesTheFastestOfEachKindAndTheCostOfSocketsAndSerializing(): void
    {
        $lines = self::verdict(['10b', '16k', '50 x 50 array'], [
            ['array', null, [1.0, 1.0, 1.0]],
            ['larder', null, [20.0, 20.0, 20.0]],
            ['apcu', null, [100.0, 400.0, 2_000.0]],
            ['redis', 'socket', [15_000.0, 18_000.0, 80_000.0]],
            ['redis', 'tcp', [20_000.0, 24_000.0, 100_000.0]],
        ]);
        self::assertSame([
            'Fastest on one machine, get: larder (20.0 ns for 10b, 20.0 ns for 50 x 50 array); next: apcu, 21.5x slower (20.7 to 22.4)',
            'Fastest server, get: redis socket (15.0 µs for 10b, 80.0 µs for 50 x 50 array); next: redis tcp, 1.30x slower (1.25 to 1.36)',
            'Unix socket instead of TCP, get. redis: 23% less time (20 to 26)',
            'Unserializing: the 50 x 50 array and a string of similar length (16k) take larder 20.0 ns and 20.0 ns, '
                . 'apcu 2.00 µs and 400 ns, redis socket 80.0 µs and 18.0 µs, redis tcp 100 µs and 24.0 µs',
        ], $lines);
    }

    /** The control of the lines above: the same medians, but rounds that lie further apart than the stores. */
    public function testDifferenceWithinTheNoiseIsNotStated(): void
    {
        $stores = [
            ['redis', 'socket', [15_000.0]],
            ['redis', 'tcp', [20_000.0]],
        ];
        $noisy = self::NOISY;
        $expected = [
            'Fastest server, get: redis socket (15.0 µs for 10b); no difference beyond the noise: redis tcp',
            'Unix socket instead of TCP, get. redis: no difference beyond the noise',
        ];
        self::assertSame($expected, self::verdict(['10b'], $stores, $noisy));
        self::assertStringStartsWith('None: a quick look', self::verdict(['10b'], $stores, [1.0, 1.0, 1.0])[0] ?? '', 'three rounds do not show the noise');
        self::assertStringContainsString('redis: 25% less time', self::verdict(['10b'], $stores)[1] ?? '');
    }

    /** A socket that takes longer than TCP by coincidence saves nothing, and not "-23%". */
    public function testSocketThatLosesWithinTheNoiseIsNoDifference(): void
    {
        $stores = [
            ['redis', 'socket', [24_600.0]],
            ['redis', 'tcp', [20_000.0]],
        ];
        self::assertSame('Unix socket instead of TCP, get. redis: no difference beyond the noise', self::verdict(['10b'], $stores, self::NOISY)[1] ?? '');
        self::assertSame('Unix socket instead of TCP, get. redis: 23% more time (18 to 28)', self::verdict(['10b'], $stores)[1] ?? '');
    }

    /** Nobody is the fastest by failing where others have a figure. */
    public function testStoreThatFailsInOneValueIsNotRanked(): void
    {
        $lines = self::verdict(['10b', '128k'], [
            ['yac', null, [1.0, null]],
            ['apcu', null, [100.0, 400.0]],
        ]);
        self::assertSame(['Fastest on one machine, get: apcu (100 ns for 10b, 400 ns for 128k)'], $lines);
    }

    public function testVerdictOmitsWhatWasNotMeasured(): void
    {
        self::assertSame([], self::verdict(['10b'], [['array', null, [1.0]]]));
        self::assertSame([], self::verdict(['10b'], []));
    }

    /**
     * @param non-empty-list<string> $values
     * @param list<array{string, string|null, list<float|null>}> $stores with a figure for each value; null: failed
     * @param non-empty-list<float> $rounds by what the figure is multiplied in each round; every second store has them reversed
     * @return list<string>
     */
    private static function verdict(array $values, array $stores, array $rounds = self::STEADY): array
    {
        $all = Value::all();
        $rows = new Rows();
        foreach ($values as $i => $value) {
            foreach ($stores as $j => [$store, $connection, $figures]) {
                $subject = new Subject('compare', $store, $connection, $value, $all[$value]->bytes, 'get');
                $figure = $figures[$i];
                foreach ($j % 2 === 0 ? $rounds : array_reverse($rounds) as $factor) {
                    $rows->add($figure === null ? Sample::failed($subject, 'loses values') : new Sample($subject, $figure * $factor));
                }
            }
        }

        return (new Verdict($rows->all()))->lines();
    }
}
