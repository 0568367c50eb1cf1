<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report\Html;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Timing\Histogram;

/** Reports with everything that a page can show. Their figures come from formulas, and are not true of the stores. */
final class SampleReport
{
    /** Text that a page must show unchanged. */
    public const HOSTILE = '</script><script>document.title="run"</script><img src=x onerror="document.title=1">';

    private const STORES = [
        'apcu' => [null, 200.0], 'file' => ['disk', 9000.0], 'larder' => [null, 50.0],
        'memcached' => ['socket', 14000.0], 'redis' => ['tcp', 24000.0],
    ];

    public static function make(): Report
    {
        $rows = [...self::sizes(), ...self::study(), ...self::latency(), ...self::throughput()];
        $rows[] = new Row(
            new Subject('compare', 'yac', null, '1k', 1000, 'get'),
            [],
            null,
            null,
            null,
            12,
            'a value was lost ' . self::HOSTILE,
        );

        return new Report(
            [
                'larder' => '1.2.3', 'date' => '2026-01-31T12:00:00+00:00', 'php' => '8.2.36',
                'processor' => 'Example <Processor>', 'cores' => 2, 'opcache' => true,
                'pinned_to' => null, 'system' => 'Linux 6.1 x86_64', 'servers' => ['redis' => '7.0.15'],
                'limits' => ['fpm workers' => 4],
            ],
            $rows,
            [
                [
                    'subject' => new Subject('compare', 'memcache', 'tcp', '1k', 1000, 'get'),
                    'reason' => 'The extension memcache is missing: apt-get install php-memcache',
                ],
                [
                    'subject' => new Subject('2013: read, 13 values', 'mysql-memory', 'tcp', '1k', 1000, 'get'),
                    'reason' => 'left out by --no-servers',
                ],
            ],
            ['The machine was busy: load 3.1 on 2 cores.'],
        );
    }

    /** A report of the largest size: every row with ten samples, one in five with a histogram. */
    public static function large(int $rows): Report
    {
        $list = [];
        for ($i = 0; $i < $rows; ++$i) {
            $bytes = 10 * 2 ** intdiv($i, 250);
            $figure = 50 + ($i * 7919) % 50021 + $i / 7;
            $list[] = self::row(
                new Subject(
                    'table ' . $i % 10 . ': values',
                    'store ' . intdiv($i, 10) % 25,
                    'socket',
                    $bytes . ' bytes',
                    $bytes,
                    'get',
                ),
                $figure,
                $i % 5 === 0 ? self::histogram($figure) : null,
            );
        }

        return new Report(['processor' => 'large'], $list);
    }

    public static function row(
        Subject $subject,
        float $figure,
        ?Histogram $histogram = null,
        ?PublishedFigure $published = null,
    ): Row {
        $samples = [];
        for ($i = 0; $i < 10; ++$i) {
            $samples[] = round($figure * (0.95 + 0.01 * (($i * 7) % 10)), 3);
        }

        return new Row($subject, $samples, $figure, $figure * 0.9, $figure * 1.2, 0, '', $histogram, $published);
    }

    /** @return list<Row> */
    private static function sizes(): array
    {
        $rows = [];
        foreach (self::STORES as $store => [$connection, $figure]) {
            foreach ([
                '10b' => 10, '1k' => 1000, '64k' => 64000, '128k' => 128000, 'array of 4' => 96,
            ] as $value => $bytes) {
                foreach (['get' => 1, 'set' => 2] as $operation => $factor) {
                    $rows[] = self::row(
                        new Subject('compare', $store, $connection, $value, $bytes, $operation),
                        $factor * ($figure + $bytes / 7),
                    );
                }
            }
        }

        return $rows;
    }

    /** @return list<Row> */
    private static function study(): array
    {
        $rows = [];
        foreach (['10b' => 10, '1k' => 1000, '128k' => 128000] as $value => $bytes) {
            foreach (['apcu' => [null, 'apc', 300.0], 'memcached' => ['socket', 'memcached', 29000.0], 'shmop' => [
                null,
                'shmop',
                90.0,
            ]] as $store => [$connection, $engine, $then]) {
                $rows[] = self::row(
                    new Subject('2013: read, 13 values', $store, $connection, $value, $bytes, 'get'),
                    (self::STORES[$store][1] ?? 14000.0) / 3,
                    null,
                    new PublishedFigure($then, '2013', $engine, 'PHP 5.3.10'),
                );
            }
            $rows[] = new Row(
                new Subject('2013: read, 13 values', 'eaccelerator', null, $value, $bytes, 'get'),
                [],
                null,
                null,
                null,
                0,
                '',
                null,
                new PublishedFigure(700.0, '2013', 'eaccelerator', 'PHP 5.3.10'),
            );
        }

        return $rows;
    }

    /** @return list<Row> */
    private static function latency(): array
    {
        $rows = [];
        foreach (self::STORES as $store => [$connection, $figure]) {
            $rows[] = self::row(
                new Subject('latency: single gets', $store, $connection, '1k', 1000, 'get'),
                $figure,
                self::histogram($figure),
            );
        }

        return $rows;
    }

    /** @return list<Row> */
    private static function throughput(): array
    {
        $rows = [];
        foreach (self::STORES as $store => [$connection, $figure]) {
            foreach (['1', '2', '4'] as $processes) {
                foreach (['uniform', 'zipf'] as $i => $keys) {
                    $rows[] = self::row(
                        new Subject(
                            'scaling: readers',
                            $store,
                            $connection,
                            '1k',
                            1000,
                            'get',
                            Unit::OperationsPerSecond,
                            ['processes' => $processes, 'keys' => $keys],
                        ),
                        1e9 / $figure * min(2, (int) $processes) / (1 + $i / 4),
                    );
                }
            }
            foreach (['0.5', '1', '2', '10'] as $ratio) {
                $rows[] = self::row(
                    new Subject('hit rate: 1 kB values', $store, $connection, '1k', 1000, 'get', Unit::Percent, [
                        'data / memory' => $ratio,
                    ]),
                    80 / max(1, (float) $ratio),
                );
            }
            $rows[] = self::row(
                new Subject('memory: for each entry', $store, $connection, '1k', 1000, 'set', Unit::Bytes),
                1000 + $figure / 10,
            );
            $rows[] = self::row(
                new Subject(
                    'http: nginx and PHP-FPM',
                    $store,
                    $connection,
                    '11 b',
                    11,
                    'request',
                    Unit::RequestsPerSecond,
                    ['connections' => '50'],
                ),
                9000 - $figure / 10,
            );
        }

        return $rows;
    }

    private static function histogram(float $figure): Histogram
    {
        $histogram = Histogram::empty();
        for ($i = 1; $i <= 2000; ++$i) {
            $histogram->record((int) ($figure * (1 + $i / 4000) * ($i % 100 === 0 ? 8 : 1)));
        }

        return $histogram;
    }
}
