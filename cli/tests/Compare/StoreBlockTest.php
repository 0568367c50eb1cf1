<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Measurement;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\Plan;
use Larder\Cli\Compare\StoreBlock;
use Larder\Cli\Compare\Target;
use Larder\Cli\Compare\TimeBudget;
use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Runner;
use Larder\Cli\Report\Kind;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Rows;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Contract\Store;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Runs real measuring processes on stores that work, and on stores that do not. */
final class StoreBlockTest extends TestCase
{
    public function testWorkingStoreHasAFigureFromEveryRound(): void
    {
        $rows = self::compare([
            HonestStore::class,
        ], ['10b', '128k', '50 x 50 array'], Operation::cases(), rounds: 6)['rows'];
        self::assertCount(6, $rows);
        foreach ($rows as $row) {
            self::assertSame([6, 0, ''], [\count($row->samples), $row->failures, $row->problem]);
            self::assertGreaterThan(0.0, $row->low);
            self::assertLessThanOrEqual($row->median, $row->low);
            self::assertGreaterThanOrEqual($row->median, $row->high);
        }
    }

    /** @return iterable<string, array{class-string<Store>, string, Operation, string}> */
    public static function failingStores(): iterable
    {
        yield 'loses a value' => [LosingStore::class, '10b', Operation::Get, '/^loses values$/'];
        yield 'changes a byte' => [AlteringStore::class, '10b', Operation::Get, '/^changes values$/'];
        yield 'keeps the old value' => [FrozenStore::class, '10b', Operation::Set, '/^changes values$/'];
        yield 'refuses, read' => [RefusingStore::class, '2k', Operation::Get, '/^refuses values$/'];
        yield 'refuses, written' => [RefusingStore::class, '2k', Operation::Set, '/^refuses values$/'];
        yield 'ends the process' => [DyingStore::class, '10b', Operation::Get, '/^exited with status 9: no more$/'];
    }

    /** @param class-string<Store> $store */
    #[DataProvider('failingStores')]
    public function testFailingStoreHasNoFigure(
        string $store,
        string $value,
        Operation $operation,
        string $problem,
    ): void {
        $result = self::compare([$store, HonestStore::class], [$value], [$operation]);
        $rows = array_combine(
            array_map(static fn(Row $row): string => $row->subject->store, $result['rows']),
            $result['rows'],
        );
        $failing = $rows[$store] ?? null;
        self::assertNotNull($failing);
        self::assertMatchesRegularExpression($problem, $failing->problem);
        self::assertGreaterThan(0, $failing->failures);
        self::assertSame([null, null, null], [$failing->median, $failing->low, $failing->high]);
        self::assertSame(0, $rows[HonestStore::class]->failures ?? null);
    }

    /** A failure with one value does not affect the others. */
    public function testFailureInOneValueDoesNotAffectTheOthers(): void
    {
        $rows = self::compare([RefusingStore::class], ['1k', '2k'], [Operation::Get])['rows'];
        self::assertSame(['1k', '2k'], [$rows[0]->subject->value ?? null, $rows[1]->subject->value ?? null]);
        self::assertNotNull($rows[0]->median);
        self::assertNull($rows[1]->median);
    }

    public function testUnavailableStoreIsReportedWithItsReason(): void
    {
        $plan = self::plan(['10b'], [Operation::Get]);
        $steps = 0;
        $result = self::measured([
            new StoreBlock(new Target('gone', 'tcp', 'memcached://127.0.0.1:1', Kind::Server), $plan),
            new StoreBlock(new Target('honest', null, HonestStore::class, Kind::Local), $plan),
        ], 2, static function (int $done) use (&$steps): void {
            $steps = $done;
        });
        self::assertCount(1, $result['notMeasured']);
        self::assertSame('gone tcp', $result['notMeasured'][0][0]);
        self::assertStringContainsString('127.0.0.1:1', $result['notMeasured'][0][1]);
        self::assertSame(['honest'], array_map(static fn(Row $row): string => $row->subject->store, $result['rows']));
        self::assertSame(4, $steps);
    }

    /** The server ends between two rounds. */
    public function testStoreThatGoesAwayHasNoFigure(): void
    {
        $directory = new TemporaryDirectory();
        $server = RedisServer::start($directory->path);
        $result = self::measured([
            new StoreBlock(
                new Target('redis', 'socket', 'redis://' . $server->socket, Kind::Server),
                self::plan(['10b'], [Operation::Get]),
            ),
        ], 2, static function (int $done) use ($server): void {
            if ($done === 1) {
                $server->stop();
            }
        });
        self::assertSame([], $result['notMeasured']);
        self::assertCount(1, $result['rows']);
        self::assertSame(
            [null, [], 1],
            [$result['rows'][0]->median, $result['rows'][0]->samples, $result['rows'][0]->failures],
        );
        self::assertStringStartsWith('can no longer be opened: redis', $result['rows'][0]->problem);
    }

    public function testProcessesHaveOpcacheUnlessSwitchedOff(): void
    {
        foreach ([[new Php(), '1'], [new Php(['opcache.enable_cli' => '0']), '']] as [$php, $expected]) {
            $process = new Process(
                $php->command(['-r', 'echo (bool) (opcache_get_status(false)["opcache_enabled"] ?? false);']),
            );
            self::assertSame($expected, $process->mustRun()->getOutput());
        }
    }

    public function testMeasurementSurvivesThePipe(): void
    {
        foreach ([
            new Measurement('1k', Operation::Set, 12.0),
            new Measurement('10b', Operation::Get, null, 3, "throws\n\xff"),
        ] as $measurement) {
            $read = Measurement::fromLine($measurement->line());
            self::assertStringNotContainsString("\n", $measurement->line());
            self::assertSame(
                [$measurement->value, $measurement->operation, $measurement->nanoseconds, $measurement->failures],
                [$read->value, $read->operation, $read->nanoseconds, $read->failures],
            );
        }
    }

    /**
     * @param list<class-string<Store>> $stores
     * @param non-empty-list<string> $values
     * @param non-empty-list<Operation> $operations
     * @param positive-int $rounds
     * @return array{rows: list<Row>, notMeasured: list<array{string, string}>}
     */
    private static function compare(array $stores, array $values, array $operations, int $rounds = 1): array
    {
        $plan = self::plan($values, $operations);

        return self::measured(
            array_map(
                static fn(string $store): StoreBlock
                    => new StoreBlock(new Target($store, null, $store, Kind::Local), $plan),
                $stores,
            ),
            $rounds,
        );
    }

    /**
     * @param list<StoreBlock> $blocks
     * @param positive-int $rounds
     * @return array{rows: list<Row>, notMeasured: list<array{string, string}>}
     */
    private static function measured(array $blocks, int $rounds, ?\Closure $progress = null): array
    {
        $rows = new Rows(array_merge(...array_map(static fn(StoreBlock $block): array => $block->subjects(), $blocks)));
        $notMeasured = [];
        (new Runner($blocks, $rounds))
            ->run($rows->add(...), static function (Block $block, string $reason) use (&$notMeasured): void {
                $notMeasured[] = [$block->name(), $reason];
            }, $progress ?? static fn() => null);

        return ['rows' => $rows->all(), 'notMeasured' => $notMeasured];
    }

    /**
     * @param non-empty-list<string> $values
     * @param non-empty-list<Operation> $operations
     */
    private static function plan(array $values, array $operations): Plan
    {
        $all = Value::all();

        return new Plan(
            array_map(static fn(string $name): Value => $all[$name], $values),
            $operations,
            new TimeBudget(100_000, 1_000_000),
        );
    }
}
