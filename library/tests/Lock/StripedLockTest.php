<?php

declare(strict_types=1);

namespace Larder\Tests\Lock;

use Larder\Internal\Lock\StripedLock;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/** Cases that the stores' own tests do not cover. Those cover killed processes. */
final class StripedLockTest extends TestCase
{
    private string $directory;

    protected function setUp(): void
    {
        $this->directory = Servers::directory('locks-' . bin2hex(random_bytes(4)));
    }

    public function testRemovedFileDoesNotSplitTheLock(): void
    {
        $early = new StripedLock($this->directory);
        $work = static fn(): string => 'done';
        self::assertSame('done', $early->around(1, $work));
        unlink($this->directory . '/1.lock');
        $late = new StripedLock($this->directory);
        self::assertSame(
            [null],
            $late->around(1, static fn(): array => [$early->around(1, $work)]),
            'it would lock the file that is gone',
        );
        self::assertSame('done', $early->around(1, $work));
    }

    public function testLockIsFreeAfterAnException(): void
    {
        $lock = new StripedLock($this->directory);

        try {
            $lock->around(1, static fn(): mixed => throw new \DomainException());
        } catch (\DomainException) {
            // expected
        }
        self::assertSame('done', (new StripedLock($this->directory))->around(1, static fn(): string => 'done'));
    }

    /** A process started by the lock's holder continues after the holder is killed. */
    public function testChildProcessesDoNotKeepTheLock(): void
    {
        $ready = $this->directory . '/ready';
        $holder = Fork::start(
            fn(): mixed => (new StripedLock($this->directory))->around(1, static function () use ($ready): void {
                exec(\sprintf('sleep 20 >/dev/null 2>&1 & echo $! >%s', escapeshellarg($ready)));
                sleep(20);
            }),
        );
        Servers::awaitFile($ready);
        usleep(10_000);
        $lock = new StripedLock($this->directory);
        self::assertNull($lock->around(1, static fn(): string => 'done'), 'the control: while the holder lives');
        $holder->kill();
        self::assertSame('done', $lock->around(1, static fn(): string => 'done'));
        posix_kill((int) file_get_contents($ready), \SIGKILL);
    }

    /** A child that was forked while the lock was held returns from the call too. */
    public function testForkDoesNotReleaseItsParentsLock(): void
    {
        $lock = new StripedLock($this->directory);
        $other = new StripedLock($this->directory);
        $test = posix_getpid();
        $seen = $lock->around(1, static function () use ($other, $test): array {
            $child = pcntl_fork();
            if ($child === 0) {
                return [];
            }
            self::assertSame($test, posix_getpid());
            pcntl_waitpid($child, $status);

            return [$other->around(1, static fn(): string => 'done')];
        });
        if (posix_getpid() !== $test) {
            posix_kill(posix_getpid(), \SIGKILL);
        }
        self::assertSame([null], $seen);
        self::assertSame('done', $other->around(1, static fn(): string => 'done'));
    }

    public function testCallbackDoesNotRunWithoutALockFile(): void
    {
        self::assertNull((new StripedLock('/proc/larder'))->around(1, static fn(): string => 'done'));
    }
}
