<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Advice;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Answer;
use Larder\Cli\Advice\Profile;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Tests\Report\Rows;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Drivers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** recorded.jsonl is a result of larder compare. Opposite figures must give opposite advice. */
final class AdviceTest extends TestCase
{
    private const CHANGES = ['Saves time', 'Takes longer', 'Makes no difference'];

    public function testAdviceFollowsTheRecordedFigures(): void
    {
        $advice = self::of(self::recorded());
        $answers = $advice->answers();
        self::assertMatchesRegularExpression(
            '/^Use Larder\. APCu takes 60 times as long\.$/',
            $answers[Advice::ONE]->text,
        );
        self::assertSame('larder:', $answers[Advice::ONE]->dsn);
        self::assertContains('Strings of 10 B to 16 kB: larder.', $advice->details()['By size']);
        self::assertStringNotContainsString(
            'Larder',
            $answers[Advice::SEVERAL]->text,
            'other machines do not reach it',
        );
        self::assertSame('memcached://HOST', $answers[Advice::SEVERAL]->dsn);
    }

    /** The other store gets the engine's figures. */
    #[TestWith(['apcu', null, 'APCu', 'apcu:'])]
    #[TestWith(['redis', 'socket', 'Redis by socket', 'redis:///SOCKET'])]
    #[TestWith(['file', 'tmpfs', 'files on tmpfs', 'file:///FOLDER'])]
    #[TestWith(['memcached', 'tcp', 'Memcached', 'memcached://HOST'])]
    public function testStoreWithTheBestFiguresIsAdvised(
        string $store,
        ?string $connection,
        string $title,
        string $dsn,
    ): void {
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
        $advice = self::of(new Report(Rows::ENVIRONMENT, $rows));
        $answer = $advice->answers()[Advice::ONE];
        self::assertStringStartsWith("Use $title. ", $answer->text);
        self::assertSame($dsn, $answer->dsn);
        self::assertContains(
            'Strings of 10 B to 16 kB: ' . trim("$store $connection") . '.',
            $advice->details()['By size'],
        );
        self::assertSame($title, $advice->chart()[Advice::ONE][0]->title);
    }

    /** The same figures under both names: no difference, and no preference. */
    public function testEqualFiguresGiveNoPreference(): void
    {
        $rows = self::pair('apcu', null, 100.0);
        foreach (self::pair('redis', 'socket', 100.01) as $row) {
            $rows[] = Rows::with($row->subject, array_reverse($row->samples));
        }
        $text = self::of(new Report(Rows::ENVIRONMENT, $rows))->answers()[Advice::ONE]->text;
        self::assertMatchesRegularExpression(
            '/^Use (APCu or Redis by socket|Redis by socket or APCu) \(no difference\)\.$/',
            $text,
        );
    }

    /**
     * Three rounds show facts: a store is ahead in all of them, by the factor of the closest round, or there is no
     * order.
     */
    public function testFewRoundsStateFacts(): void
    {
        $answers = self::threeRounds([10.0, 20.0, 15.0]);
        self::assertSame('Use Larder. It was ahead in all 3 rounds, 19 times or more.', $answers[Advice::ONE]);
        self::assertMatchesRegularExpression(
            '/^(Memcached, Redis|Redis, Memcached): 3 rounds show no order\.$/',
            $answers[Advice::SEVERAL],
        );
        $answers = self::threeRounds([10.0, 20.0, 305.0]);
        self::assertSame(
            'Larder, APCu: 3 rounds show no order.',
            $answers[Advice::ONE],
            'the slowest of the one is behind the fastest of the other',
        );
    }

    public function testTierIsAdvisedWhereItsRowsAreBetter(): void
    {
        $answer = static function (float $tier): Answer {
            $rows = [...self::pair('redis', 'tcp', 9000.0), ...self::pair('larder', null, 30.0)];
            foreach (['get' => $tier / 100, 'set' => $tier] as $operation => $figure) {
                $rows[] = Rows::of('redis', Rows::around($figure), operation: $operation, connection: 'tcp', settings: [
                    'tier' => 'larder',
                ]);
            }
            $advice = self::of(new Report(Rows::ENVIRONMENT, $rows));
            self::assertContains('Redis + Larder', array_column($advice->chart()[Advice::SEVERAL], 'title'));
            self::assertNotContains('Redis + Larder', array_column($advice->chart()[Advice::ONE], 'title'));

            return $advice->answers()[Advice::SEVERAL];
        };
        self::assertSame(
            'Put Larder in front of your server. '
                . 'With Redis, a request then takes 19.6 µs instead of 90.0 µs (78 % less).',
            $answer(18_000.0)->text,
        );
        self::assertSame('tier:(larder:)(redis://HOST)', $answer(18_000.0)->dsn);
        $slow = $answer(900_000.0);
        self::assertSame('Use Redis. With Larder in front of it, a request takes longer (981 µs).', $slow->text);
        self::assertSame('redis://HOST', $slow->dsn);
    }

    public function testChartHasTheBestAndWhatPeopleKnow(): void
    {
        $rows = [];
        foreach ([
            'sqlite' => 'tmpfs', 'php-file' => 'tmpfs', 'file' => 'disk', 'shmop' => null, 'apcu' => null,
            'larder' => null,
        ] as $store => $way) {
            array_push($rows, ...self::pair($store, $way, 1000.0 / \strlen($store)));
        }
        $titles = array_column(self::of(new Report(Rows::ENVIRONMENT, $rows))->chart()[Advice::ONE], 'title');
        self::assertSame(['PHP files on tmpfs', 'Larder', 'files on disk', 'APCu'], $titles);
        $titles = array_column(
            self::of(new Report(Rows::ENVIRONMENT, \array_slice($rows, 0, 4)))->chart()[Advice::ONE],
            'title',
        );
        self::assertSame(['PHP files on tmpfs', 'SQLite on tmpfs'], $titles);
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
        $advice = self::of($report, new Profile([1000 => 1.0], [], readShare: 1.0));
        self::assertSame(
            ['Strings of 10 B: file tmpfs.', 'Strings of 1 kB to 64 kB: apcu.'],
            $advice->details()['By size'],
        );
        self::assertStringStartsWith('Use APCu.', $advice->answers()[Advice::ONE]->text);
        $one = static fn(Profile $profile): string => self::of($report, $profile)->answers()[Advice::ONE]->text;
        self::assertStringStartsWith('Use files on tmpfs.', $one(new Profile([10 => 1.0], [], readShare: 1.0)));
        self::assertStringStartsWith(
            'Use files on tmpfs.',
            $one(new Profile([1000 => 1.0], [], readShare: 0.9)),
            'the sets decide',
        );
    }

    public function testCostIsThatOfTheProfile(): void
    {
        $rows = [
            Rows::of('apcu', Rows::around(200)), Rows::of('apcu', Rows::around(1000), operation: 'set'),
            Rows::of('apcu', Rows::around(100), '10b', bytes: 10),
            Rows::of('apcu', Rows::around(500), '10b', 'set', bytes: 10),
        ];
        $profile = new Profile([
            1000 => 0.5,
            10 => 0.5,
        ], [], readShare: 0.8, hitRate: 0.5, operationsPerRequest: 20, requestsPerSecond: 50, machines: 1);
        $advice = self::of(new Report(Rows::ENVIRONMENT, $rows), $profile);
        // A get is 150 ns on average, and 100 ns when it misses; a set is 750 ns: 20 x (0.8 x 125 + 0.2 x 750).
        self::assertStringStartsWith('apcu: 5.00 µs (', $advice->details()['Time of one request'][0]);
        self::assertSame(
            'Use APCu. At 50 requests a second, that is 0.025 % of a core.',
            $advice->answers()[Advice::ONE]->text,
        );
        self::assertArrayNotHasKey(Advice::SEVERAL, $advice->answers());
        self::assertSame(
            'From the profile: a request makes 16 gets, 4 sets; 50 % of the gets find something.',
            $advice->details()['Assumed'][0],
        );
    }

    /**
     * @return iterable<string, array{list<Row>, string, string}> rows, the section of the change, and the beginning of
     *         its line
     */
    public static function changes(): iterable
    {
        foreach (['better' => ['Saves time', 50], 'worse' => ['Takes longer', 150], 'equal' => [
            'Makes no difference',
            100.02,
        ]] as $case => [$title, $percent]) {
            $with = static fn(float $figure): array => array_reverse(Rows::around($figure * $percent / 100));
            foreach (['serializer' => 'igbinary', 'compression' => 'on'] as $setting => $value) {
                $rows = [];
                foreach (['get', 'set'] as $operation) {
                    $rows[] = Rows::of(
                        'redis',
                        Rows::around(9000),
                        operation: $operation,
                        connection: 'tcp',
                        settings: ['processes' => '1'],
                        table: '2016: strings',
                    );
                    $rows[] = Rows::of(
                        'redis',
                        $with(9000),
                        operation: $operation,
                        connection: 'tcp',
                        settings: ['processes' => '1', $setting => $value],
                        table: '2016: strings',
                    );
                }
                yield "$setting, $case" => [$rows, $title, ucfirst("$setting $value: redis tcp")];
            }
            foreach ([
                ['socket', [], 'A Unix socket instead of TCP'],
                ['tcp', ['tier' => 'larder'], 'Copies in larder on each machine'],
            ] as [$way, $settings, $what]) {
                $rows = [];
                foreach (['get', 'set'] as $operation) {
                    $rows[] = Rows::of('redis', Rows::around(9000), operation: $operation, connection: 'tcp');
                    $rows[] = Rows::of(
                        'redis',
                        $with(9000),
                        operation: $operation,
                        connection: $way,
                        settings: $settings,
                    );
                }
                yield "$what, $case" => [$rows, $title, "$what: redis tcp"];
            }
            $rows = [
                Rows::of('redis', Rows::around(9000), connection: 'tcp'),
                Rows::of('redis', $with(9000), operation: 'set', connection: 'tcp'),
                Rows::of(
                    'redis',
                    array_reverse(Rows::around(9000 / $percent * 100)),
                    operation: 'connect+get+close',
                    connection: 'tcp',
                ),
            ];
            yield "persistent, $case" => [$rows, $title, 'A persistent connection: redis tcp'];
        }
    }

    /** @param list<Row> $rows */
    #[DataProvider('changes')]
    public function testChangeIsListedWhereItBelongs(array $rows, string $title, string $what): void
    {
        $details = self::of(new Report(Rows::ENVIRONMENT, $rows))->details();
        foreach (self::CHANGES as $each) {
            $lines = array_filter(
                $details[$each] ?? [],
                static fn(string $line): bool => str_starts_with($line, $what),
            );
            self::assertCount($each === $title ? 1 : 0, $lines, $each . ': ' . implode(' ', $details[$each] ?? []));
        }
    }

    public function testSavingIsTheDifferencePerRequestAndOneLineForAllSetups(): void
    {
        $rows = [];
        foreach (['redis', 'memcached'] as $store) {
            array_push($rows, ...self::pair($store, 'tcp', 9000), ...self::pair($store, 'socket', 6000));
        }
        $report = new Report(Rows::ENVIRONMENT, $rows);
        $saved = self::of($report, new Profile([1000 => 1.0], [], machines: 1))->details()['Saves time'];
        self::assertCount(1, $saved);
        self::assertMatchesRegularExpression(
            '/^A Unix socket instead of TCP: redis tcp 30\.0 µs \([\d.]+ µs to [\d.]+ µs\), '
                . 'memcached tcp 30\.0 µs \(.*\)\.$/',
            $saved[0],
        );
        self::assertArrayNotHasKey(
            'Saves time',
            self::of($report, new Profile([1000 => 1.0], [], machines: 2))->details(),
            'a socket reaches no other machine',
        );
    }

    public function testTheStoreOfTheProfileIsTheOneToChange(): void
    {
        $changes = static fn(?string $store): string => implode(' ', array_merge(...array_values(array_intersect_key(
            self::of(self::recorded(), new Profile([1000 => 1.0], [], store: $store))->details(),
            array_flip(self::CHANGES),
        ))));
        self::assertStringContainsString('redis tcp', $changes('redis tcp'));
        self::assertStringNotContainsString('memcached', $changes('redis tcp'));
        self::assertStringContainsString('memcached', $changes(null));
        $unknown = self::of(self::recorded(), new Profile([1000 => 1.0], [], store: 'mongodb'))
            ->details()['Not considered'];
        self::assertStringContainsString(
            'mongodb, the store of the profile, which was not measured',
            implode($unknown),
        );
    }

    public function testSavingComparedWithTheStoreOfTheProfileIsNamed(): void
    {
        $rows = [
            ...self::pair('apcu', null, 100),
            ...self::pair('redis', 'tcp', 10_000),
            ...self::pair('redis', 'socket', 9_000),
        ];
        $answers = static fn(?string $store): array => self::of(
            new Report(Rows::ENVIRONMENT, $rows),
            new Profile([1000 => 1.0], [], requestsPerSecond: 20, machines: 1, store: $store),
        )->answers();
        self::assertSame(
            'Use APCu. A request takes 1.00 µs instead of 100 µs with Redis. '
                . 'At 20 requests a second, that is 0.002 % of a core.',
            $answers('redis tcp')[Advice::ONE]->text,
        );
        self::assertSame(
            'Redis: a Unix socket instead of TCP. It saves 10.0 µs a request.',
            $answers('redis tcp')[Advice::CHANGE]->text,
        );
        self::assertStringStartsWith('Use APCu. You use it: keep it. ', $answers('apcu')[Advice::ONE]->text);
        self::assertSame('Nothing: no change that was measured saves time.', $answers('apcu')[Advice::CHANGE]->text);
        self::assertStringNotContainsString('You use', $answers(null)[Advice::ONE]->text);
    }

    public function testValuesFarFromTheMeasuredOnesGiveAWarning(): void
    {
        $rows = [
            Rows::of('apcu', Rows::around(50_000), '50 x 50 array', bytes: 24_847),
            Rows::of('apcu', Rows::around(50_000), '50 x 50 array', 'set', bytes: 24_847),
        ];
        $careful = static fn(int $bytes, float $share): string => implode(
            self::of(new Report(Rows::ENVIRONMENT, $rows), new Profile([], [$bytes => $share, 24_000 => 1 - $share]))
                ->details()['Careful']
                ?? [],
        );
        self::assertStringContainsString(
            '40 % of the operations have arrays and objects that are much smaller or larger than any that was measured '
                . '(24.8 kB to 24.8 kB)',
            $careful(200, 0.4),
        );
        self::assertSame('', $careful(12_000, 0.4));
        self::assertSame('', $careful(200, 0.05));
    }

    public function testMemoryThatIsTooSmallCanDecide(): void
    {
        $rows = [];
        foreach (['apcu' => [100, 20.0], 'file' => [5000, 100.0]] as $store => [$figure, $rate]) {
            array_push($rows, ...self::pair($store, null, $figure));
            $rows[] = Rows::of(
                $store,
                array_fill(0, 10, $rate),
                '4k',
                'get',
                settings: ['data' => '2x the memory'],
                table: 'pressure: hit rate',
                unit: Unit::Percent,
            );
            $rows[] = Rows::of(
                $store,
                array_fill(0, 10, 100.0),
                '4k',
                'get',
                settings: ['data' => '0.5x the memory'],
                table: 'pressure: hit rate',
                unit: Unit::Percent,
            );
            $rows[] = Rows::of(
                $store,
                array_fill(0, 10, 1.0),
                'mixed',
                'get',
                settings: ['data' => "2x the memory in PHP's form"],
                table: 'pressure: hit rate, mixed values',
                unit: Unit::Percent,
            );
        }
        $report = new Report(Rows::ENVIRONMENT, $rows);
        $profile = static fn(?float $compute, float $data): Profile
            => new Profile([1000 => 1.0], [], machines: 1, computeMs: $compute, dataMb: $data, memoryMb: 100);
        $one = static fn(Report $report, Profile $profile): string
            => self::of($report, $profile)->answers()[Advice::ONE]->text;
        self::assertStringStartsWith('Use files. ', $one($report, $profile(10, 200)));
        self::assertContains(
            'apcu then found 20 % of its keys.',
            self::of($report, $profile(10, 200))->details()['Memory'],
        );
        self::assertStringStartsWith('Use APCu. ', $one($report, $profile(10, 90)), 'the control: it fits');
        self::assertStringStartsWith(
            'Use APCu. ',
            $one($report, $profile(0.000_001, 200)),
            'the control: misses cost nothing',
        );
        self::assertContains(
            'What the misses cost is not counted: the profile has no compute_ms.',
            self::of($report, $profile(null, 200))->details()['Memory'],
        );
        $unknown = new Report(Rows::ENVIRONMENT, [...$rows, ...self::pair('php-file', null, 50)]);
        self::assertStringStartsWith(
            'Use files. ',
            $one($unknown, $profile(10, 200)),
            'a store without a hit rate has no advantage of it',
        );
        self::assertSame(
            ['php-file, of which not all was measured that this needs.'],
            self::of($unknown, $profile(10, 200))->details()['Not considered'],
        );
        $without = new Report([], \array_slice($rows, 0, 2));
        self::assertStringContainsString(
            'larder compare --workload pressure',
            implode(self::of($without, $profile(10, 200))->details()['Memory']),
        );
    }

    public function testMissesAreComparedWithTheCache(): void
    {
        $report = new Report([], [...self::pair('redis', 'tcp', 10_000), ...self::pair('redis', 'socket', 9_000)]);
        $first = static fn(float $hitRate): string => self::of(
            $report,
            new Profile([1000 => 1.0], [], readShare: 0.9, hitRate: $hitRate, computeMs: 50.0),
        )->answers()[Advice::CHANGE]->text;
        self::assertSame(
            'Your misses: they take 90.0 ms a request, the cache calls 90.0 µs. At 90 % hits instead of 80 %, '
                . 'a request takes 45.0 ms less.',
            $first(0.8),
        );
        self::assertSame('Redis: a Unix socket instead of TCP. It saves 10.0 µs a request.', $first(0.999_99));
        self::assertSame(
            'Your misses. One with a 20 ms query costs what 200 requests spend in Redis. To record them:',
            self::of($report)->answers()[Advice::CHANGE]->text,
        );
        self::assertSame('redis://HOST?sample=1000', self::of($report)->answers()[Advice::CHANGE]->dsn);
        self::assertSame('Redis: 0.5 % of a page of 20 ms.', self::of($report)->shareOfPage());
    }

    public function testWhatCannotBeAdvisedIsNamed(): void
    {
        $failed = new Row(
            new Subject('compare', 'yac', null, '1k', 1000, 'get'),
            [],
            null,
            null,
            null,
            3,
            'lost values',
        );
        $rows = [
            Rows::of('yac', Rows::around(1), operation: 'set'),
            $failed,
            ...self::pair('array', null, 1),
            ...self::pair('apcu', null, 100),
        ];
        $advice = self::of(new Report([], $rows), new Profile([1_000_000 => 0.5], [5000 => 0.5]));
        $details = $advice->details();
        self::assertSame('Use APCu.', $advice->answers()[Advice::ONE]->text);
        self::assertSame(
            ['yac, which failed: lost values.', 'array, which other processes cannot read.'],
            $details['Not considered'],
        );
        self::assertSame(
            '50 % of the operations have strings that are much smaller or larger than any that was measured (1 kB to 1 '
                . 'kB). Their figures are wrong by more than the intervals tell.',
            $details['Careful'][0],
        );
        self::assertSame(
            'Not measured: no such store has all the figures that the profile needs.',
            $advice->answers()[Advice::SEVERAL]->text,
        );
        self::assertContains(
            '50 % of the operations have strings of sizes that were not measured: '
                . 'they count as the nearest measured size.',
            $details['Assumed'],
        );
        self::assertContains(
            'No arrays and objects were measured: those of the profile count as what was measured of the same size.',
            $details['Assumed'],
        );
    }

    public function testStudyWithoutSetsIsAdvisedOnByItsGets(): void
    {
        $table = '2013: read, 13 values';
        $gets = [
            Rows::of('apcu', Rows::around(100), table: $table),
            Rows::of('redis', Rows::around(10_000), connection: 'socket', table: $table),
        ];
        $advice = self::of(new Report([], $gets));
        self::assertSame('Use APCu. Redis by socket takes 100 times as long.', $advice->answers()[Advice::ONE]->text);
        self::assertSame(
            'Without a profile, each measured size is as frequent as the others: a request makes 10 gets; '
                . '100 % of the gets find something. Figures of 2013 alone.',
            $advice->details()['Assumed'][0],
        );
        self::assertArrayNotHasKey(
            Advice::SEVERAL,
            $advice->answers(),
            'nobody asked, and no server was measured by TCP',
        );

        $profile = new Profile([1000 => 1.0], [], machines: 1);
        self::assertSame(
            'Not measured: this result has no sets, but the profile does.',
            self::of(new Report([], $gets), $profile)->answers()[Advice::ONE]->text,
        );

        $sets = [Rows::of('apcu', Rows::around(300), operation: 'set', table: $table)];
        self::assertSame(
            '9 gets, 1 set',
            self::of(new Report([], [...$gets, ...$sets]))->request(),
            'the control: with sets, they count',
        );
    }

    /** A workload has other rows, even with many rounds. */
    public function testResultWithoutGetsAndSetsHasNoAdvice(): void
    {
        $pressure = Rows::of(
            'apcu',
            array_fill(0, 10, 50.0),
            '4k',
            'get',
            table: 'pressure: hit rate',
            unit: Unit::Percent,
        );
        foreach ([[], [$pressure], [Rows::of('apcu', Rows::around(100), operation: 'increment')]] as $rows) {
            self::assertNull(Advice::of(new Report([], $rows)));
        }
    }

    /** Stores that the doctor calls legacy. */
    public function testLegacyStoreIsNotAdvised(): void
    {
        $legacy = array_filter(Drivers::variants(), static fn(Variant $variant): bool => $variant->isLegacy);
        self::assertGreaterThan(2, \count($legacy));
        foreach ($legacy as $name => $variant) {
            $connection = $variant->scope === Scope::Server ? 'tcp' : null;
            $setup = trim("$name $connection");
            $rows = [...self::pair($name, $connection, 100), ...self::pair('redis', 'tcp', 10_000)];
            if ($connection !== null) {
                array_push($rows, ...self::pair($name, 'socket', 50));
            }
            $report = new Report(Rows::ENVIRONMENT, $rows);
            $details = self::of($report)->details();
            self::assertMatchesRegularExpression(
                "/^$setup\\b.*: legacy, not recommended\\.$/",
                implode(' ', $details['Not considered']),
            );
            unset($details['Not considered']);
            $answers = array_map(static fn(Answer $answer): string => $answer->text, self::of($report)->answers());
            self::assertSame('Use Redis.', $answers[Advice::ONE]);
            self::assertStringNotContainsString(
                $name,
                strtolower(implode(' ', array_merge($answers, ...array_values($details)))),
            );
            $own = self::of($report, new Profile([1000 => 1.0], [], machines: 1, store: $setup))
                ->answers()[Advice::ONE]->text;
            self::assertMatchesRegularExpression(
                '/^Use Redis\. A request takes 100 µs instead of 1\.00 µs with .*, '
                    . 'which is not recommended any more\.$/',
                $own,
            );
        }
    }

    /**
     * @param list<float> $larder
     * @return array<string, string> the answers
     */
    private static function threeRounds(array $larder): array
    {
        $rows = [];
        $redis = [500.0, 600.0, 700.0];
        $samples = [
            'larder' => $larder,
            'apcu' => [300.0, 390.0, 310.0],
            'redis' => $redis,
            'memcached' => array_reverse($redis),
        ];
        foreach ($samples as $store => $ofStore) {
            $way = \in_array($store, ['redis', 'memcached'], true) ? 'tcp' : null;
            array_push(
                $rows,
                Rows::of($store, $ofStore, connection: $way),
                Rows::of($store, $ofStore, operation: 'set', connection: $way),
            );
        }
        $advice = self::of(new Report(Rows::ENVIRONMENT, $rows));
        self::assertSame(3, $advice->fewRounds());
        self::assertArrayNotHasKey('Saves time', $advice->details());

        return array_map(static fn(Answer $answer): string => $answer->text, $advice->answers());
    }

    private static function of(Report $report, ?Profile $profile = null): Advice
    {
        $advice = Advice::of($report, $profile);
        self::assertNotNull($advice);

        return $advice;
    }

    /** @return list<Row> a get and a set */
    private static function pair(string $store, ?string $connection, float $figure): array
    {
        return [
            Rows::of($store, Rows::around($figure), connection: $connection),
            Rows::of($store, Rows::around($figure), operation: 'set', connection: $connection),
        ];
    }

    private static function recorded(): Report
    {
        return ResultFile::read(__DIR__ . '/recorded.jsonl');
    }
}
