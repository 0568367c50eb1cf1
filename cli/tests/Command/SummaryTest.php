<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Command\Summary;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Tests\Report\Rows;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\BufferedOutput;

final class SummaryTest extends TestCase
{
    private const MORE = ['Page     var/compare/report.html       Table  var/compare/table.txt', 'Traffic  …'];

    /** A screen with everything: every usual store, a tier, spoilers, failures and reasons. */
    public function testFullScreenFits(): void
    {
        $rows = [];
        foreach (ResultFile::read(__DIR__ . '/../Advice/recorded.jsonl')->rows as $row) {
            $rows[] = $row;
            if ($row->subject->connection === 'tcp') {
                $settings = ['tier' => 'larder'];
                $subject = new Subject(
                    'compare',
                    $row->subject->store,
                    'tcp',
                    $row->subject->value,
                    $row->subject->bytes,
                    $row->subject->operation,
                    settings: $settings,
                );
                $rows[] = Rows::with(
                    $subject,
                    array_map(static fn(float $sample): float => $sample / 3, $row->samples),
                );
            }
        }
        $spoilers = [
            'APCu 5.1.22 is older than 5.1.25: that one keeps more when its memory is full',
            'Load average 1.5 on 2 cores before the run: the machine was busy. To see with what: top',
            'Turbo boost is on: the processor is faster while it is cool. To switch it off: echo 0',
        ];
        $missing = new Subject('compare', 'mysql', 'tcp', '1k', 1000, 'get');
        $text = self::printed(new Report([], $rows, [
            [
                'subject' => $missing,
                'reason' => 'mariadbd did not start: no space on /dev/shm, which has 64 MB. Docker: --shm-size=1g',
            ],
        ], $spoilers));
        $lines = explode("\n", $text);
        self::assertLessThanOrEqual(24, \count($lines), $text);
        foreach ($lines as $line) {
            self::assertLessThanOrEqual(80, mb_strwidth($line), $line);
        }
        self::assertMatchesRegularExpression(
            '/^Cache time of one request \(9 gets, 1 set\) +get of an array$/m',
            $text,
        );
        self::assertMatchesRegularExpression('/^  Larder +3\.10 µs ╸ +37\.5 ns$/mu', $text);
        self::assertMatchesRegularExpression('/^  files on disk +995 µs ━{36} +84\.8 µs$/mu', $text);
        self::assertMatchesRegularExpression(
            '/^Several machines  Put Larder in front of your server\. With Memcached/m',
            $text,
        );
        self::assertMatchesRegularExpression('/^ +tier:\(larder:\)\(memcached:\/\/HOST\)$/m', $text);
        self::assertStringContainsString('Left out: mysql tcp: mariadbd did not start: no space', $text);
        self::assertStringContainsString(
            'May have spoiled this run: APCu 5.1.22 is older than 5.1.25; load average 1.5',
            $text,
        );
        self::assertStringNotContainsString('To see with what', $text);
        self::assertStringContainsString(
            "\n5 stores, 80 rows, 0 failed, 3:00. Redis: 4.9 % of a page of 20 ms.\n",
            $text,
        );
        self::assertStringEndsWith(implode("\n", self::MORE) . "\n", $text);
    }

    public function testBarsStartAtZeroAndAreLinear(): void
    {
        $rows = [];
        foreach (['larder' => 10.0, 'apcu' => 2500.0, 'sqlite' => 10_000.0] as $store => $figure) {
            array_push(
                $rows,
                Rows::of($store, Rows::around($figure)),
                Rows::of($store, Rows::around($figure), operation: 'set'),
            );
        }
        $text = self::printed(new Report([], $rows));
        self::assertMatchesRegularExpression('/^  Larder +100 ns ╸ +10\.0 ns$/mu', $text);
        self::assertMatchesRegularExpression('/^  APCu +25\.0 µs ━{9} +2\.50 µs$/mu', $text);
        self::assertMatchesRegularExpression('/^  SQLite +100 µs ━{36} +10\.0 µs$/mu', $text);
    }

    public function testStoreOfOneProcessHasNoChart(): void
    {
        $text = self::printed(new Report(
            [],
            [Rows::of('array', Rows::around(1.0)), Rows::of('array', Rows::around(1.0), operation: 'set')],
        ));
        self::assertStringStartsWith("\n1 store, 2 rows, 0 failed, 3:00.\n", $text);
    }

    public function testFailuresAreNamedAndCounted(): void
    {
        $rows = [];
        foreach (['yac', 'shmop', 'sqlite'] as $store) {
            $rows[] = new Row(
                new Subject('compare', $store, null, '1k', 1000, 'get'),
                [],
                null,
                null,
                null,
                3,
                'loses values',
            );
        }
        $text = self::printed(new Report([], $rows));
        self::assertStringContainsString(
            "Failed: yac get: loses values\nFailed: shmop get: loses values\nFailed: 1 more, named in the table\n",
            $text,
        );
        self::assertStringContainsString("3 stores, 3 rows, 3 failed, 3:00.\n", $text);
    }

    private static function printed(Report $report): string
    {
        $output = new BufferedOutput();
        (new Summary($output))->print($report, null, self::MORE, 180.0);

        return $output->fetch();
    }
}
