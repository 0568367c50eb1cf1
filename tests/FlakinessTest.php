<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** lab/flakiness/prove keeps its results, continues from them, and lists the failures. */
final class FlakinessTest extends TestCase
{
    private TemporaryDirectory $folder;

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory();
    }

    public function testKeptRunsAreNotRepeated(): void
    {
        $first = $this->flakiness(['--calm', '--runs', '1', '--filter', 'ListOptionTest', 'cli']);
        self::assertStringEndsWith("1 passed, 0 failed\n", $first->getOutput(), $first->getErrorOutput());
        $logs = $this->logs();
        self::assertCount(1, $logs);
        file_put_contents($logs[0], 'of the first run');

        $second = $this->flakiness(['--calm', '--runs', '2', '--filter', 'ListOptionTest', 'cli']);

        self::assertStringEndsWith("2 passed, 0 failed\n", $second->getOutput());
        self::assertCount(2, $this->logs());
        self::assertStringEqualsFile($logs[0], 'of the first run');
        self::assertSame(0, $second->getExitCode());
    }

    /** The control: a failed run is listed with its output. */
    public function testFailuresAreListed(): void
    {
        $run = $this->flakiness(['--calm', '--runs', '1', '--filter', 'NothingOfTheKind', 'cli']);

        self::assertMatchesRegularExpression('/^FAILED +cli-calm-NothingOfTheKind-1: exit [1-9].*No tests executed!.*^0 passed, 1 failed\Z/ms', $run->getOutput());
        self::assertSame(1, $run->getExitCode());
        self::assertSame(1, $this->flakiness(['--report'])->getExitCode());
    }

    public function testNoProcessIsLeftRunning(): void
    {
        $mark = 'flakiness-' . bin2hex(random_bytes(6));
        $this->flakiness(['--runs', '1', '--filter', 'MachineTest', 'cli'], ['LARDER_TEST_RUN' => $mark]);
        $search = Repository::process(['dev/checks/left-running'], ['LARDER_TEST_RUN' => $mark, 'TMPDIR' => $this->folder->path]);

        self::assertSame(0, $search->run(), $search->getOutput());
    }

    /**
     * @param list<string> $arguments
     * @param array<string, string> $environment
     */
    private function flakiness(array $arguments, array $environment = []): Process
    {
        $process = Repository::process(['lab/flakiness/prove', '--whole', '0', '--keep', $this->folder->path, ...$arguments], $environment, 300);
        $process->run();

        return $process;
    }

    /** @return list<string> */
    private function logs(): array
    {
        $logs = glob($this->folder->path . '/*/*.log');

        return $logs === false ? [] : $logs;
    }
}
