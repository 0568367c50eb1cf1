<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Application;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\TemporaryDirectory;
use Larder\Cli\Tests\Report\Rows;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/** The options of `larder compare` that measure nothing. */
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
        $report = Rows::scaled($recorded, static fn(Subject $subject): float => $subject->store === 'apcu' && $subject->operation === 'get' ? 3.0 : 1.0);
        (new ResultFile())->write(new Report(['php' => '8.3.0'] + $report->environment, $report->rows), $slower);
        [$code, $text] = $this->larder(['--diff' => self::RECORDED, 'after' => $slower]);
        self::assertSame(0, $code);
        self::assertStringContainsString("4 rows changed, in 60 the difference is noise.\n", $text);
        self::assertMatchesRegularExpression('/^  compare: apcu, get 10b: 178 ns, then 534 ns: x3\.00 \([\d.]+ to [\d.]+\), worse$/m', $text);
        self::assertStringContainsString("The environments differ:\n  php: 8.2.36, then 8.3.0\n", $text);
        [, $same] = $this->larder(['--diff' => self::RECORDED, 'after' => self::RECORDED]);
        self::assertSame("0 rows changed, in 64 the difference is noise.\n", $same);
    }

    public function testAdviceIsGivenFromAResultAndAProfile(): void
    {
        $profile = $this->directory->path . '/profile.json';
        file_put_contents($profile, '{"format": 1, "machines": 2, "operations_per_request": 3, "strings": {"100": 1}}');
        [$code, $text] = $this->larder(['--advise' => [self::RECORDED], '--profile' => $profile]);
        self::assertSame(0, $code);
        self::assertMatchesRegularExpression('/^Which store, for several machines\n  Take (redis|memcached) tcp/m', $text);
        self::assertStringContainsString('From the profile: 3 operations per request', $text);
        self::assertStringNotContainsString('on one machine' . "\n", $text);
    }

    public function testSeveralResultsOfOneMachineAreAdvisedTogether(): void
    {
        $recorded = ResultFile::read(self::RECORDED);
        $file = $this->directory->path . '/study.jsonl';
        $rows = [];
        foreach (['get', 'set'] as $operation) {
            $rows[] = Rows::of('redis', Rows::around(9000), operation: $operation, connection: 'tcp', table: '2016: arrays');
            $rows[] = Rows::of('redis', Rows::around(5000), operation: $operation, connection: 'tcp', settings: ['serializer' => 'igbinary'], table: '2016: arrays');
        }
        (new ResultFile())->write(new Report($recorded->environment, $rows), $file);
        [, $text] = $this->larder(['--advise' => [self::RECORDED, $file]]);
        self::assertMatchesRegularExpression('/redis tcp: serializer igbinary saves 40\.0 µs per\s+request .*\(From the\s+table 2016: arrays\.\)/s', $text);
        self::assertStringContainsString('  Take larder: ', $text);

        (new ResultFile())->write(new Report(['processor' => 'Other'] + $recorded->environment, $rows), $file);
        $this->expectExceptionMessage($file . ' is from another machine than ' . self::RECORDED . ': its processor differs.');
        $this->larder(['--advise' => [self::RECORDED, $file]]);
    }

    /** @param array<string, string|list<string>> $arguments */
    #[TestWith([['--diff' => self::RECORDED], '--diff needs two results'])]
    #[TestWith([['after' => self::RECORDED], '--diff needs two results'])]
    #[TestWith([['--advise' => ['/nowhere/file.jsonl']], '/nowhere/file.jsonl cannot be read'])]
    #[TestWith([['--advise' => [self::RECORDED], '--profile' => '/nowhere/profile.json'], '/nowhere/profile.json cannot be read'])]
    public function testMistakeIsNamed(array $arguments, string $message): void
    {
        $this->expectExceptionMessage($message);
        $this->larder($arguments);
    }

    /**
     * @param array<string, string|list<string>> $arguments
     * @return array{int, string}
     */
    private function larder(array $arguments): array
    {
        $tester = new CommandTester((new Application())->find('compare'));

        return [$tester->execute($arguments), $tester->getDisplay()];
    }
}
