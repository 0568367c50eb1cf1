<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Store\StripedLock;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/** What stores promise of it, and kills, is tried with them; here is what only the lock itself can be asked. */
final class StripedLockTest extends TestCase
{
    private string $directory;

    protected function setUp(): void
    {
        $this->directory = Servers::directory('locks-' . bin2hex(random_bytes(4)));
    }

    public function testARemovedFileDoesNotSplitTheLock(): void
    {
        $early = new StripedLock($this->directory);
        $work = static fn(): string => 'done';
        self::assertSame('done', $early->around(1, $work));
        unlink($this->directory . '/1.lock');
        $late = new StripedLock($this->directory);
        self::assertSame([null], $late->around(1, static fn(): array => [$early->around(1, $work)]), 'it would lock the file that is gone');
        self::assertSame('done', $early->around(1, $work));
    }

    /** As when a signal comes while it is held, and its handler uses the cache. */
    public function testItIsHeldOnceInAProcessToo(): void
    {
        $lock = new StripedLock($this->directory);
        $other = new StripedLock($this->directory);
        $work = static fn(): string => 'done';
        $start = microtime(true);
        self::assertSame([null, 'done'], $lock->around(1, static fn(): array => [$lock->around(1, $work), $lock->around(2, $work)]));
        self::assertLessThan(0.9, microtime(true) - $start, 'nothing was waited for');
        $held = static function () use ($lock, $other, $work): array {
            $lock->around(1, $work);

            return [$other->around(1, $work)];
        };
        self::assertSame([null], $lock->around(1, $held), 'what was refused has not freed it');
        self::assertSame('done', $other->around(1, $work));
    }

    public function testItIsFreeAfterAnException(): void
    {
        $lock = new StripedLock($this->directory);

        try {
            $lock->around(1, static fn(): mixed => throw new \DomainException());
        } catch (\DomainException) {
            // as it has to be
        }
        self::assertSame('done', (new StripedLock($this->directory))->around(1, static fn(): string => 'done'));
    }

    public function testWhereThereAreNoLocksItIsLeftToTheCaller(): void
    {
        $lock = new StripedLock('/proc/larder');
        self::assertNull($lock->around(1, static fn(): string => 'done'));
        self::assertSame('done', $lock->around(1, static fn(): string => 'done', orWithout: true));
    }
}
