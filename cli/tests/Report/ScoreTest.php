<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Score;
use PHPUnit\Framework\TestCase;

final class ScoreTest extends TestCase
{
    public function testScoreIsTheGeometricMeanOfShiftedRatios(): void
    {
        $scores = Score::of([
            Rows::of('apcu', Rows::around(100), '10b'),
            Rows::of('redis', Rows::around(700), '10b', connection: 'socket'),
            Rows::of('apcu', Rows::around(300), '1k'), Rows::of('redis', Rows::around(700), '1k', connection: 'socket'),
        ])['default'];
        self::assertSame(
            ['apcu', 'redis socket'],
            array_map(static fn(Score $score): string => $score->setup->name(), $scores),
        );
        self::assertEqualsWithDelta(
            [1.0, sqrt(4.0 * 2.0)],
            array_map(static fn(Score $score): float => $score->score, $scores),
            1e-9,
        );
        self::assertNotNull($scores[1]->interval);
        self::assertTrue($scores[1]->interval->contains(sqrt(8.0)));
        self::assertLessThan(0.03, $scores[1]->interval->high - $scores[1]->interval->low);
    }

    public function testNanosecondsOfNoConsequenceHardlyCount(): void
    {
        $scores = Score::of([Rows::of('larder', Rows::around(35)), Rows::of('apcu', Rows::around(70))])['default'];
        self::assertEqualsWithDelta(1.26, $scores[1]->score, 0.01);
    }

    public function testMissingAndFailedTasksArePenalized(): void
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
        $scores = Score::of([
            Rows::of('apcu', Rows::around(100), '10b'), Rows::of('redis', Rows::around(300), '10b'),
            Rows::of('yac', Rows::around(100), '10b'),
            Rows::of('apcu', Rows::around(100), '1k'), Rows::of('redis', Rows::around(300), '1k'), $failed,
            Rows::of('apcu', Rows::around(100), '64k'),
        ])['default'];
        $byName = array_combine(array_map(static fn(Score $score): string => $score->setup->name(), $scores), $scores);
        self::assertEqualsWithDelta(
            (1.0 * 4.0 * 2.0) ** (1 / 3),
            $byName['yac']->score,
            1e-9,
            'twice the slowest of the others',
        );
        self::assertSame(['get 1k', 'get 64k'], $byName['yac']->missing);
        self::assertSame(['get 64k'], $byName['redis']->missing);
        self::assertSame([], $byName['apcu']->missing);
        self::assertGreaterThan($byName['apcu']->score, $byName['yac']->score, 'to fail is no advantage');
    }

    public function testTunedSetupsAreApart(): void
    {
        $rows = [
            Rows::of('redis', Rows::around(900), connection: 'tcp', settings: [
                'serializer' => 'php',
                'processes' => '1',
            ]),
            Rows::of('redis', Rows::around(400), connection: 'tcp', settings: [
                'serializer' => 'igbinary',
                'processes' => '1',
            ]),
            Rows::of('memcached', Rows::around(1900), connection: 'tcp', settings: [
                'serializer' => 'php',
                'compression' => 'off',
                'processes' => '1',
            ]),
        ];
        $scores = Score::of($rows);
        self::assertEqualsWithDelta(
            ['redis tcp' => 1.0, 'memcached tcp' => 2.0],
            self::byName($scores['default']),
            1e-9,
        );
        self::assertEqualsWithDelta(['redis tcp, serializer igbinary' => 1.0], self::byName($scores['other']), 1e-9);
    }

    public function testPrivateAndHistoricStoresDoNotTakePart(): void
    {
        $historic = new Row(
            new Subject('compare', 'xcache', null, '1k', 1000, 'get'),
            [],
            null,
            null,
            null,
            published: new PublishedFigure(1.0, '2013', 'xcache'),
        );
        $scores = Score::of([Rows::of('array', Rows::around(1)), Rows::of('apcu', Rows::around(200)), $historic]);
        self::assertSame(['apcu' => 1.0], self::byName($scores['default']));
    }

    public function testMoreRequestsAreBetter(): void
    {
        $scores = Score::of([
            Rows::of('larder', Rows::around(1000), operation: 'request', unit: Unit::RequestsPerSecond),
            Rows::of('redis', Rows::around(500), operation: 'request', unit: Unit::RequestsPerSecond),
        ]);
        self::assertEqualsWithDelta(['larder' => 1.0, 'redis' => 2.0], self::byName($scores['default']), 1e-9);
    }

    public function testNoIntervalWithoutEnoughSamples(): void
    {
        self::assertNull(Score::of([Rows::of('apcu', [1.0, 2.0, 3.0])])['default'][0]->interval);
        self::assertSame(['default' => [], 'other' => []], Score::of([]));
    }

    /**
     * @param list<Score> $scores
     * @return array<string, float>
     */
    private static function byName(array $scores): array
    {
        return array_combine(
            array_map(static fn(Score $score): string => $score->setup->name(), $scores),
            array_map(static fn(Score $score): float => $score->score, $scores),
        );
    }
}
