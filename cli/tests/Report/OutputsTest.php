<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Csv;
use Larder\Cli\Report\Markdown;
use Larder\Cli\Report\Publish;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

final class OutputsTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(sys_get_temp_dir());
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    public function testCsvHasALineForEachRow(): void
    {
        $recorded = self::recorded();
        $file = $this->directory->path . '/figures.csv';
        $odd = new Row(new Subject('compare', 'odd "store", really', 'tcp', "two\nlines", 3, 'get', settings: [
            'serializer' => 'php',
        ]), [], null, null, null, 1, 'lost; torn');
        (new Csv())->write(new Report([], [...$recorded->rows, $odd]), $file);
        $stream = fopen($file, 'r');
        self::assertIsResource($stream);
        $head = fgetcsv($stream, escape: '');
        self::assertIsArray($head);
        $lines = [];
        while (\is_array($cells = fgetcsv($stream, escape: ''))) {
            $lines[] = array_combine(array_map(strval(...), $head), $cells);
        }
        self::assertCount(\count($recorded->rows) + 1, $lines);
        foreach ($recorded->rows as $i => $row) {
            self::assertSame(
                [$row->subject->store, (string) $row->subject->connection, $row->subject->value],
                [$lines[$i]['store'], $lines[$i]['connection'], $lines[$i]['value']],
            );
            self::assertEqualsWithDelta($row->median, (float) $lines[$i]['median'], 1e-9);
        }
        $last = end($lines);
        self::assertSame(
            ['odd "store", really', "two\nlines", 'serializer=php', '', '1', 'lost; torn'],
            [$last['store'], $last['value'], $last['settings'], $last['median'], $last['failures'], $last['problem']],
        );
    }

    public function testFailedWriteLeavesNoHalfAFile(): void
    {
        $file = $this->directory->path . '/' . str_repeat('a', 250); // too long for a temporary file next to it
        file_put_contents($file, 'before');

        try {
            (new Csv())->write(self::recorded(), $file);
            self::fail('written');
        } catch (\RuntimeException $failed) {
            self::assertStringContainsString($file . ' could not be written', $failed->getMessage());
        }
        self::assertSame('before', file_get_contents($file));
    }

    public function testDeviceIsWrittenToAsItIs(): void
    {
        (new Csv())->write(self::recorded(), '/dev/null');
        self::assertSame('char', filetype('/dev/null'));
        $this->expectExceptionMessage('/dev/full could not be written');
        (new Csv())->write(self::recorded(), '/dev/full');
    }

    public function testMarkdownHasATableWithEveryFigure(): void
    {
        $failed = new Row(
            new Subject('compare', 'yac', null, '1k', 1000, 'get'),
            [],
            null,
            null,
            null,
            3,
            'lost | torn <b>',
        );
        $historic = new Row(
            new Subject('compare', 'xcache', null, '1k', 1000, 'get'),
            [],
            null,
            null,
            null,
            published: new PublishedFigure(150.0, '2013', 'xcache'),
        );
        $missing = [
            'subject' => new Subject('compare', 'redis', null, null, null, ''),
            'reason' => 'the server is not installed',
        ];
        $text = Markdown::text(new Report(
            Rows::ENVIRONMENT,
            [
                Rows::of('apcu', Rows::around(200)),
                Rows::of('larder', Rows::around(300)),
                Rows::of('larder', Rows::around(35), '10b', bytes: 10),
                $failed,
                $historic,
            ],
            [$missing],
            ['Turbo is on.'],
        ));
        self::assertStringContainsString("- processor: AMD EPYC\n", $text);
        self::assertStringContainsString("- servers.redis: 7.0.15\n", $text);
        self::assertStringContainsString(
            "| store | get 1k | get 10b |\n|---|---:|---:|\n| apcu | 200 ns ±1% | – |\n| larder | 300 ns ±1% | "
                . "35.0 ns ±1% |\n",
            $text,
        );
        self::assertStringContainsString('| yac | FAIL | – |', $text);
        self::assertStringContainsString('| xcache (historic) | 2013: 150 ns | – |', $text);
        self::assertStringContainsString('- yac, get 1k: lost \| torn &lt;b> (3 times)', $text);
        self::assertStringContainsString("## Not measured\n\n- redis: the server is not installed\n", $text);
        self::assertStringContainsString("## What may have spoiled this run\n\n- Turbo is on.\n", $text);
        self::assertMatchesRegularExpression('/^\| larder \| 1\.15 \| 1\.1\d to 1\.1\d \| 0 of 2 \|$/m', $text);
        self::assertSame(1, substr_count($text, '## compare'));
    }

    public function testPublishedResultsDoNotFollowAPlantedLink(): void
    {
        mkdir($this->directory->path . '/elsewhere');
        mkdir($this->directory->path . '/open');
        symlink('../elsewhere', $this->directory->path . '/open/amd-epyc-2-cores');
        try {
            (new Publish())->write(new Report(Rows::ENVIRONMENT, []), $this->directory->path . '/open');
            self::fail('the link was followed');
        } catch (\RuntimeException $refused) {
            self::assertStringContainsString('is a symbolic link', $refused->getMessage());
        }
        self::assertSame([], glob($this->directory->path . '/elsewhere/*'));
    }

    public function testPublishedResultsAreNeverOverwritten(): void
    {
        $recorded = self::recorded();
        $report = new Report(Rows::ENVIRONMENT, $recorded->rows);
        for ($i = 1; $i <= 3; ++$i) {
            (new Publish())->write($report, $this->directory->path . '/results');
        }
        $other = new Report(
            ['processor' => '../../../etc', 'cores' => 64, 'date' => 'today'] + Rows::ENVIRONMENT,
            $recorded->rows,
        );
        (new Publish())->write($other, $this->directory->path . '/results');
        $made = array_map(
            fn(string|false $path): string => substr((string) $path, \strlen($this->directory->path)),
            (array) glob($this->directory->path . '/results/*/*'),
        );
        self::assertSame([
            '/results/amd-epyc-2-cores/2026-11-23', '/results/amd-epyc-2-cores/2026-11-23-2',
            '/results/amd-epyc-2-cores/2026-11-23-3', '/results/etc-64-cores/' . date('Y-m-d'),
        ], $made);
        $folder = $this->directory->path . $made[1];
        self::assertEquals($report->rows, ResultFile::read($folder . '/result.jsonl')->rows);
        self::assertStringContainsString(
            "processor: AMD EPYC\ncores: 2\n",
            (string) file_get_contents($folder . '/environment.txt'),
        );
        self::assertSame(Markdown::text($report), file_get_contents($folder . '/report.md'));
    }

    public function testFolderThatCannotBeMadeIsNamed(): void
    {
        touch($this->directory->path . '/file');
        $this->expectExceptionMessage($this->directory->path . '/file/amd-epyc-2-cores could not be made');
        (new Publish())->write(new Report(Rows::ENVIRONMENT, []), $this->directory->path . '/file');
    }

    private static function recorded(): Report
    {
        return ResultFile::read(\dirname(__DIR__) . '/Advice/recorded.jsonl');
    }
}
