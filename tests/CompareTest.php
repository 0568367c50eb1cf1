<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Lab\Figures\Measured;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** Runs `make compare` as in the README, but shorter: it measures every store, and leaves nothing behind. */
final class CompareTest extends TestCase
{
    private const STORES = [
        'larder', 'apcu', 'yac', 'shmop', 'memcached', 'memcache', 'redis', 'predis',
        'mysql-myisam', 'mysql-memory', 'pgsql', 'sqlite', 'file', 'php-file', 'array',
    ];
    private const LIMIT = 1200;

    private string $folder;

    /** @var array<string, string> */
    private array $environment;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/compare-' . bin2hex(random_bytes(4));
        (new Filesystem())->mkdir("$this->folder/tmp");
        $this->environment = [
            'INSTALL' => 'no',
            'TMPDIR' => "$this->folder/tmp",
            'LARDER_TEST_RUN' => 'compare-' . bin2hex(random_bytes(6)),
        ];
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
    }

    public function testEveryStoreIsMeasuredWithoutFailure(): void
    {
        $process = Repository::process(['make', 'compare', "ARGS=--quick --json $this->folder/figures.jsonl"], $this->environment, self::LIMIT);
        $process->run();

        self::assertSame(0, $process->getExitCode(), $process->getOutput() . $process->getErrorOutput());
        $printed = $process->getErrorOutput() . $process->getOutput();
        self::assertLessThanOrEqual(60, substr_count($printed, "\n"), $printed);
        self::assertStringNotContainsString("\033", $printed);
        self::assertMatchesRegularExpression('/^  servers +memcached, Redis, MariaDB, PostgreSQL +\d:\d\d$/m', $printed);
        self::assertMatchesRegularExpression('/^One machine +.*larder:/ms', $printed);
        self::assertMatchesRegularExpression('/^Several machines  /m', $printed);
        $figures = Measured::read("$this->folder/figures.jsonl");
        self::assertSame([], $figures->header['not_measured']);
        $measured = [];
        foreach ($figures->rows as $row) {
            self::assertSame(0, $row['failures'], (string) json_encode($row));
            self::assertGreaterThan(0, $row['median'], (string) json_encode($row));
            $measured[] = $row['store'];
        }
        foreach (self::STORES as $store) {
            self::assertContains($store, $measured);
        }
        self::assertNothingIsLeft();
    }

    /**
     * Nothing is installed, so a machine without a server fails at once, with the last lines of the log and a remedy.
     */
    public function testFailureBeforeMeasuringNamesItsLog(): void
    {
        $path = Repository::folderOfCommandsBut('memcached', "$this->folder/bin");
        $process = Repository::process(['make', 'compare', 'ARGS=--quick'], ['PATH' => $path] + $this->environment, self::LIMIT);

        self::assertSame(2, $process->run(), $process->getOutput() . $process->getErrorOutput());
        self::assertMatchesRegularExpression('/^  packages +failed +0:\d\d$/m', $process->getErrorOutput());
        self::assertStringContainsString('make compare stopped: the step "packages" failed.', $process->getErrorOutput());
        self::assertStringContainsString('missing, and INSTALL=no forbids to install: memcached', $process->getErrorOutput());
        self::assertStringContainsString('To go on: leave out INSTALL=no, then run "make compare" again.', $process->getErrorOutput());
        self::assertMatchesRegularExpression('~^Whole output: var/log/compare\.log \(\d+ lines~m', $process->getErrorOutput());
        self::assertSame('', $process->getOutput());
    }

    public function testTerminalIsAskedOnceBeforePackagesAreInstalled(): void
    {
        $path = Repository::folderOfCommandsBut('memcached', "$this->folder/bin");
        $process = Repository::process(['script', '-qec', 'make compare', '/dev/null'], ['PATH' => $path, 'INSTALL' => false] + $this->environment, self::LIMIT);
        $process->setInput("n\n");
        $process->run();
        $printed = strtr($process->getOutput(), ["\r\n" => "\n"]);

        self::assertMatchesRegularExpression('/^To install: memcached \(\S.* MB\)\.$/m', $printed);
        self::assertSame(1, substr_count($printed, 'Continue? [Y/n]'), $printed);
        self::assertStringContainsString('Nothing was installed. To compare what is there: ./larder compare', $printed);
        self::assertStringNotContainsString('servers', $printed);
        self::assertNotSame(0, $process->getExitCode());
    }

    public function testInterruptedRunLeavesNothingBehind(): void
    {
        // A terminal sends Ctrl-C to all processes of the command. setsid separates them from those of the tests.
        $process = Repository::process(['setsid', 'make', 'compare', 'ARGS=--quick'], $this->environment, self::LIMIT);
        $process->start();
        $servers = ['memcached', 'redis-server', 'mariadbd'];
        for ($tries = 0; $tries < 1800 && $process->isRunning() && $servers !== []; ++$tries) {
            usleep(100_000);
            $servers = array_diff($servers, $this->running());
        }
        self::assertSame([], $servers, 'these servers did not start: ' . $process->getErrorOutput());

        $group = posix_getpgid((int) $process->getPid());
        self::assertIsInt($group);
        self::assertNotSame(posix_getpgrp(), $group);
        posix_kill(-$group, \SIGINT);
        while ($process->isRunning()) {
            usleep(10_000);
        }

        self::assertFalse($process->isSuccessful());
        self::assertNothingIsLeft();
    }

    private function assertNothingIsLeft(): void
    {
        $process = Repository::process(['dev/checks/left-running'], $this->environment);

        self::assertSame(0, $process->run(), $process->getOutput());
        self::assertSame([], glob("$this->folder/tmp/*"), 'temporary files are gone');
    }

    /** @return list<string> names of the programs that run for this test */
    private function running(): array
    {
        $process = Repository::process(['dev/checks/left-running', '--pids'], $this->environment);
        $process->run();
        $names = [];
        foreach (explode(' ', trim($process->getOutput())) as $pid) {
            $names[] = basename((string) @readlink("/proc/$pid/exe"));
        }

        // Debian's redis-server is one program under several names.
        return array_map(static fn(string $name): string => $name === 'redis-check-rdb' ? 'redis-server' : $name, $names);
    }
}
