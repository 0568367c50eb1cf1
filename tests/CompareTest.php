<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Dev\Figures\Measured;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** `make compare` as README gives it, but short: it measures every store, and leaves nothing behind. */
final class CompareTest extends TestCase
{
    private const STORES = [
        'larder', 'apcu', 'yac', 'shmop', 'memcached', 'memcache', 'redis', 'predis',
        'mysql-myisam', 'mysql-memory', 'sqlite', 'file', 'php-file', 'array',
    ];
    private const LIMIT = 240;

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
        self::assertStringContainsString('No intervals: a quick look.', $process->getOutput());
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

    public function testInterruptedRunLeavesNothingBehind(): void
    {
        // A terminal sends Ctrl-C to all processes of the command, which setsid keeps apart from the tests' own.
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

    /** @return list<string> the names of the programs that run for this test */
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
