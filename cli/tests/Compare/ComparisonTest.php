<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Comparison;
use Larder\Cli\Compare\Kind;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\Plan;
use Larder\Cli\Compare\Result;
use Larder\Cli\Compare\Row;
use Larder\Cli\Compare\Target;
use Larder\Cli\Compare\TimeBudget;
use Larder\Cli\Compare\Value;
use Larder\Cli\Php;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\TemporaryDirectory;
use Larder\Contract\Store;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Real measuring processes; what they find of stores that work, and of stores that do not. */
final class ComparisonTest extends TestCase
{
    public function testWorkingStoreHasAFigureFromEveryRound(): void
    {
        $rows = self::compare([HonestStore::class], ['10b', '128k', '50 x 50 array'], Operation::cases(), rounds: 2)->rows;
        self::assertCount(6, $rows);
        foreach ($rows as $row) {
            self::assertSame([2, 0, ''], [$row->rounds, $row->failures, $row->problem]);
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
    public function testFailingStoreHasNoFigure(string $store, string $value, Operation $operation, string $problem): void
    {
        $result = self::compare([$store, HonestStore::class], [$value], [$operation]);
        $rows = array_combine(array_map(static fn(Row $row): string => $row->target->store, $result->rows), $result->rows);
        $failing = $rows[$store] ?? null;
        self::assertNotNull($failing);
        self::assertMatchesRegularExpression($problem, $failing->problem);
        self::assertGreaterThan(0, $failing->failures);
        self::assertSame([null, null, null], [$failing->median, $failing->low, $failing->high]);
        self::assertSame(HonestStore::class, $result->fastest(Value::all()[$value], $operation)?->target->store);
        self::assertSame(0, $rows[HonestStore::class]->failures ?? null);
    }

    /** What fails in one value does not spoil the others. */
    public function testFailureInOneValueDoesNotAffectTheOthers(): void
    {
        $rows = self::compare([RefusingStore::class], ['1k', '2k'], [Operation::Get])->rows;
        self::assertSame(['1k', '2k'], [$rows[0]->value->name ?? null, $rows[1]->value->name ?? null]);
        self::assertNotNull($rows[0]->median);
        self::assertNull($rows[1]->median);
    }

    public function testUnavailableStoreIsReportedWithItsReason(): void
    {
        $plan = self::plan(['10b'], [Operation::Get], 2);
        $steps = 0;
        $result = (new Comparison($plan, [
            new Target('gone', 'tcp', 'memcached://127.0.0.1:1', Kind::Server),
            new Target('honest', null, HonestStore::class, Kind::Local),
        ]))->run(static function (int $done) use (&$steps): void {
            $steps = $done;
        });
        self::assertCount(1, $result->notMeasured);
        self::assertSame(['gone', 'tcp'], [$result->notMeasured[0]->store, $result->notMeasured[0]->connection]);
        self::assertStringContainsString('127.0.0.1:1', $result->notMeasured[0]->reason);
        self::assertSame(['honest'], array_map(static fn(Row $row): string => $row->target->store, $result->rows));
        self::assertSame(4, $steps);
    }

    /** A server that ends between two rounds. */
    public function testStoreThatGoesAwayHasNoFigure(): void
    {
        $directory = new TemporaryDirectory();
        $server = RedisServer::start($directory->path);
        $result = (new Comparison(self::plan(['10b'], [Operation::Get], 2), [
            new Target('redis', 'socket', 'redis://' . $server->socket, Kind::Server),
        ]))->run(static function (int $done) use ($server): void {
            if ($done === 1) {
                $server->stop();
            }
        });
        self::assertSame([], $result->notMeasured);
        self::assertCount(1, $result->rows);
        self::assertSame([null, 1, 1], [$result->rows[0]->median, $result->rows[0]->rounds, $result->rows[0]->failures]);
        self::assertStringStartsWith('can no longer be opened: redis', $result->rows[0]->problem);
    }

    public function testEachRoundHasItsOwnProcessWithOpcacheUnlessSwitchedOff(): void
    {
        $plan = self::plan(['10b'], [Operation::Get], 1);
        $handshakes = (new Comparison($plan, [
            new Target('with', null, HonestStore::class, Kind::Local),
            new Target('without', null, HonestStore::class, Kind::Local, new Php(['opcache.enable_cli' => '0'])),
        ]))->run(static fn() => null)->handshakes;
        self::assertTrue($handshakes['with']->opcache ?? null);
        self::assertFalse($handshakes['without']->opcache ?? null);
    }

    /**
     * @param list<class-string<Store>> $stores
     * @param non-empty-list<string> $values
     * @param non-empty-list<Operation> $operations
     * @param positive-int $rounds
     */
    private static function compare(array $stores, array $values, array $operations, int $rounds = 1): Result
    {
        $targets = array_map(static fn(string $store): Target => new Target($store, null, $store, Kind::Local), $stores);

        return (new Comparison(self::plan($values, $operations, $rounds), $targets))->run(static fn() => null);
    }

    /**
     * @param non-empty-list<string> $values
     * @param non-empty-list<Operation> $operations
     * @param positive-int $rounds
     */
    private static function plan(array $values, array $operations, int $rounds): Plan
    {
        $all = Value::all();

        return new Plan(array_map(static fn(string $name): Value => $all[$name], $values), $operations, $rounds, new TimeBudget(100_000, 1_000_000));
    }
}
