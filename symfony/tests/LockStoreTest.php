<?php

declare(strict_types=1);

namespace Larder\Symfony\Tests;

use Larder\Symfony\Adapter;
use Larder\Symfony\LockStore;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use Larder\Tests\Driver\Engine\NamespacedEngineTest;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\Redis\RedisTest;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Cache\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Lock;
use Symfony\Component\Lock\LockFactory;

/** Locks through symfony/lock; lab/cache-tests runs Symfony's own tests over each store. */
final class LockStoreTest extends TestCase
{
    use AssertsThrows;

    /** @return iterable<string, array{string}> */
    public static function dsns(): iterable
    {
        foreach ([NamespacedEngineTest::class, FileTest::class, RedisTest::class] as $test) {
            yield $test => [$test::dsn(Servers::run() . 'locks')];
        }
    }

    #[DataProvider('dsns')]
    public function testOneWriterOrManyReaders(string $dsn): void
    {
        $factory = new LockFactory(new LockStore($dsn));
        $lock = static fn(): Lock => self::lock($factory, 'a name {of any} bytes');
        [$writer, $reader, $other] = [$lock(), $lock(), $lock()];
        self::assertTrue($writer->acquire());
        self::assertFalse($other->acquire());
        self::assertFalse($reader->acquireRead());
        $writer->release();
        self::assertTrue($reader->acquireRead());
        self::assertTrue($other->acquireRead());
        self::assertFalse($reader->acquire(), 'another reads');
        $other->release();
        self::assertTrue($reader->acquire(), 'its only reader may write');
        self::assertFalse($other->acquireRead());
        self::assertTrue($reader->acquireRead(), 'and read again');
        self::assertTrue($other->acquireRead());
        $other->release();
        $reader->release();
        self::assertFalse($reader->isAcquired());
        self::assertTrue($writer->acquire());
    }

    public function testClearingAPoolLeavesLocks(): void
    {
        $dsn = FileTest::dsn(Servers::run() . 'locks');
        $lock = self::lock(new LockFactory(new LockStore($dsn)), 'held');
        self::assertTrue($lock->acquire());
        self::assertTrue((new Adapter($dsn, 'locks'))->clear());
        self::assertTrue($lock->isAcquired());
        self::assertThrows(InvalidArgumentException::class, static fn(): Adapter => new Adapter($dsn, '{locks}'));
    }

    #[DataProvider('dsns')]
    public function testAnotherProcessMayContinue(string $dsn): void
    {
        $key = new Key('a report');
        $lock = new Lock($key, new LockStore($dsn), 60, false);
        self::assertTrue($lock->acquire());
        $key = unserialize(serialize($key));
        self::assertInstanceOf(Key::class, $key);
        $there = new Lock($key, new LockStore($dsn), 60, false);
        self::assertTrue($there->isAcquired());
        $there->refresh(120);
        self::assertEqualsWithDelta(120, $there->getRemainingLifetime(), 10);
        $there->release();
        self::assertFalse($lock->isAcquired());
    }

    public function testLockEndsByItsTtl(): void
    {
        $store = new LockStore(FileTest::dsn(Servers::run() . 'locks'));
        $lock = new Lock(new Key('short'), $store, 0.2, false);
        self::assertTrue($lock->acquire());
        self::assertTrue((new Lock(new Key('short'), $store))->acquire(true), 'waits for it');
        self::assertFalse($lock->isAcquired());
    }

    /** Exactly one of the processes is in at a time: each reads, pauses and writes. */
    #[DataProvider('dsns')]
    public function testProcessesAreInOneByOne(string $dsn): void
    {
        $file = Servers::directory('symfony-counter') . '/' . bin2hex(random_bytes(4));
        $forks = Fork::several(4, static function (int $process, \Closure $awaitOthers) use ($dsn, $file): int {
            $factory = new LockFactory(new LockStore($dsn));
            $awaitOthers();
            for ($turn = 0; $turn < 20; ++$turn) {
                $lock = self::lock($factory, 'counter');
                $lock->acquire(true);
                $count = (int) @file_get_contents($file);
                usleep(200);
                file_put_contents($file, (string) ($count + 1));
                $lock->release();
            }

            return $process;
        });
        array_map(static fn(Fork $fork): mixed => $fork->result(), $forks);
        self::assertSame('80', file_get_contents($file));
    }

    public function testRefusals(): void
    {
        self::assertThrows(InvalidTtlException::class, static fn(): LockStore => new LockStore('array:', 0.0));
        $missing = new Lock(new Key('a'), new LockStore('larder:no-such-segment'));
        self::assertThrows(LockAcquiringException::class, static fn(): bool => $missing->acquire());
        $nothing = new Lock(new Key('a'), new LockStore('none:'));
        self::assertThrows(LockAcquiringException::class, static fn(): bool => $nothing->acquire());
    }

    private static function lock(LockFactory $factory, string $name): Lock
    {
        $lock = $factory->createLock($name);
        self::assertInstanceOf(Lock::class, $lock);

        return $lock;
    }
}
