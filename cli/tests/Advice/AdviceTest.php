<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Advice;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Profile;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Tests\Report\Rows;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** recorded.jsonl is a result of larder compare. Opposite figures must give opposite advice. */
final class AdviceTest extends TestCase
{
    private const ONE = 'Which store, on one machine';
    private const SEVERAL = 'Which store, for several machines';

    public function testAdviceFollowsTheRecordedFigures(): void
    {
        $advice = Advice::of(self::recorded());
        self::assertStringStartsWith('Take larder: ', $advice[self::ONE][0]);
        self::assertMatchesRegularExpression('/^apcu takes [\d.]+ times as long \([\d.]+ to [\d.]+\): /', $advice[self::ONE][2]);
        self::assertContains('Strings of 10 B to 16 kB: larder.', $advice['By size']);
        self::assertStringNotContainsString('larder', $advice[self::SEVERAL][0], 'other machines do not reach it');
    }

    /** The other store has the figures of the engine. */
    #[TestWith(['apcu', null])]
    #[TestWith(['redis', 'socket'])]
    #[TestWith(['file', 'tmpfs'])]
    #[TestWith(['memcached', 'tcp'])]
    public function testWhoeverHasTheBestFiguresIsAdvised(string $store, ?string $connection): void
    {
        $rows = [];
        foreach (self::recorded()->rows as $row) {
            $fields = $row->toArray();
            [$is, $way] = [$fields['store'], $fields['connection']];
            if ($is === 'larder') {
                [$fields['store'], $fields['connection']] = [$store, $connection];
            } elseif ($is === $store && $way === $connection) {
                [$fields['store'], $fields['connection']] = ['larder', null];
            }
            $rows[] = Row::fromArray($fields);
        }
        $advice = Advice::of(new Report(Rows::ENVIRONMENT, $rows));
        $name = trim("$store $connection");
        self::assertStringStartsWith("Take $name: ", $advice[self::ONE][0]);
        self::assertContains("Strings of 10 B to 16 kB: $name.", $advice['By size']);
        self::assertStringContainsString("reads: $name.", $advice['By read share'][0]);
        self::assertStringNotContainsString('larder', implode($advice['Change first'] ?? []), 'not even as a local tier');
    }

    /** The same figures under both names: no difference, and no preference. */
    public function testEqualFiguresGiveNoPreference(): void
    {
        $rows = self::recorded()->rows;
        foreach ($rows as $row) {
            if ($row->subject->store === 'apcu') {
                $rows[] = Rows::with(new Subject('compare', 'redis', 'socket', $row->subject->value, $row->subject->bytes, $row->subject->operation), array_map(static fn(float $sample): float => $sample * 1.0001, array_reverse($row->samples)));
            }
        }
        $rows = array_values(array_filter($rows, static fn(Row $row): bool => $row->subject->store === 'apcu' || ($row->subject->store === 'redis' && $row->subject->connection === 'socket' && $row->samples[0] < 1e9)));
        $rows = array_values(array_combine(array_map(static fn(Row $row): string => $row->subject->key(), $rows), $rows));
        $advice = Advice::of(new Report(Rows::ENVIRONMENT, $rows));
        self::assertMatchesRegularExpression('/^Take (apcu or redis socket|redis socket or apcu) \(no difference\): /', $advice[self::ONE][0]);
        self::assertStringContainsString('choose by what you run already', $advice[self::ONE][1]);
    }

    public function testSizesAndReadSharesCanHaveDifferentAnswers(): void
    {
        $rows = [];
        foreach (['10b' => 10, '1k' => 1000, '64k' => 64_000] as $value => $bytes) {
            foreach (['get' => [100, 50 + $bytes / 10], 'set' => [300_000, 1000]] as $operation => [$apcu, $file]) {
                $rows[] = Rows::of('apcu', Rows::around($apcu), $value, $operation, bytes: $bytes);
                $rows[] = Rows::of('file', Rows::around($file), $value, $operation, 'tmpfs', bytes: $bytes);
            }
        }
        $report = new Report(Rows::ENVIRONMENT, $rows);
        $advice = Advice::of($report, new Profile([1000 => 1.0], [], readShare: 1.0));
        self::assertSame(['Strings of 10 B: file tmpfs.', 'Strings of 1 kB to 64 kB: apcu.'], $advice['By size']);
        self::assertStringStartsWith('Take apcu: ', $advice[self::ONE][0]);
        self::assertStringStartsWith('Take file tmpfs: ', Advice::of($report, new Profile([10 => 1.0], [], readShare: 1.0))[self::ONE][0]);
        self::assertStringStartsWith('Take file tmpfs: ', Advice::of($report, new Profile([1000 => 1.0], [], readShare: 0.9))[self::ONE][0], 'the sets decide');
        self::assertSame(['100 % reads: apcu.', '99 %, 90 %, 50 % reads: file tmpfs.'], Advice::of($report)['By read share']);
    }

    public function testCostIsThatOfTheProfile(): void
    {
        $rows = [Rows::of('apcu', Rows::around(200)), Rows::of('apcu', Rows::around(1000), operation: 'set'), Rows::of('apcu', Rows::around(100), '10b', bytes: 10), Rows::of('apcu', Rows::around(500), '10b', 'set', bytes: 10)];
        $advice = Advice::of(new Report(Rows::ENVIRONMENT, $rows), new Profile([1000 => 0.5, 10 => 0.5], [], readShare: 0.8, hitRate: 0.5, operationsPerRequest: 20, requestsPerSecond: 50, machines: 1));
        // A get is 150 ns on average, and 100 ns when it misses; a set is 750 ns: 20 x (0.8 x 125 + 0.2 x 750).
        self::assertMatchesRegularExpression('/^Take apcu: 5\.00 µs per request \([\d.]+ µs to [\d.]+ µs\), so 5\.00 ms for 1,000 requests\.$/', $advice[self::ONE][0]);
        self::assertSame('At 50 requests per second, that is 250 µs of every second.', $advice[self::ONE][1]);
        self::assertArrayNotHasKey(self::SEVERAL, $advice);
        self::assertStringContainsString('20 operations per request, 80 % of them gets, of which 50 % find something', $advice['Assumed'][0]);
    }

    /** @return iterable<string, array{list<Row>, string, string}> rows, where the change has to stand, and its beginning */
    public static function changes(): iterable
    {
        foreach (['better' => ['Change first', 50], 'worse' => ['Do not change', 150], 'equal' => ['Makes no difference', 100.02]] as $case => [$title, $percent]) {
            $with = static fn(float $figure): array => array_reverse(Rows::around($figure * $percent / 100));
            foreach (['serializer' => 'igbinary', 'compression' => 'on'] as $setting => $value) {
                $rows = [];
                foreach (['get', 'set'] as $operation) {
                    $rows[] = Rows::of('redis', Rows::around(9000), operation: $operation, connection: 'tcp', settings: ['processes' => '1'], table: '2016: strings');
                    $rows[] = Rows::of('redis', $with(9000), operation: $operation, connection: 'tcp', settings: ['processes' => '1', $setting => $value], table: '2016: strings');
                }
                yield "$setting, $case" => [$rows, $title, "redis tcp: $setting $value"];
            }
            $rows = [];
            foreach (['get', 'set'] as $operation) {
                $rows[] = Rows::of('redis', Rows::around(9000), operation: $operation, connection: 'tcp');
                $rows[] = Rows::of('redis', $with(9000), operation: $operation, connection: 'socket');
            }
            yield "socket, $case" => [$rows, $title, 'redis tcp: a Unix socket instead of TCP'];
            $rows = [Rows::of('redis', Rows::around(9000), connection: 'tcp'), Rows::of('redis', $with(9000), operation: 'set', connection: 'tcp'), Rows::of('redis', array_reverse(Rows::around(9000 / $percent * 100)), operation: 'connect+get+close', connection: 'tcp')];
            yield "persistent, $case" => [$rows, $title, 'redis tcp: a persistent connection'];
        }
        $server = [Rows::of('redis', Rows::around(9000), connection: 'tcp'), Rows::of('redis', Rows::around(9000), operation: 'set', connection: 'tcp')];
        yield 'a quick local tier' => [[...$server, Rows::of('apcu', Rows::around(200)), Rows::of('apcu', Rows::around(900), operation: 'set')], 'Change first', 'redis tcp: apcu as a local tier'];
        yield 'a slow local tier' => [[...$server, Rows::of('apcu', Rows::around(9000)), Rows::of('apcu', Rows::around(90_000), operation: 'set')], 'Do not change', 'redis tcp: apcu as a local tier'];
    }

    /** @param list<Row> $rows */
    #[DataProvider('changes')]
    public function testChangeIsAdvisedWhereItSaves(array $rows, string $title, string $what): void
    {
        $advice = Advice::of(new Report(Rows::ENVIRONMENT, $rows));
        foreach (['Change first', 'Do not change', 'Makes no difference'] as $each) {
            $lines = array_filter($advice[$each] ?? [], static fn(string $line): bool => str_starts_with($line, $what));
            self::assertCount($each === $title ? 1 : 0, $lines, $each . ': ' . implode(' ', $advice[$each] ?? []));
        }
    }

    public function testSavingIsTheDifferencePerRequest(): void
    {
        $rows = [];
        foreach (['tcp' => 9000, 'socket' => 6000] as $connection => $figure) {
            array_push($rows, Rows::of('redis', Rows::around($figure), connection: $connection), Rows::of('redis', Rows::around($figure), operation: 'set', connection: $connection));
        }
        $report = new Report(Rows::ENVIRONMENT, $rows);
        self::assertMatchesRegularExpression(
            '/^redis tcp: a Unix socket instead of TCP saves 30\.0 µs per request \([\d.]+ µs to [\d.]+ µs\), 33 % of its time\.$/',
            Advice::of($report, new Profile([1000 => 1.0], [], machines: 1))['Change first'][0],
        );
        self::assertArrayNotHasKey('Change first', Advice::of($report, new Profile([1000 => 1.0], [], machines: 2)), 'a socket reaches no other machine');
    }

    public function testWhatIsKnownToSlowDownAStoreIsToldWithTheChange(): void
    {
        $rows = [];
        foreach (['tcp' => 43_800_000, 'socket' => 30_000] as $connection => $figure) {
            array_push($rows, Rows::of('memcache', Rows::around(20_000), '64k', connection: $connection, bytes: 64_000), Rows::of('memcache', Rows::around($figure), '64k', 'set', $connection, bytes: 64_000));
        }
        $lines = Advice::of(new Report(Rows::ENVIRONMENT, $rows))['Change first'];
        self::assertStringContainsString('memcache tcp: a Unix socket instead of TCP saves', $lines[0]);
        self::assertStringContainsString('(set 64k: about 40 ms are a delayed TCP acknowledgement', $lines[0]);
    }

    public function testLocalTierIsSaidToBeComputed(): void
    {
        $rows = [];
        foreach (['redis' => ['tcp', 9000], 'apcu' => [null, 200]] as $store => [$connection, $figure]) {
            array_push($rows, Rows::of($store, Rows::around($figure), connection: $connection), Rows::of($store, Rows::around($figure), operation: 'set', connection: $connection));
        }
        self::assertMatchesRegularExpression('/^redis tcp: apcu as a local tier would save .* \(Computed, not measured: /', Advice::of(new Report(Rows::ENVIRONMENT, $rows))['Change first'][0]);
    }

    public function testTheStoreOfTheProfileIsTheOneToChange(): void
    {
        $changes = static fn(?string $store): string => implode(' ', array_merge(...array_values(array_intersect_key(
            Advice::of(self::recorded(), new Profile([1000 => 1.0], [], store: $store)),
            array_flip(['Change first', 'Do not change', 'Makes no difference']),
        ))));
        self::assertStringContainsString('redis tcp', $changes('redis tcp'));
        self::assertStringNotContainsString('memcached', $changes('redis tcp'));
        self::assertStringContainsString('memcached', $changes(null));
        self::assertStringContainsString('mongodb, the store of the profile, which was not measured', implode(Advice::of(self::recorded(), new Profile([1000 => 1.0], [], store: 'mongodb'))['Not considered']));
    }

    public function testSavingComparedWithTheStoreOfTheProfileIsNamed(): void
    {
        $rows = [];
        foreach (['apcu' => [null, 100], 'redis' => ['tcp', 10_000]] as $store => [$connection, $figure]) {
            array_push($rows, Rows::of($store, Rows::around($figure), connection: $connection), Rows::of($store, Rows::around($figure), operation: 'set', connection: $connection));
        }
        $lines = static fn(?string $store): array => Advice::of(new Report(Rows::ENVIRONMENT, $rows), new Profile([1000 => 1.0], [], requestsPerSecond: 20, machines: 1, store: $store))[self::ONE];
        self::assertMatchesRegularExpression('/^You use redis tcp: 100 µs per request\. The change saves 99\.0 µs \([\d.]+ µs to [\d.]+ µs\), 99 % of that, or 1\.98 ms of every second\.$/', $lines('redis tcp')[2]);
        self::assertSame('You use apcu: keep it.', $lines('apcu')[2]);
        self::assertStringNotContainsString('You use', implode($lines(null)));
    }

    public function testValuesFarFromTheMeasuredOnesGiveAWarning(): void
    {
        $rows = [Rows::of('apcu', Rows::around(50_000), '50 x 50 array', bytes: 24_847), Rows::of('apcu', Rows::around(50_000), '50 x 50 array', 'set', bytes: 24_847)];
        $careful = static fn(int $bytes, float $share): string => implode(Advice::of(new Report(Rows::ENVIRONMENT, $rows), new Profile([], [$bytes => $share, 24_000 => 1 - $share]))['Careful'] ?? []);
        self::assertStringContainsString('40 % of the operations have arrays and objects that are much smaller or larger than any that was measured (24.8 kB to 24.8 kB)', $careful(200, 0.4));
        self::assertSame('', $careful(12_000, 0.4));
        self::assertSame('', $careful(200, 0.05));
    }

    public function testMemoryThatIsTooSmallCanDecide(): void
    {
        $rows = [];
        foreach (['apcu' => [100, 20.0], 'file' => [5000, 100.0]] as $store => [$figure, $rate]) {
            array_push($rows, Rows::of($store, Rows::around($figure)), Rows::of($store, Rows::around($figure), operation: 'set'));
            $rows[] = Rows::of($store, array_fill(0, 10, $rate), '4k', 'get', settings: ['data' => '2x the memory'], table: 'pressure: hit rate', unit: Unit::Percent);
            $rows[] = Rows::of($store, array_fill(0, 10, 100.0), '4k', 'get', settings: ['data' => '0.5x the memory'], table: 'pressure: hit rate', unit: Unit::Percent);
        }
        $report = new Report(Rows::ENVIRONMENT, $rows);
        $profile = static fn(?float $compute, float $data): Profile => new Profile([1000 => 1.0], [], machines: 1, computeMs: $compute, dataMb: $data, memoryMb: 100);
        $advice = Advice::of($report, $profile(10, 200));
        self::assertStringStartsWith('Take file: ', $advice[self::ONE][0]);
        self::assertContains('apcu then found 20 % of its keys.', $advice['Memory']);
        self::assertStringStartsWith('Take apcu: ', Advice::of($report, $profile(10, 90))[self::ONE][0], 'the control: it fits');
        self::assertStringStartsWith('Take apcu: ', Advice::of($report, $profile(0.000_001, 200))[self::ONE][0], 'the control: misses cost nothing');
        self::assertContains('What the misses cost is not counted: the profile has no compute_ms.', Advice::of($report, $profile(null, 200))['Memory']);
        $unknown = Advice::of(new Report(Rows::ENVIRONMENT, [...$rows, Rows::of('php-file', Rows::around(50)), Rows::of('php-file', Rows::around(50), operation: 'set')]), $profile(10, 200));
        self::assertStringStartsWith('Take file: ', $unknown[self::ONE][0], 'a store without a hit rate has no advantage of it');
        self::assertSame(['php-file, of which not all was measured that this needs.'], $unknown['Not considered']);
        $without = new Report([], \array_slice($rows, 0, 2));
        self::assertStringContainsString('larder compare --workload pressure', implode(Advice::of($without, $profile(10, 200))['Memory']));
    }

    public function testMissesAreComparedWithTheCache(): void
    {
        $report = new Report([], [Rows::of('redis', Rows::around(10_000), connection: 'tcp'), Rows::of('redis', Rows::around(10_000), operation: 'set', connection: 'tcp')]);
        $misses = static fn(float $hitRate): string => Advice::of($report, new Profile([1000 => 1.0], [], readShare: 0.9, hitRate: $hitRate, computeMs: 50.0))['Misses'][0];
        self::assertSame('1.8 gets of a request miss, and computing their values takes 90.0 ms. That is 900 times what the cache itself takes: raise the hit rate first (longer ttl, more memory, remember()).', $misses(0.8));
        self::assertStringEndsWith('That is less than what the cache itself takes.', $misses(0.9999));
    }

    public function testWhatCannotBeAdvisedIsNamed(): void
    {
        $failed = new Row(new Subject('compare', 'yac', null, '1k', 1000, 'get'), [], null, null, null, 3, 'lost values');
        $rows = [Rows::of('yac', Rows::around(1), operation: 'set'), $failed, Rows::of('array', Rows::around(1)), Rows::of('array', Rows::around(1), operation: 'set'), Rows::of('apcu', Rows::around(100)), Rows::of('apcu', Rows::around(100), operation: 'set')];
        $advice = Advice::of(new Report([], $rows, spoilers: ['Turbo is on.']), new Profile([1_000_000 => 0.5], [5000 => 0.5]));
        self::assertStringStartsWith('Take apcu: ', $advice[self::ONE][0]);
        self::assertSame(['yac, which failed: lost values.', 'array, which other processes cannot read.'], $advice['Not considered']);
        self::assertSame('This run may be spoiled: Turbo is on.', $advice['Careful'][0]);
        self::assertSame('50 % of the operations have strings that are much smaller or larger than any that was measured (1 kB to 1 kB). Their figures are wrong by more than the intervals tell.', $advice['Careful'][1]);
        self::assertSame(['None: no store that other machines reach was measured.'], $advice[self::SEVERAL]);
        self::assertContains('50 % of the operations have strings of sizes that were not measured: they count as the nearest measured size.', $advice['Assumed']);
        self::assertContains('No arrays and objects were measured: those of the profile count as what was measured of the same size.', $advice['Assumed']);
    }

    public function testStudyWithoutSetsIsAdvisedOnByItsGets(): void
    {
        $table = '2013: read, 13 values';
        $gets = [Rows::of('apcu', Rows::around(100), table: $table), Rows::of('redis', Rows::around(10_000), connection: 'socket', table: $table)];
        $advice = Advice::of(new Report([], $gets));
        self::assertSame('Take apcu: 1.00 µs per request (992 ns to 1.01 µs), so 1.00 ms for 1,000 requests.', $advice[self::ONE][0]);
        self::assertSame('The figures of 2013 alone, which has no sets.', $advice['Assumed'][0]);
        self::assertSame('No profile was given. The measured values in equal parts: 10 operations per request, 100 % of them gets, of which 100 % find something.', $advice['Assumed'][1]);
        self::assertArrayNotHasKey(self::SEVERAL, $advice, 'nobody asked, and no server was measured by TCP');

        $profile = new Profile([1000 => 1.0], [], machines: 1);
        self::assertSame(['None: this result has no sets, but the profile does. Measure both: larder compare --json FILE'], Advice::of(new Report([], $gets), $profile)[self::ONE]);

        $sets = [Rows::of('apcu', Rows::around(300), operation: 'set', table: $table)];
        $both = Advice::of(new Report([], [...$gets, ...$sets]));
        self::assertSame('The figures of 2013 alone.', $both['Assumed'][0]);
        self::assertStringContainsString(' 90 % of them gets', $both['Assumed'][1], 'the control: with sets, they count');
    }

    public function testQuickRunGivesNoAdvice(): void
    {
        self::assertSame(['No advice'], array_keys(Advice::of(new Report([], [Rows::of('apcu', [1.0, 1.0, 1.0])]))));
        self::assertSame(['No advice'], array_keys(Advice::of(new Report([], []))));
    }

    private static function recorded(): Report
    {
        return ResultFile::read(__DIR__ . '/recorded.jsonl');
    }
}
