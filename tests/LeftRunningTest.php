<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** The search for processes left by a test run finds them, even if they hide their origin. */
final class LeftRunningTest extends TestCase
{
    private string $mark;
    private string $folder;

    protected function setUp(): void
    {
        $this->mark = 'control-' . bin2hex(random_bytes(6));
        $this->folder = sys_get_temp_dir() . '/larder-' . $this->mark;
        (new Filesystem())->mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
    }

    public function testNothingIsFoundWhenNothingIsLeft(): void
    {
        [$code, $said] = $this->search();

        self::assertSame("1 passed, 0 failed\n", $said);
        self::assertSame(0, $code);
    }

    public function testDaemonIsFound(): void
    {
        $this->assertIsFound(['setsid', 'sleep', '60'], ['LARDER_TEST_RUN' => $this->mark]);
    }

    public function testDaemonWithoutEnvironmentIsFoundByItsFolder(): void
    {
        $this->assertIsFound(['sh', '-c', 'cd "$1" && exec setsid sleep 60', 'sh', $this->folder], ['LARDER_TEST_RUN' => false]);
    }

    public function testDaemonWithoutEnvironmentIsFoundByItsFile(): void
    {
        $this->assertIsFound(['sh', '-c', 'exec setsid sleep 60 >"$1/log"', 'sh', $this->folder], ['LARDER_TEST_RUN' => false]);
    }

    /**
     * @param list<string> $command
     * @param array<string, string|false> $environment
     */
    private function assertIsFound(array $command, array $environment): void
    {
        $daemon = Repository::process($command, $environment);
        $daemon->start();
        // sh becomes setsid becomes sleep
        for ($tries = 0; $tries < 6000 && !str_starts_with((string) @file_get_contents("/proc/{$daemon->getPid()}/cmdline"), 'sleep'); ++$tries) {
            usleep(10_000);
        }

        try {
            [$code, $said] = $this->search();
        } finally {
            $daemon->stop(1, \SIGKILL);
        }
        self::assertSame(1, $code);
        self::assertStringContainsString("{$daemon->getPid()}  sleep 60", $said);
        self::assertStringEndsWith("0 passed, 1 failed\n", $said);
    }

    /** @return array{?int, string} */
    private function search(): array
    {
        $process = Repository::process(['dev/checks/left-running'], ['LARDER_TEST_RUN' => $this->mark, 'TMPDIR' => $this->folder]);
        $code = $process->run();

        return [$code, $process->getOutput() . $process->getErrorOutput()];
    }
}
