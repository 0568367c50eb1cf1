<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Study;

use Larder\Cli\Command\Terminal;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Runner;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Rows;
use Larder\Cli\Study\StudySail;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Process\Process;

/** Starts `larder compare --study` as users do. */
final class StudyCommandTest extends TestCase
{
    private TemporaryDirectory $temporary;

    protected function setUp(): void
    {
        $this->temporary = new TemporaryDirectory();
    }

    /** Measures only the loops: the pages of this study take minutes. */
    public function testRowsStandBesideThePublishedFigures(): void
    {
        $locations = new StoreLocations();
        try {
            $suite = new StudySail($locations);
            $blocks = array_values(array_filter(
                $suite->blocks(static function (): void {}),
                static fn(Block $block): bool
                    => \in_array($block->subjects()[0]->name(), ['memcached tcp', 'redis tcp'], true),
            ));
            $rows = new Rows(array_merge(...array_map(static fn(Block $block): array => $block->subjects(), $blocks)));
            (new Runner($blocks, 1))->run(
                $rows->add(...),
                static fn(Block $block, string $reason): never => self::fail($reason),
                static function (): void {},
            );
        } finally {
            $locations->close();
        }
        $figures = [];
        foreach ($rows->all([$suite]) as $row) {
            if ($row->subject->table === 'sail: gets on an open connection' && !$row->isHistoric()) {
                $figures[$row->subject->store] = [
                    $row->failures,
                    $row->median > 0.0,
                    round($row->published->figure ?? 0.0),
                ];
            }
        }
        ksort($figures);
        self::assertSame(['memcached' => [0, true, 26_300.0], 'redis' => [0, true, 30_500.0]], $figures);
    }

    #[TestWith([\SIGINT, 130])]
    #[TestWith([\SIGKILL, 137])]
    public function testSecondHostIsRemovedWhenTheRunIsInterrupted(int $signal, int $status): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('a network namespace needs root');
        }
        $run = $this->larder(['--study=2016', '--rounds=100']);
        $this->startMeasuring($run);
        $host = \sprintf('/run/netns/larder-%d-*', $run->getPid());
        self::assertCount(1, (array) glob($host), $run->getErrorOutput());
        $run->signal($signal);
        $run->stop(30);
        self::assertSame($status, $run->getExitCode(), $run->getErrorOutput());
        if ($signal === \SIGKILL) {
            // SIGKILL left no process that could remove it: the next run does.
            $next = $this->larder(['--study=2016', '--rounds=100']);
            $this->startMeasuring($next);
            $next->stop(30, \SIGINT);
        }
        self::assertSame([], glob($host));
    }

    public function testTablesOf2016ShowMeanDeviationAndPercentOfTheFastest(): void
    {
        $row = static fn(string $store, string $table, float ...$samples): Row => new Row(
            new Subject($table, $store, 'socket', 'short value', 10, 'get', Unit::Nanoseconds, ['php' => 'no opcache']),
            array_values($samples),
            $samples[0],
            null,
            null,
            published: new PublishedFigure(13_000.0, '2016', $store),
        );
        $output = new BufferedOutput();
        (new Terminal($output))->print(new Report([], [
            $row('redis', '2016: read, short value', 100.0, 110.0, 120.0),
            $row('memcached', '2016: read, short value', 200.0, 220.0, 240.0),
            $row('yac', '2013: read, 13 values', 300.0, 310.0, 330.0),
        ]), []);
        $lines = array_map(
            static fn(string $line): string => (string) preg_replace('/ +/', ' ', trim($line)),
            explode("\n", $output->fetch()),
        );

        self::assertContains('mean sd % # published', $lines);
        self::assertContains('redis socket no opcache 110 ns 10.0 ns 100 13.0 µs', $lines);
        self::assertContains('memcached socket no opcache 220 ns 20.0 ns 200 13.0 µs', $lines);
        self::assertContains('median ± # published', $lines);
    }

    /** Uses the longest names and values of the studies, and figures of the greatest length. */
    public function testTablesHaveAtMostEightyColumns(): void
    {
        $rows = [];
        foreach ([
            ['2008: set then get, loop', 'file (one handle)', 'disk', '100 KB serialized array', []],
            ['2008: set then get, loop', 'memcache', 'tcp', '1 MB serialized array', []],
            ['2013: read, 13 values', 'php-file', 'tmpfs', 'array of 4', ['php' => 'no opcache']],
            ['2016: write, short value', 'memcached', 'network', 'short value', [
                'compression' => 'zlib',
                'rate' => '100 Mbit/s',
            ]],
            ['2016: write, 50 x 50 array', 'memcached', 'socket', '50 x 50 array', [
                'serializer' => 'igbinary',
                'compression' => 'zlib',
            ]],
            ['sail: connect, get, close each time', 'memcached', 'socket', '11 b', []],
        ] as [$table, $store, $connection, $value, $settings]) {
            $subject = new Subject($table, $store, $connection, $value, 1, 'connect+get+close', settings: $settings);
            $rows[] = new Row(
                $subject,
                [123.4e6, 1.2e6],
                123.4e6,
                1.0,
                1e9,
                published: new PublishedFigure(970e6, '2008', $store),
            );
            $rows[] = new Row(
                new Subject($table, 'larder', null, $value, 1, 'connect+get+close'),
                [34.5, 34.5],
                34.5,
                34.0,
                35.0,
            );
            $rows[] = new Row(
                new Subject($table, 'eaccelerator', null, $value, 1, 'connect+get+close'),
                [],
                null,
                null,
                null,
                published: new PublishedFigure(970e6, '2008', 'eaccelerator'),
            );
        }
        $output = new BufferedOutput();
        (new Terminal($output))->print(new Report([], $rows), []);
        foreach (explode("\n", $output->fetch()) as $line) {
            self::assertLessThanOrEqual(80, mb_strwidth($line), $line);
        }
    }

    /** Waits until the first block is in the journal. */
    private function startMeasuring(Process $run): void
    {
        $journal = $this->temporary->path . '/state/larder/compare.jsonl';
        @unlink($journal);
        $run->start();
        for ($deadline = microtime(true) + 300; substr_count((string) @file_get_contents($journal), "\n") < 2; usleep(
            10_000,
        )) {
            self::assertLessThan($deadline, microtime(true), $run->getErrorOutput());
            self::assertTrue($run->isRunning(), $run->getErrorOutput());
        }
    }

    /** @param list<string> $arguments */
    private function larder(array $arguments): Process
    {
        return new Process(
            [__DIR__ . '/../../../larder', 'compare', ...$arguments],
            null,
            [
                'PHP' => \PHP_BINARY,
                'TMPDIR' => $this->temporary->path,
                'XDG_STATE_HOME' => $this->temporary->path . '/state',
            ],
            timeout: 600,
        );
    }
}
