<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Stampede;

use Larder\Cli\Stampede\Barrier;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

final class BarrierTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    public function testProcessesRunOnceTheBarrierOpens(): void
    {
        $barrier = Barrier::before(3, fn(int $number): \Closure => function () use ($number): array {
            touch($this->directory->path . "/ran-$number");

            return [$number, microtime(true)];
        });
        usleep(50_000);
        self::assertSame([], glob($this->directory->path . '/ran-*'));
        $opened = microtime(true);
        $barrier->open();
        $results = $barrier->results($opened + 60.0);
        self::assertSame([0.0, 1.0, 2.0], array_column($results, 0));
        self::assertSame([], array_filter(array_column($results, 1), static fn(float $ran): bool => $ran < $opened));
    }

    public function testFailedPreparationIsNamedAndLeavesNoProcess(): void
    {
        try {
            Barrier::before(3, function (int $number): \Closure {
                touch($this->directory->path . '/pid-' . getmypid());

                return $number === 2 ? throw new \RuntimeException('no connection') : static fn(): array => [];
            });
            self::fail('one of them has failed');
        } catch (\RuntimeException $failure) {
            self::assertSame('a process failed: no connection', $failure->getMessage());
        }
        $this->assertNoProcessIsLeft();
    }

    public function testWaitingProcessesCanBeKilled(): void
    {
        $barrier = Barrier::before(2, function (): \Closure {
            touch($this->directory->path . '/pid-' . getmypid());

            return static fn(): array => [];
        });
        $barrier->kill();
        $this->assertNoProcessIsLeft();
    }

    private function assertNoProcessIsLeft(): void
    {
        $files = glob($this->directory->path . '/pid-*');
        self::assertNotEmpty($files);
        foreach ($files as $file) {
            self::assertFalse(posix_kill((int) substr((string) strrchr($file, '-'), 1), 0), $file);
        }
    }
}
