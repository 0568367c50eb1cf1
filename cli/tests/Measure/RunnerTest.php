<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Measure;

use Larder\Cli\Command\Interrupted;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Journal;
use Larder\Cli\Measure\Runner;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

final class RunnerTest extends TestCase
{
    /** @var list<string> "store figure problem" of each sample */
    private array $told = [];

    /** @var array<string, string> reason by block */
    private array $notMeasured = [];

    /** @var list<array{int, string, ?float}> */
    private array $progress = [];

    public function testEveryBlockRunsOnceARoundInANewlyShuffledOrder(): void
    {
        $blocks = array_map(static fn(int $i): CountingBlock => new CountingBlock("store $i"), range(1, 12));
        $this->runAll(new Runner($blocks, 3));
        $rounds = array_chunk(array_column(\array_slice($this->progress, 0, -1), 1), 12);
        self::assertCount(3, $rounds);
        foreach ($rounds as $round) {
            self::assertCount(12, array_unique($round));
        }
        self::assertGreaterThan(1, \count(array_unique(array_map(serialize(...), $rounds))));
    }

    public function testProgressCountsStepsAndEstimatesTheTimeLeft(): void
    {
        $this->runAll(new Runner([new CountingBlock('a'), new CountingBlock('b')], 3));
        self::assertSame([0, 1, 2, 3, 4, 5, 6], array_column($this->progress, 0));
        $left = array_column($this->progress, 2);
        self::assertSame([null, null], \array_slice($left, 0, 2), 'while too few blocks have run');
        self::assertGreaterThan(0.0, $left[2]);
        self::assertSame(0.0, end($left));
    }

    public function testUnavailableBlockIsReportedOnceAndDropped(): void
    {
        $block = new CountingBlock('gone', new Unavailable('no server'));
        $this->runAll(new Runner([$block, new CountingBlock('here')], 3));
        self::assertSame([['gone' => 'no server'], 1], [$this->notMeasured, $block->runs]);
        self::assertSame(6, end($this->progress)[0] ?? null);
    }

    public function testBlockThatBecomesUnavailableFails(): void
    {
        $this->runAll(new Runner([new CountingBlock('redis', new Unavailable('refused'), from: 2)], 2));
        self::assertSame(['redis 1 ', 'redis  can no longer be opened: refused'], $this->told);
        self::assertSame([], $this->notMeasured);
    }

    /** A row with a failure has no figure, and a stopped server would cost its full timeout each time. */
    public function testBlockThatHasFailedDoesNotRunAgain(): void
    {
        $directory = new TemporaryDirectory();
        $file = $directory->path . '/journal.jsonl';
        $block = new CountingBlock('redis', new Unavailable('refused'), from: 2);
        $other = new CountingBlock('apcu');
        $this->runAll(new Runner([$block, $other], 5, Journal::start($file, [])));
        self::assertSame([2, 5], [$block->runs, $other->runs]);
        self::assertSame(10, end($this->progress)[0] ?? null, 'the steps left out count as done');

        $again = new CountingBlock('redis');
        $this->runAll(new Runner([$again, new CountingBlock('apcu')], 5, Journal::continue($file, [])));
        self::assertSame(0, $again->runs, 'nor in a run that continues this one');
    }

    /** The duration of a block that waits for a minute and fails is not typical of later blocks. */
    public function testTimeLeftIsThatOfBlocksThatWork(): void
    {
        $slow = new CountingBlock('slow', new Unavailable('hangs'), from: 2, seconds: 0.3);
        $this->runAll(new Runner(
            [$slow, ...array_map(static fn(int $i): CountingBlock => new CountingBlock("store $i"), range(1, 20))],
            10,
        ));
        $left = array_filter(array_column($this->progress, 2), static fn(?float $seconds): bool => $seconds !== null);
        self::assertNotSame([], $left);
        // The minimum of a round, as a busy machine may delay some blocks. With the slow block each value would be 2.1
        // s or more.
        $known = array_slice(array_column($this->progress, 2), 42, 20);
        self::assertLessThan(2.0, min([60.0, ...$known]), 'in the round after the one in which it failed');
    }

    public function testInterruptedRunStopsItsBlockAndIsContinued(): void
    {
        $directory = new TemporaryDirectory();
        $file = $directory->path . '/journal.jsonl';
        $interrupted = new CountingBlock('b', new Interrupted(\SIGINT), from: 2);
        $runner = new Runner([new CountingBlock('a'), $interrupted], 3, Journal::start($file, []));

        try {
            $this->runAll($runner);
            self::fail('not interrupted');
        } catch (Interrupted) {
            $runner->stop();
        }
        unset($runner); // this also releases the journal's lock
        self::assertTrue($interrupted->isStopped);
        $before = \count($this->told);
        $this->told = [];
        $again = [new CountingBlock('a'), new CountingBlock('b')];
        $this->runAll(new Runner($again, 3, Journal::continue($file, [])));
        self::assertCount(6, $this->told, 'with those of the first part');
        self::assertSame(6 - $before, $again[0]->runs + $again[1]->runs);
    }

    private function runAll(Runner $runner): void
    {
        $runner->run(
            function (Sample $sample): void {
                $this->told[] = \sprintf('%s %s %s', $sample->subject->store, $sample->figure, $sample->problem);
            },
            function (Block $block, string $reason): void {
                $this->notMeasured[$block->name()] = $reason;
            },
            function (int $done, string $block, ?float $left): void {
                $this->progress[] = [$done, $block, $left];
            },
        );
    }
}
