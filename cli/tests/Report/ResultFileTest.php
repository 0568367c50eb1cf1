<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Histogram;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class ResultFileTest extends TestCase
{
    private TemporaryDirectory $directory;
    private string $file;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();
        $this->file = $this->directory->path . '/result.jsonl';
    }

    public function testReportSurvivesTheFile(): void
    {
        $report = self::report();
        (new ResultFile())->write($report, $this->file);
        self::assertEquals($report, ResultFile::read($this->file));
        self::assertSame(
            ['.', '..', '.in-use', 'result.jsonl'],
            scandir($this->directory->path),
            'nothing stays beside it',
        );
    }

    public function testEmptyMapsStayObjects(): void
    {
        self::assertStringContainsString('"settings":{}', ResultFile::encode(self::report()));
    }

    /** @return iterable<string, array{\Closure(string): string, string}> */
    public static function damages(): iterable
    {
        yield 'empty' => [static fn(): string => '', 'line 1: is not a JSON object.'];
        yield 'an older format' => [
            static fn(string $text): string => str_replace('"format":3', '"format":2', $text),
            'line 1: format is 2, and must be 3.',
        ];
        yield 'a changed figure' => [
            static fn(string $text): string => str_replace('"median":20.5', '"median":10.5', $text),
            'line 1: the checksum is not that of the rows',
        ];
        yield 'a missing line' => [
            static fn(string $text): string => substr($text, 0, (int) strrpos(rtrim($text), "\n") + 1),
            'line 1: the checksum is not that of the rows',
        ];
        yield 'half a line' => [
            static fn(string $text): string => substr($text, 0, -20),
            'line 3: is not a JSON object.',
        ];
        yield 'no environment' => [
            static fn(string $text): string => str_replace('"environment":{', '"nothing":{', $text),
            'line 1: environment is missing.',
        ];
        yield 'a text for a figure' => [
            static fn(string $text): string => str_replace('"median":20.5', '"median":"20.5"', $text),
            'line 2: median is not of type ?float, or is too large.',
        ];
        yield 'a text among the samples' => [
            static fn(string $text): string => str_replace('[20.0,', '["20.0",', $text),
            'line 2: samples is not of type list of float, or is too large.',
        ];
        yield 'an infinite figure' => [
            static fn(string $text): string => str_replace('[20.0,', '[1e999,', $text),
            'line 2: samples is not of type list of float, or is too large.',
        ];
        yield 'a figure too large to compute with' => [
            static fn(string $text): string => str_replace('"median":20.5', '"median":1e308', $text),
            'line 2: median is not of type ?float, or is too large.',
        ];
        yield 'more counts than a number holds' => [
            static fn(string $text): string => str_replace('"counts":{', '"counts":{"7":9223372036854775807,', $text),
            'line 3: histogram has an impossible bin, count or maximum.',
        ];
        yield 'an unknown unit' => [
            static fn(string $text): string => str_replace('"requests/s"', '"furlongs"', $text),
            'line 3: unit is "furlongs". Known: ns,',
        ];
        yield 'a wrong histogram' => [
            static fn(string $text): string => str_replace('"maximum":', '"most":', $text),
            'line 3: maximum is missing.',
        ];
        yield 'a wrong published figure' => [
            static fn(string $text): string => str_replace('"engine":"apc"', '"engine":1', $text),
            'line 2: engine is not of type string.',
        ];
        yield 'a wrong reason' => [
            static fn(string $text): string => str_replace('"reason":"', '"because":"', $text),
            'line 1: reason is missing.',
        ];
    }

    /** @param \Closure(string): string $damage */
    #[DataProvider('damages')]
    public function testDamagedFileIsRefusedWithItsLine(\Closure $damage, string $message): void
    {
        $text = ResultFile::encode(self::report());
        self::assertNotSame($text, $damage($text));
        file_put_contents($this->file, $damage($text));
        $this->expectExceptionMessage($this->file . ', ' . $message);
        ResultFile::read($this->file);
    }

    public function testControlCharactersOfOthersDoNotReachTheTerminal(): void
    {
        $evil = "a\e[31mb\nc\u{9b}d\u{202e}e";
        $subject = new Subject('compare', $evil, null, '1k', 1000, 'get');
        (new ResultFile())->write(
            new Report([
                $evil => $evil,
            ], [new Row($subject, [1.0], 1.0, null, null)], [['subject' => $subject, 'reason' => $evil]], [$evil]),
            $this->file,
        );
        $report = ResultFile::read($this->file);
        $text = 'a [31mb c d e';
        self::assertSame([$text => $text], $report->environment);
        self::assertSame([$text, $text, $text, $text], [
            $report->rows[0]->subject->store ?? null,
            $report->notMeasured[0]['subject']->store ?? null,
            $report->notMeasured[0]['reason'] ?? null,
            $report->spoilers[0] ?? null,
        ]);
    }

    public function testMissingFileIsNamed(): void
    {
        $this->expectExceptionMessage('/no/such/file cannot be read.');
        ResultFile::read('/no/such/file');
    }

    public function testFailedWriteKeepsTheFileThatWasThere(): void
    {
        $file = $this->directory->path . '/' . str_repeat('a', 250); // too long for a temporary file next to it
        file_put_contents($file, 'before');

        try {
            (new ResultFile())->write(self::report(), $file);
            self::fail('written');
        } catch (\RuntimeException $failed) {
            self::assertStringContainsString($file . ' could not be written', $failed->getMessage());
        }
        self::assertSame('before', file_get_contents($file));
    }

    private static function report(): Report
    {
        $histogram = Histogram::empty();
        $histogram->record(0);
        $histogram->record(123_456);
        $missing = new Subject('compare', 'yac', null, '1k', 1000, 'get');

        return new Report(
            ['larder' => '1.0', 'cores' => 2],
            [
                new Row(
                    new Subject('compare', 'apcu', null, '1k', 1000, 'get'),
                    [20.0, 21.0],
                    20.5,
                    null,
                    null,
                    published: new PublishedFigure(250.0, '2013', 'apc'),
                ),
                new Row(new Subject('sail: page', 'redis', 'tcp', null, null, 'request', Unit::RequestsPerSecond, [
                    'at once' => '50',
                ]), [1.0], 1.0, 0.5, 1.5, histogram: $histogram, notes: ['note']),
            ],
            [['subject' => $missing, 'reason' => 'the extension is not loaded']],
            ['turbo is on'],
        );
    }
}
