<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Study;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Report\Kind;
use Larder\Cli\Study\Cell;
use Larder\Cli\Study\Operation;
use Larder\Cli\Study\ProcessBlock;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Tests\Compare\AlteringStore;
use Larder\Cli\Tests\Compare\DyingStore;
use Larder\Cli\Tests\Compare\FrozenStore;
use Larder\Cli\Tests\Compare\HonestStore;
use Larder\Cli\Tests\Compare\LosingStore;
use Larder\Cli\Tests\Compare\RefusingStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Runs real measuring processes, on stores that work and stores that do not. */
final class ProcessBlockTest extends TestCase
{
    private const MILLISECOND = 1_000_000;
    private const CELL = 100 * self::MILLISECOND;
    private const TRIES = 20;

    public function testEverySubjectOfAWorkingStoreHasAFigure(): void
    {
        $block = self::block(
            HonestStore::class,
            [Operation::Get, Operation::Set, Operation::SetThenGet],
            '1k',
            500,
            milliseconds: 60_000,
        );
        $samples = self::measure($block);
        self::assertCount(3, $samples);
        foreach ($samples as $sample) {
            self::assertSame([0, ''], [$sample->failures, $sample->problem]);
            self::assertGreaterThan(0.0, $sample->figure);
            self::assertSame(500, $block->operations($sample->subject));
            self::assertFalse($block->isCutShort($sample->subject));
        }
        self::measure($block);
        self::assertSame(1000, $block->operations($samples[0]->subject));
    }

    public function testStoreIsOpenedForEveryGetThatConnects(): void
    {
        $directory = new TemporaryDirectory();
        $sample = self::measure(self::block('file://' . $directory->path, [Operation::ConnectGetClose], '11 b', 20))[0];
        self::assertSame('', $sample->problem);
        self::assertGreaterThan(0.0, $sample->figure);
    }

    public function testCellEndsWithItsTime(): void
    {
        $block = self::block('array:', [Operation::Get], '1k', \PHP_INT_MAX, milliseconds: 500);
        $sample = self::measure($block)[0];
        self::assertNotNull($sample->figure);
        self::assertTrue($block->isCutShort($sample->subject));
    }

    /** @return iterable<string, array{string, Operation, string, string}> */
    public static function failingStores(): iterable
    {
        yield 'loses a value' => [LosingStore::class, Operation::Get, '1k', '/^loses values$/'];
        yield 'changes a byte' => [AlteringStore::class, Operation::Get, '1k', '/^changes values$/'];
        yield 'changes a byte after a set' => [AlteringStore::class, Operation::SetThenGet, '1k', '/^changes values$/'];
        yield 'keeps the old value' => [FrozenStore::class, Operation::SetThenGet, '1k', '/^changes values$/'];
        yield 'refuses' => [RefusingStore::class, Operation::SetThenGet, '2k', '/^loses or refuses values$/'];
        yield 'ends the process' => [DyingStore::class, Operation::Get, '1k', '/^exited with status 9: no more$/'];
        yield 'forgets when it is closed' => ['array:', Operation::ConnectGetClose, '1k', '/^loses values$/'];
    }

    #[DataProvider('failingStores')]
    public function testFailingStoreHasNoFigure(
        string $store,
        Operation $operation,
        string $value,
        string $problem,
    ): void {
        $sample = self::measure(self::block($store, [$operation], $value, 100))[0];
        self::assertNull($sample->figure);
        self::assertGreaterThan(0, $sample->failures);
        self::assertMatchesRegularExpression($problem, $sample->problem);
    }

    public function testStoreThatIsNotThereIsUnavailable(): void
    {
        $this->expectException(Unavailable::class);
        $this->expectExceptionMessageMatches('/127\.0\.0\.1:1/');
        self::measure(self::block('memcached://127.0.0.1:1', [Operation::Get], '1k', 1));
    }

    public function testFigureOfSeveralProcessesIsOneSample(): void
    {
        $directory = new TemporaryDirectory();
        // Tries again if the machine stood still beyond the time limit of a cell.
        $tries = 0;
        do {
            $block = self::block('file://' . $directory->path, [Operation::Set, Operation::Get], '1k', 50, 3);
            $samples = self::measure($block);
            $isCutShort = array_filter(
                $samples,
                static fn(Sample $sample): bool => $block->isCutShort($sample->subject),
            ) !== [];
        } while ($isCutShort && ++$tries < self::TRIES);
        self::assertCount(2, $samples);
        foreach ($samples as $sample) {
            self::assertSame('', $sample->problem);
            self::assertGreaterThan(0.0, $sample->figure);
            self::assertSame(150, $block->operations($sample->subject));
        }
    }

    public function testOneFailureAmongSeveralProcessesIsAFailure(): void
    {
        $sample = self::measure(self::block(DyingStore::class, [Operation::Get], '1k', 50, 2))[0];
        self::assertSame([null, 2], [$sample->figure, $sample->failures]);
    }

    public function testProcessesThatMeasureAtOnceBeginEachCellTogether(): void
    {
        $values = ['1k', '2k', '4k'];
        // Tries again if a process was delayed until the next cell was due.
        $tries = 0;
        do {
            $record = self::record(self::reads($values, processes: 2));
            self::assertCount(6, $record);
            self::assertCount(6, array_unique(array_column($record, 1)), 'each process has keys of its own');
            $moments = [];
            foreach ($record as [$process, $key, $moment]) {
                self::assertStringStartsWith('study-', $key);
                $moments[$process][] = $moment;
            }
            self::assertCount(2, $moments);
            // Each cell takes a moment, but the next one begins after three times the time limit of a cell.
            $shortest = \PHP_INT_MAX;
            foreach ($moments as [$first, $second, $third]) {
                $shortest = min($shortest, $second - $first, $third - $second);
            }
        } while ($shortest <= self::CELL && ++$tries < self::TRIES);
        self::assertGreaterThan(self::CELL, $shortest);
    }

    public function testOrderedCellsAreMeasuredInTheirOrderAndOthersInAnyOrder(): void
    {
        $values = ['4k', '10b', '2k', '1k', '0.3k', '0.1k'];
        $keys = array_map(static fn(string $value): string => 'study-0-' . $value, $values);
        self::assertSame($keys, array_column(self::record(self::reads($values, isOrdered: true)), 1));
        $tries = 0;
        do {
            $order = array_column(self::record(self::reads($values)), 1);
            self::assertEqualsCanonicalizing($keys, $order);
        } while ($order === $keys && ++$tries < 5); // chance of one in 720
        self::assertNotSame($keys, $order);
    }

    /**
     * @param non-empty-list<string> $values
     * @param positive-int $processes
     */
    private static function reads(array $values, int $processes = 1, bool $isOrdered = false): ProcessBlock
    {
        $figures = array_map(static fn(string $value): array => [
            new Subject('a table', 'a store', null, $value, null, 'get'),
            new Cell(Operation::Get, $value, 1),
        ], $values);

        return new ProcessBlock(
            'a block',
            $figures,
            new Target('a store', null, RecordingStore::class, Kind::Local),
            self::CELL,
            $processes,
            isOrdered: $isOrdered,
        );
    }

    /** @return list<array{int, string, int}> process, key and time of each set, in the order of the sets */
    private static function record(ProcessBlock $block): array
    {
        $directory = new TemporaryDirectory();
        $_SERVER['LARDER_TEST_RECORD'] = $directory->path . '/record';
        putenv('LARDER_TEST_RECORD=' . $directory->path . '/record');

        try {
            foreach (self::measure($block) as $sample) {
                self::assertSame('', $sample->problem);
            }
        } finally {
            putenv('LARDER_TEST_RECORD');
            unset($_SERVER['LARDER_TEST_RECORD']);
        }
        $record = [];
        foreach ((array) file($directory->path . '/record') as $line) {
            [$process, $key, $moment] = [...explode(' ', (string) $line), '', ''];
            $record[] = [(int) $process, $key, (int) $moment];
        }

        return $record;
    }

    /**
     * @param non-empty-list<Operation> $operations
     * @param positive-int $times
     * @param positive-int $processes
     * @param positive-int $milliseconds time limit of each figure
     */
    private static function block(
        string $store,
        array $operations,
        string $value,
        int $times,
        int $processes = 1,
        int $milliseconds = 500,
    ): ProcessBlock {
        $figures = array_map(static fn(Operation $operation): array => [
            new Subject('a table', 'a store', null, $value, null, $operation->value),
            new Cell($operation, $value, $times),
        ], $operations);

        return new ProcessBlock(
            'a block',
            $figures,
            new Target('a store', null, $store, Kind::Local),
            $milliseconds * self::MILLISECOND,
            $processes,
        );
    }

    /** @return list<Sample> in the order of the subjects */
    private static function measure(ProcessBlock $block): array
    {
        $samples = [];
        $block->run(static function (Sample $sample) use (&$samples): void {
            $samples[$sample->subject->key()] = $sample;
        });

        return array_map(static fn(Subject $subject): Sample => $samples[$subject->key()], $block->subjects());
    }
}
