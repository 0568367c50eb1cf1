<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Tests the last lines of `make test`, with small parts instead of the real ones. */
final class TestCommandTest extends TestCase
{
    private TemporaryDirectory $clone;

    protected function setUp(): void
    {
        $this->clone = new TemporaryDirectory();
        $path = $this->clone->path;
        mkdir("$path/dev/checks", 0o777, true);
        foreach (['dev/test', 'dev/php-settings.sh', 'dev/php-settings.php', 'dev/checks/again', 'dev/checks/left-running'] as $file) {
            copy(Repository::ROOT . "/$file", "$path/$file");
            chmod("$path/$file", 0o755);
        }
        $this->clone->write('Makefile', "vendor-dev:\n\t@true\n");
        $this->write('dev/setup', 'true');
        $this->write('dev/checks/extension', 'echo "1 passed, 0 failed"');
        $this->write('dev/checks/wall', 'echo "2 passed, 0 failed"');
    }

    public function testLastLineCountsAllTests(): void
    {
        self::assertMatchesRegularExpression('/^leftovers .*\n4 passed, 0 failed\n\z/m', $this->test()->getOutput());
    }

    public function testFailedPartsAreNamedWithWhatToDo(): void
    {
        $this->write('dev/checks/arginfo', 'echo "FAILED  a header"; echo "1 passed, 1 failed"; exit 1');
        $run = $this->test();

        self::assertSame(1, $run->getExitCode());
        self::assertStringEndsWith("arginfo: FAILED  a header\narginfo: 1 passed, 1 failed\nWhat to do: find the failures in var/test/arginfo.log. After a change, run make test ARGS=\"arginfo\"\n5 passed, 1 failed\n", $run->getOutput());
    }

    /** Named as PHPUnit does; the second run runs nothing else. */
    public function testWhatFailedBesideOthersRunsAgainAlone(): void
    {
        $log = $this->clone->write('log', "There was 1 skipped test:\n\n1) A\\B::skipped\nno server\n\n--\n\nThere was 1 failure:\n\n1) A\\B::testC with data set \"d\" (E Object (...))\nfalse is true\n\n5 passed, 1 failed\n");
        $this->write('dev/checks/phpunit', "if [ \"\$2 \$3\" = '--filter ~^(A\\\\B::testC)( with data set|\$)~' ]; then echo '1 passed, 0 failed'; else cat $log; exit 1; fi");
        $run = $this->test('cli');
        self::assertSame(0, $run->getExitCode(), $run->getOutput());
        self::assertStringEndsWith("cli: 1) A\\B::testC with data set \"d\" (E Object (...))\ncli: false is true\ncli: passed alone, after it failed beside others: A\\B::testC\n10 passed, 0 failed\n", $run->getOutput());

        $this->write('dev/checks/phpunit', "cat $log; exit 1");
        $run = $this->test('cli');
        self::assertSame(1, $run->getExitCode(), 'the control: it fails alone as well');
        self::assertStringEndsWith("make test ARGS=\"cli\"\n9 passed, 1 failed\n", $run->getOutput());
    }

    /** A sanitizer's run of all suites takes minutes. */
    public function testOnlyTheSuitesOfCoreThatFailedRunAgain(): void
    {
        $this->write('dev/checks/core', <<<'SH'
            if [ "$ONLY $*" = 'memory: scan: unit-asan' ]; then echo '9 passed, 0 failed'; exit; fi
            printf -- '-- unit\n3 passed, 0 failed\n-- unit-asan\nFAILED  scan: a\nFAILED  memory: b\n8 passed, 2 failed\n11 passed, 2 failed\n'
            exit 1
            SH);
        $run = $this->test('core');
        self::assertStringEndsWith("core: passed alone, after it failed beside others: unit-asan\n17 passed, 0 failed\n", $run->getOutput());
    }

    /** For PHPUnit a deprecation is no failure, and is listed after the skipped tests. */
    public function testDeprecationThatFailsAPartIsNamed(): void
    {
        $log = $this->clone->write('log', "There was 1 skipped test:\n\n1) A::b\nno server\n\n--\n\n1 test triggered 1 PHP deprecation:\n\n1) A.php:4\nold() is deprecated\n\n5 passed, 1 failed");
        $this->write('dev/checks/arginfo', "cat $log; exit 1");

        self::assertStringContainsString("\narginfo: 1) A.php:4\narginfo: old() is deprecated\nWhat to do: ", $this->test()->getOutput());
    }

    public function testFailureOfAPartOfEveryRunHasACommandToo(): void
    {
        $this->write('dev/checks/extension', 'exit 1');
        $run = $this->test();

        self::assertStringEndsWith("What to do: find the failures in var/test/extension.log. After a change, run make test\n3 passed, 1 failed\n", $run->getOutput());
    }

    private function test(string ...$others): Process
    {
        $parts = array_filter(['wall', 'arginfo'], fn(string $part): bool => is_file($this->clone->path . "/dev/checks/$part"));
        $process = new Process(['dev/test', ...$parts, ...array_values($others)], $this->clone->path);
        $process->run();

        return $process;
    }

    private function write(string $name, string $commands): void
    {
        $path = $this->clone->write($name, "#!/bin/sh\n$commands\n");
        chmod($path, 0o755);
    }
}
