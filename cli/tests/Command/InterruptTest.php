<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Interrupts `larder compare` while it measures. */
final class InterruptTest extends TestCase
{
    /** Without tiers, which need the engine. */
    private const SETUPS = 9;

    private TemporaryDirectory $temporary;
    private Process $run;

    /** @var array<int, true> all processes that the run was seen to start */
    private array $started = [];

    /** @var list<string> blocks of shared memory that existed before: process ids may be reused */
    private array $before = [];

    protected function setUp(): void
    {
        $this->before = array_column(self::blocks(), 'id');
        $this->temporary = new TemporaryDirectory();
        $this->run = new Process(
            [
                __DIR__ . '/../../../larder',
                'compare',
                '--rounds=1000',
                '--stores=memcached,redis,mysql-memory,shmop,sqlite',
                '--values=10b',
            ],
            null,
            [
                'PHP' => \PHP_BINARY,
                'TMPDIR' => $this->temporary->path,
                'XDG_STATE_HOME' => $this->temporary->path . '/state',
            ],
            timeout: null,
        );
        $this->run->start();
        $pid = (int) $this->run->getPid();
        // After the first round every store has been measured, so each could leave something behind.
        $journal = $this->temporary->path . '/state/larder/compare.jsonl';
        $measured = static fn(): int => substr_count((string) @file_get_contents($journal), "\n") - 1;
        for ($deadline = microtime(true) + 300; $measured() < self::SETUPS || \count($this->started) < 12; usleep(
            5_000,
        )) {
            self::assertLessThan($deadline, microtime(true), $this->run->getErrorOutput());
            self::assertTrue($this->run->isRunning(), $this->run->getErrorOutput());
            $this->started += self::descendants($pid);
        }
    }

    protected function tearDown(): void
    {
        $this->run->stop(0);
    }

    #[TestWith([\SIGINT, 130])]
    #[TestWith([\SIGTERM, 143])]
    public function testSignalStopsTheRunAndRemovesEverything(int $signal, int $status): void
    {
        self::assertNotSame([], $this->directories());
        $start = microtime(true);
        $this->run->signal($signal);
        $this->run->wait();
        self::assertSame($status, $this->run->getExitCode());
        self::assertLessThan(60.0, microtime(true) - $start, 'less than what was begun would have taken');
        self::assertStringContainsString(
            'Interrupted. Everything that was started has been stopped.',
            $this->run->getErrorOutput(),
        );
        self::assertSame([], self::alive($this->started));
        self::assertSame([], $this->directories());
        self::assertSame([], $this->sharedMemory());
    }

    public function testKillStopsAllThatWasStarted(): void
    {
        $this->run->signal(\SIGKILL);
        for ($deadline = microtime(
            true,
        ) + 60; self::alive($this->started) !== [] && microtime(true) < $deadline; usleep(10_000)) {
        }
        self::assertSame([], self::alive($this->started));
        // Directories and shared memory remain: SIGKILL leaves no process that could remove them.
        foreach ($this->directories() as $directory) {
            (new Process(['rm', '-rf', $directory]))->run();
        }
        foreach ($this->sharedMemory() as $id) {
            (new Process(['ipcrm', '--shmem-id', $id]))->run();
        }
    }

    /** @return array<int, true> */
    private static function descendants(int $pid): array
    {
        $found = [];
        foreach (explode(' ', trim((string) @file_get_contents("/proc/$pid/task/$pid/children"))) as $child) {
            if ($child !== '') {
                $found += [(int) $child => true] + self::descendants((int) $child);
            }
        }

        return $found;
    }

    /**
     * @param array<int, true> $pids
     * @return list<int>
     */
    private static function alive(array $pids): array
    {
        return array_values(array_filter(
            array_keys($pids),
            static fn(int $pid): bool
                => preg_match('/\) [^ZX] /', (string) @file_get_contents("/proc/$pid/stat")) === 1,
        ));
    }

    /** @return list<string> */
    private function directories(): array
    {
        $name = \sprintf('larder-cli-%d-*', (int) $this->run->getPid());
        $found = [];
        foreach ([$this->temporary->path, '/dev/shm'] as $parent) {
            array_push($found, ...(array) glob($parent . '/' . $name));
        }

        return array_map(strval(...), $found);
    }

    /** @return list<string> ids of the blocks that processes of the run have created */
    private function sharedMemory(): array
    {
        $made = array_filter(self::blocks(), fn(array $block): bool => isset($this->started[$block['maker']]));

        return array_values(array_diff(array_column($made, 'id'), $this->before));
    }

    /** @return list<array{id: string, maker: int}> */
    private static function blocks(): array
    {
        $blocks = [];
        foreach (\array_slice((array) file('/proc/sysvipc/shm'), 1) as $line) {
            $columns = (array) preg_split('/\s+/', trim((string) $line));
            $blocks[] = ['id' => (string) $columns[1], 'maker' => (int) $columns[4]];
        }

        return $blocks;
    }
}
