<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Tests how continuous integration reports its runs, with small commands instead of `make` and of the fresh machine.
 */
final class CiRunTest extends TestCase
{
    private TemporaryDirectory $clone;

    protected function setUp(): void
    {
        $this->clone = new TemporaryDirectory();
        $path = $this->clone->path;
        mkdir("$path/.ci");
        copy(Repository::ROOT . '/.ci/run', "$path/.ci/run");
        chmod("$path/.ci/run", 0o755);
        mkdir("$path/dev");
        $this->write('dev/setup', 'true');
        $this->write('dev/fresh-path', 'echo "$PATH"');
        $this->write('dev/fresh-machine', 'case "$*" in *compare*) echo "1 passed, 0 failed" ;; *) echo "20 passed, 0 failed, 3 skipped" ;; esac');
        $this->test('echo "$(ARGS)300 passed, 0 failed"');
    }

    public function testLastLineCountsBothMachines(): void
    {
        $run = $this->ci();
        self::assertSame([0, '321 passed, 0 failed, 3 skipped'], [$run->getExitCode(), self::lastLine($run)], $run->getOutput());
    }

    #[TestWith(['echo "300 passed, 2 failed"; exit 2', '321 passed, 2 failed, 3 skipped'])]
    #[TestWith(['echo "300 passed, 0 failed"; exit 2', '321 passed, 1 failed, 3 skipped'])]
    #[TestWith(['echo "300 passed, 0 failed"; echo died', '21 passed, 1 failed, 3 skipped'])]
    #[TestWith(['echo "0 passed, 0 failed, 9 skipped"', '21 passed, 1 failed, 12 skipped'])]
    #[TestWith(['true', '21 passed, 1 failed, 3 skipped'])]
    public function testWhatFailsHereFails(string $test, string $lastLine): void
    {
        $this->test($test);
        $run = $this->ci();
        self::assertSame([1, $lastLine], [$run->getExitCode(), self::lastLine($run)], $run->getOutput());
    }

    public function testLastLinesNameWhatFailed(): void
    {
        $this->test('printf "1) A::b\\n\\n== all parts (9 s) ==\\nlibrary 1 passed\\nlibrary: 1) A::b\\nlibrary: 2 is not 3.\\n1 passed, 1 failed\\n"; exit 1');
        $lines = explode("\n", rtrim($this->ci()->getOutput()));
        self::assertSame(['    library: 1) A::b', '    library: 2 is not 3.'], \array_slice($lines, -5, 2));
    }

    #[TestWith(['*compare*) exit 1 ;; *) echo "20 passed, 0 failed" ;;', '320 passed, 1 failed'])]
    #[TestWith(['*compare*) echo "1 passed, 0 failed" ;; *) echo "19 passed, 1 failed"; exit 1 ;;', '320 passed, 1 failed'])]
    public function testWhatFailsOnTheFreshMachineFails(string $cases, string $lastLine): void
    {
        $this->write('dev/fresh-machine', "case \"\$*\" in $cases esac");
        $run = $this->ci();
        self::assertSame([1, $lastLine], [$run->getExitCode(), self::lastLine($run)], $run->getOutput());
    }

    /** The shell counts on from SECONDS. */
    #[TestWith(['0', 'cli phpt packages waiting library core engine project', ''])]
    #[TestWith(['3000', 'cli phpt packages', 'waiting library core engine project'])]
    #[TestWith(['4000', '', 'cli phpt packages waiting library core engine project'])]
    public function testSlowMachineSaysWhatItLeavesOut(string $seconds, string $parts, string $leftOut): void
    {
        $this->write('dev/fresh-machine', 'case "$*" in *compare*) ;; *) echo "there: $*" ;; esac; echo "20 passed, 0 failed"');
        $run = $this->process(['SECONDS' => $seconds]);
        $run->run();
        $said = $run->getOutput();
        self::assertSame($parts === '' ? 0 : 1, preg_match('/^there: .* trixie make test ARGS=(.*)$/m', $said, $asked));
        self::assertSame($parts, $asked[1] ?? '');
        self::assertSame($leftOut === '' ? 0 : 1, preg_match('/^Not run on Debian 13, as this machine is slow today: (.*)\. To run them: /m', $said, $named));
        self::assertSame($leftOut, $named[1] ?? '');
    }

    public function testSignalEndsWhatWasStarted(): void
    {
        $this->test("echo \$\$\$\$ >{$this->clone->path}/pid; sleep 300");
        $run = $this->process();
        $run->start();
        for ($end = microtime(true) + 60; !is_file("{$this->clone->path}/pid") && microtime(true) < $end;) {
            usleep(10_000);
        }
        $run->signal(\SIGTERM);
        $start = microtime(true);
        $run->wait();

        self::assertLessThan(120.0, microtime(true) - $start, 'the control: the command sleeps for 300 seconds');
        self::assertSame(130, $run->getExitCode());
        // until its parent, perhaps the machine's first process, has noticed, it is a zombie
        $pid = (int) file_get_contents("{$this->clone->path}/pid");
        for ($end = microtime(true) + 60; preg_match('/\) [^Z]/', (string) @file_get_contents("/proc/$pid/stat")) === 1 && microtime(true) < $end;) {
            usleep(10_000);
        }
        self::assertDoesNotMatchRegularExpression('/\) [^Z]/', (string) @file_get_contents("/proc/$pid/stat"));
    }

    private function ci(): Process
    {
        $process = $this->process();
        $process->run();

        return $process;
    }

    /** @param array<string, string> $environment */
    private function process(array $environment = []): Process
    {
        return new Process(['.ci/run'], $this->clone->path, ['ARGS' => 'one part only', ...$environment], timeout: 400);
    }

    private static function lastLine(Process $process): string
    {
        $lines = explode("\n", trim($process->getOutput()));

        return $lines[array_key_last($lines)];
    }

    private function test(string $command): void
    {
        $this->clone->write('Makefile', "test:\n\t@$command\n");
    }

    private function write(string $file, string $script): void
    {
        file_put_contents("{$this->clone->path}/$file", "#!/bin/sh\n$script\n");
        chmod("{$this->clone->path}/$file", 0o755);
    }
}
