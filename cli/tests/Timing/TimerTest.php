<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Timing;

use Larder\Cli\Timing\Loop;
use Larder\Cli\Timing\Timer;
use Larder\Cli\Timing\Work;
use PHPUnit\Framework\TestCase;

/** Tests which calls the timer makes, and in which order. No test can show that its figures are right. */
final class TimerTest extends TestCase
{
    public function testRoundsAlternateAndReverseTheirOrder(): void
    {
        $called = '';
        $sample = static function (string $name) use (&$called): \Closure {
            return static function () use ($name, &$called): string {
                $called .= $name;

                return $name;
            };
        };

        self::assertSame(
            ['x' => ['a', 'a', 'a'], 'y' => ['b', 'b', 'b']],
            Timer::interleave(['x' => $sample('a'), 'y' => $sample('b')], 3),
        );
        self::assertSame('abbaab', $called);
    }

    public function testEveryRoundGivesOneFigureForEachWork(): void
    {
        $work = Loop::of(static function (int $times): void {
            usleep($times);
        });
        $figures = (new Timer(100_000))->measure(['a' => $work, 'b' => Loop::calling(static fn(): int => 1)], 4);

        self::assertSame(['a' => 4, 'b' => 4], array_map(\count(...), $figures));
        self::assertGreaterThan(900.0, min($figures['a']));
        self::assertGreaterThan(0.0, min($figures['b']));
    }

    public function testBatchesGrowUntilTheyAreLongEnoughOrAsLargeAsAllowed(): void
    {
        $batches = [];
        $work = Loop::of(static function (int $times) use (&$batches): void {
            $batches[] = $times;
        });
        (new Timer(\PHP_INT_MAX, 5))->measure([$work], 2);

        self::assertSame([1, 1, 2, 2, 4, 4, 5, 5, 5, 5], $batches);
    }

    /** Each batch: prepare, the empty loop, the work, check. */
    public function testEveryBatchIsPreparedAndChecked(): void
    {
        $work = new class implements Work {
            public string $called = '';

            public function prepare(int $times): void
            {
                $this->called .= "prepare $times, ";
            }

            public function runEmpty(int $times): void
            {
                $this->called .= 'empty, ';
            }

            public function run(int $times): void
            {
                $this->called .= 'run, ';
            }

            public function check(): void
            {
                $this->called .= 'check; ';
            }
        };
        (new Timer(0))->measure([$work], 1);

        self::assertSame(str_repeat('prepare 1, empty, run, check; ', 3), $work->called);
    }

    public function testMemoryEndsABatch(): void
    {
        $held = [];
        $batches = [];
        $work = Loop::of(static function (int $times) use (&$held, &$batches): void {
            $batches[] = $times;
            $held[] = str_repeat('x', 1000 * $times);
        });
        (new Timer(\PHP_INT_MAX, mostBytes: 10_000))->measure([$work], 1);

        self::assertLessThanOrEqual(8, max([0, ...$batches]));
    }

    public function testMeanIsOfAllOperationsOrOfThoseThatTheTimeAllows(): void
    {
        $done = 0;
        $work = Loop::of(static function (int $times) use (&$done): void {
            $done += $times;
            usleep(1000 * $times);
        });
        [$nanoseconds, $operations] = (new Timer(1, 3))->mean($work, 7, \PHP_INT_MAX);
        self::assertSame([7, 2 + 7], [$operations, $done]); // plus two of the warm-up
        self::assertGreaterThanOrEqual(0.9e6, $nanoseconds);

        self::assertSame(1, (new Timer(1, 3))->mean($work, 7, 1)[1]);
    }
}
