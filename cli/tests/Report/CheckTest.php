<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Check;
use Larder\Cli\Report\Difference;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Interval;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class CheckTest extends TestCase
{
    private TemporaryDirectory $directory;
    private string $file;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(sys_get_temp_dir());
        $this->file = $this->directory->path . '/result.jsonl';
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    public function testHonestResultIsAccepted(): void
    {
        self::assertSame([], $this->problems(new Report(Rows::ENVIRONMENT, [Rows::of('apcu', Rows::around(100))])));
    }

    public function testPageCanBeFasterThanAnother(): void
    {
        self::assertSame(
            [],
            $this->problems(new Report(
                Rows::ENVIRONMENT,
                [Rows::of('literal', Rows::around(100.5), operation: 'share of empty', unit: Unit::Percent)],
            )),
        );
    }

    public function testRecordedResultIsAccepted(): void
    {
        self::assertSame([], Check::problems(\dirname(__DIR__) . '/Advice/recorded.jsonl'));
    }

    /** @return iterable<string, array{Report, list<string>}> */
    public static function problematic(): iterable
    {
        $report = static fn(Row ...$rows): Report => new Report(Rows::ENVIRONMENT, array_values($rows));
        $subject = new Subject('compare', 'apcu', null, '1k', 1000, 'get');
        $row = Rows::of('apcu', Rows::around(100));
        $line = 'line 2 (compare, apcu get 1k): ';
        yield 'no rows' => [$report(), ['there are no rows']];
        yield 'no machine' => [
            new Report(['processor' => ''] + array_diff_key(Rows::ENVIRONMENT, ['cores' => 1]), [$row]),
            ['the environment does not tell its processor', 'the environment does not tell its cores'],
        ];
        yield 'the future' => [
            new Report(['date' => '2999-01-01'] + Rows::ENVIRONMENT, [$row]),
            ['the date 2999-01-01 is not one in the past'],
        ];
        yield 'faster than PHP' => [
            $report(Rows::of('apcu', Rows::around(0.2))),
            [$line . 'has the impossible figure 0.2'],
        ];
        yield 'slower than anything' => [
            $report(Rows::of('apcu', Rows::around(1e17))),
            [$line . 'has the impossible figure'],
        ];
        yield 'fewer bytes than none' => [
            $report(Rows::of('apcu', Rows::around(100), bytes: -5)),
            [$line . 'has a value of -5 bytes'],
        ];
        yield 'more than all' => [
            $report(Rows::of('apcu', Rows::around(101), unit: Unit::Percent)),
            [$line . 'has the impossible figure 101'],
        ];
        yield 'less than nothing' => [
            $report(Rows::of('apcu', Rows::around(-5), unit: Unit::Bytes)),
            [$line . 'has the impossible figure -5'],
        ];
        yield 'too few samples' => [
            $report(Rows::of('apcu', \array_slice(Rows::around(100), 0, 9))),
            [$line . 'has 9 samples, fewer than 10'],
        ];
        yield 'another median' => [
            $report(new Row($subject, $row->samples, 50.0, $row->low, $row->high)),
            [$line . 'has the median 50, which is not that of its samples'],
        ];
        yield 'another interval' => [
            $report(new Row($subject, $row->samples, $row->median, 99.99, 100.01)),
            [$line . 'has an interval that is not that of its samples'],
        ];
        yield 'no interval' => [
            $report(new Row($subject, $row->samples, $row->median, null, null)),
            [$line . 'has an interval that is not that of its samples'],
        ];
        yield 'a figure and failures' => [
            $report(new Row($subject, $row->samples, $row->median, $row->low, $row->high, 3, 'lost values')),
            [$line . 'has a figure in spite of 3 failures: lost values'],
        ];
        yield 'no figure' => [
            $report(new Row($subject, [], null, null, null)),
            [$line . 'has no figure, and does not say why'],
        ];
        yield 'the same twice' => [$report($row, $row), ['line 3 (compare, apcu get 1k): is there already, in line 2']];
        yield 'spoilers' => [
            new Report(Rows::ENVIRONMENT, [$row], spoilers: ['Turbo is on.']),
            ['the run was spoiled: Turbo is on.'],
        ];
    }

    /** @param list<string> $expected beginnings of the problems */
    #[DataProvider('problematic')]
    public function testEachProblemIsNamed(Report $report, array $expected): void
    {
        $problems = $this->problems($report);
        foreach ($expected as $i => $problem) {
            self::assertSame($problem, substr($problems[$i] ?? 'nothing', 0, \strlen($problem)));
        }
    }

    public function testAnyNumberOfSamplesCanBeChecked(): void
    {
        $samples = array_merge(...array_fill(0, 2000, Rows::around(100)));
        $interval = Interval::ofMedian($samples);
        $report = new Report(
            Rows::ENVIRONMENT,
            [new Row(
                new Subject('compare', 'apcu', null, '1k', 1000, 'get'),
                $samples,
                100.0,
                $interval?->low,
                $interval?->high,
            )],
        );
        self::assertSame([], $this->problems($report));
        self::assertSame([], Difference::between($report, $report)->changed);
    }

    public function testChangedFileIsRefused(): void
    {
        (new ResultFile())->write(new Report(Rows::ENVIRONMENT, [Rows::of('apcu', Rows::around(100))]), $this->file);
        $text = (string) file_get_contents($this->file);
        file_put_contents($this->file, str_replace('"apcu"', '"yac"', $text));
        self::assertStringContainsString('checksum', Check::problems($this->file)[0] ?? '');
        file_put_contents($this->file, 'no JSON');
        self::assertStringContainsString('line 1', Check::problems($this->file)[0] ?? '');
        self::assertStringContainsString('cannot be read', Check::problems($this->directory->path . '/none')[0] ?? '');
    }

    /** @return list<string> */
    private function problems(Report $report): array
    {
        (new ResultFile())->write($report, $this->file);

        return Check::problems($this->file);
    }
}
