<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Application;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Tests\Report\Rows;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Tester\CommandTester;

/** Tests the options of `larder compare` that measure nothing. */
final class ResultOptionsTest extends TestCase
{
    private const RECORDED = __DIR__ . '/../Advice/recorded.jsonl';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(sys_get_temp_dir());
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    public function testCheckExitsWithOneForAProblem(): void
    {
        [$code, $text] = $this->larder(['--check' => self::RECORDED]);
        self::assertSame(0, $code);
        self::assertStringContainsString('nothing is wrong with it', $text);
        $file = $this->directory->path . '/result.jsonl';
        (new ResultFile())->write(new Report([], [Rows::of('apcu', [0.1, 0.1])]), $file);
        [$code, $text] = $this->larder(['--check' => $file]);
        self::assertSame(1, $code);
        self::assertStringContainsString("the environment does not tell its processor\n", $text);
        self::assertStringContainsString("line 2 (compare, apcu get 1k): has 2 samples, fewer than 10\n", $text);
    }

    public function testDiffSaysWhatChanged(): void
    {
        $slower = $this->directory->path . '/slower.jsonl';
        $recorded = ResultFile::read(self::RECORDED);
        $report = Rows::scaled(
            $recorded,
            static fn(Subject $subject): float
                => $subject->store === 'apcu' && $subject->operation === 'get' ? 3.0 : 1.0,
        );
        (new ResultFile())->write(new Report(['php' => '8.3.0'] + $report->environment, $report->rows), $slower);
        [$code, $text] = $this->larder(['--diff' => self::RECORDED, 'after' => $slower]);
        self::assertSame(0, $code);
        self::assertStringContainsString("4 rows changed, in 60 the difference is noise.\n", $text);
        self::assertMatchesRegularExpression(
            '/^  compare: apcu, get 10b: 178 ns, then 534 ns: x3\.00 \([\d.]+ to [\d.]+\), worse$/m',
            $text,
        );
        self::assertStringContainsString("The environments differ:\n  php: 8.2.36, then 8.3.0\n", $text);
        [, $same] = $this->larder(['--diff' => self::RECORDED, 'after' => self::RECORDED]);
        self::assertSame("0 rows changed, in 64 the difference is noise.\n", $same);
    }

    public function testDiffOfTooFewSamplesSaysSo(): void
    {
        [$before, $after] = [$this->directory->path . '/before.jsonl', $this->directory->path . '/after.jsonl'];
        (new ResultFile())->write(new Report(Rows::ENVIRONMENT, [Rows::of('apcu', [1.0, 1.1, 1.2])]), $before);
        (new ResultFile())->write(new Report(Rows::ENVIRONMENT, [Rows::of('apcu', [9.0, 9.1, 9.2])]), $after);
        [, $text] = $this->larder(['--diff' => $before, 'after' => $after]);
        self::assertStringEndsWith(
            "0 rows changed, in 0 the difference is noise.\n1 with fewer than 6 samples cannot show a change. "
                . "Measure in more rounds.\n",
            $text,
        );
    }

    public function testDiffAndAdviceSayWhenTheCheckWouldFail(): void
    {
        $file = $this->directory->path . '/twice.jsonl';
        $rows = ResultFile::read(self::RECORDED)->rows;
        (new ResultFile())->write(new Report(Rows::ENVIRONMENT, [...$rows, $rows[0]]), $file);
        $careful = "Careful with $file: --check fails, line 66 (compare, larder get 10b): is there already, "
            . "in line 2\n";
        [, $text] = $this->larder(['--diff' => self::RECORDED, 'after' => $file]);
        self::assertStringStartsWith($careful . "0 rows changed, in 63 the difference is noise.\n", $text);
        self::assertStringContainsString(
            "Left out, as they stand more than once in a file:\n  compare: larder, get 10b\n",
            $text,
        );
        [, $text] = $this->larder(['--advise' => [$file]]);
        self::assertStringStartsWith(
            $careful . "1 rows stand there more than once: the first of each counts.\n",
            $text,
        );
        self::assertStringNotContainsString('Careful', $this->larder(['--advise' => [self::RECORDED]])[1]);
    }

    public function testAdviceIsGivenFromAResultAndAProfile(): void
    {
        $profile = $this->directory->path . '/profile.json';
        file_put_contents($profile, '{"format": 1, "machines": 2, "operations_per_request": 3, "strings": {"100": 1}}');
        [$code, $text] = $this->larder(['--advise' => [self::RECORDED], '--profile' => $profile]);
        self::assertSame(0, $code);
        self::assertStringStartsWith('Cache time of one request (2.7 gets, 0.3 sets)', $text);
        self::assertMatchesRegularExpression('/^Several machines  Use (Redis|Memcached)/m', $text);
        self::assertStringNotContainsString('One machine', $text);
        self::assertStringNotContainsString('Assumed', $text);
        [, $text] = $this->larder(
            ['--advise' => [self::RECORDED], '--profile' => $profile],
            OutputInterface::VERBOSITY_VERBOSE,
        );
        self::assertStringContainsString(
            'From the profile: a request makes 2.7 gets, 0.3 sets',
            (string) preg_replace('/\s+/', ' ', $text),
        );
        self::assertMatchesRegularExpression('/^larder +35\.0 ns/m', $text);
    }

    public function testPageIsMadeFromAResultAndAProfile(): void
    {
        [$profile, $page] = [$this->directory->path . '/profile.json', $this->directory->path . '/page.html'];
        file_put_contents($profile, '{"format": 1, "machines": 2, "operations_per_request": 3, "strings": {"100": 1}}');
        $this->larder(['--advise' => [self::RECORDED], '--profile' => $profile, '--html' => $page]);
        self::assertStringContainsString(
            'From the profile: a request makes 2.7 gets',
            (string) file_get_contents($page),
        );
        self::assertStringNotContainsString('Without a profile', (string) file_get_contents($page));
    }

    public function testSeveralResultsOfOneMachineAreAdvisedTogether(): void
    {
        $recorded = ResultFile::read(self::RECORDED);
        $file = $this->directory->path . '/study.jsonl';
        $rows = [];
        foreach (['get' => '2016: read, array', 'set' => '2016: write, array'] as $operation => $table) {
            $rows[] = Rows::of('redis', Rows::around(9000), '50 x 50 array', $operation, 'tcp', [
                'serializer' => 'php',
            ], $table, bytes: 24_847);
            $rows[] = Rows::of('redis', Rows::around(5000), '50 x 50 array', $operation, 'tcp', [
                'serializer' => 'igbinary',
            ], $table, bytes: 24_847);
            $rows[] = Rows::of(
                'redis',
                Rows::around(1e6),
                'short value',
                $operation,
                'tcp',
                [],
                $table,
                bytes: 10,
            ); // was not measured with igbinary, so it must not count
        }
        (new ResultFile())->write(new Report($recorded->environment, $rows), $file);
        [, $text] = $this->larder(['--advise' => [self::RECORDED, $file]], OutputInterface::VERBOSITY_VERBOSE);
        self::assertMatchesRegularExpression(
            '/Serializer igbinary \(from the tables of 2016\): redis tcp 10\.0 µs/',
            (string) preg_replace('/\s+/', ' ', $text),
        );
        self::assertMatchesRegularExpression('/^One machine +Use Larder\. /m', $text);

        (new ResultFile())->write(new Report(['processor' => 'Other'] + $recorded->environment, $rows), $file);
        $this->expectExceptionMessage(
            $file . ' is from another machine than ' . self::RECORDED . ': its processor differs.',
        );
        $this->larder(['--advise' => [self::RECORDED, $file]]);
    }

    /** @param array<string, string|list<string>> $arguments */
    #[TestWith([['--diff' => self::RECORDED], '--diff needs two results'])]
    #[TestWith([['after' => self::RECORDED], '--diff needs two results'])]
    #[TestWith([
        ['--check' => self::RECORDED, '--html' => '/tmp/page.html'],
        '--html: nothing is measured with --check or --diff',
    ])]
    #[TestWith([
        ['--advise' => [self::RECORDED], '--json' => '/tmp/result.jsonl'],
        '--json: nothing is measured with --advise',
    ])]
    #[TestWith([['--advise' => ['/nowhere/file.jsonl']], '/nowhere/file.jsonl cannot be read'])]
    #[TestWith([
        ['--advise' => [self::RECORDED], '--profile' => '/nowhere/profile.json'],
        '/nowhere/profile.json cannot be read',
    ])]
    public function testMistakeIsNamed(array $arguments, string $message): void
    {
        $this->expectExceptionMessage($message);
        $this->larder($arguments);
    }

    /**
     * @param array<string, string|list<string>> $arguments
     * @param OutputInterface::VERBOSITY_* $verbosity
     * @return array{int, string}
     */
    private function larder(array $arguments, int $verbosity = OutputInterface::VERBOSITY_NORMAL): array
    {
        $tester = new CommandTester((new Application())->find('compare'));

        return [$tester->execute($arguments, ['verbosity' => $verbosity]), $tester->getDisplay()];
    }
}
