<?php

declare(strict_types=1);

namespace Larder\Laravel\Tests;

use Illuminate\Cache\TaggableStore;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\LockingStore;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Laravel\LarderCacheStore;
use Larder\Psr\InvalidArgument;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\TestedStore;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Psr\Log\NullLogger;

/** Checks what Laravel's repository and its users expect, over every store. */
final class LarderCacheStoreTest extends TestCase
{
    use AssertsThrows;

    private Cache $cache;
    private LarderCacheStore $store;

    public static function setUpBeforeClass(): void
    {
        if (!class_exists(TaggableStore::class)) {
            require __DIR__ . '/../illuminate.stub.php';
        }
    }

    protected function setUp(): void
    {
        $this->use(new TestedStore(ArrayTest::class));
    }

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testValuesAreKept(TestedStore $store): void
    {
        $this->use($store);
        self::assertTrue($this->store->put('key', ['value'], 60));
        self::assertSame(['value'], $this->store->get('key'));
        self::assertTrue($this->store->putMany(['a' => 1, '7' => 'seven'], 60));
        self::assertSame(['7' => 'seven', 'none' => null, 'a' => 1], $this->store->many(['7', 'none', 'a']));
        self::assertTrue($this->store->forever('kept', 'forever'));
        self::assertTrue($this->store->forget('kept'));
        self::assertNull($this->store->get('kept'));
        self::assertTrue($this->store->put('key', 'over', 0));
        self::assertNull($this->store->get('key'));
        self::assertTrue($this->store->putMany(['a' => 2], -1));
        self::assertNull($this->store->get('a'));
        self::assertTrue($this->store->flush());
        self::assertNull($this->store->get('7'));
        self::assertSame('', $this->store->getPrefix());
    }

    public function testIncrementAndAddWork(): void
    {
        self::assertSame(1, $this->store->increment('n'));
        self::assertSame(11, $this->store->increment('n', 10));
        self::assertSame(9, $this->store->decrement('n', 2));
        self::assertSame(9, $this->store->get('n'));
        self::assertFalse($this->store->add('n', 1, 60));
        self::assertTrue($this->store->add('new', 1, 60));
        self::assertTrue($this->store->touch('n', 60));
        self::assertFalse($this->store->touch('none', 60));
        $this->store->put('text', 'no number', 60);
        self::assertFalse($this->store->increment('text'));
    }

    /** Requests and env() give strings, and dates that are subtracted give floats. */
    public function testNumbersMayBeStringsAndFloats(): void
    {
        foreach ([5, '5', 5.0, '5.0', ' 5', '+5', '5e0'] as $five) {
            self::assertTrue($this->store->forever('n', 1));
            $this->store->forget('new');
            self::assertSame(
                [6, 1, 5, 0],
                [
                    $this->store->increment('n', $five),
                    $this->store->decrement('n', $five),
                    $this->store->increment('new', $five),
                    $this->store->decrement('new', $five),
                ],
                var_export($five, true),
            );
        }
        self::assertSame([0, 0], [$this->store->increment('new', null), $this->store->decrement('new', '0')]);
        foreach ([1.5, '1.5', 'abc', '', '5 apples', [], 1e30, \NAN, \INF, '9223372036854775808'] as $none) {
            self::assertThrows(InvalidArgument::class, fn(): mixed => $this->store->increment('n', $none));
            self::assertThrows(InvalidArgument::class, fn(): mixed => $this->store->decrement('n', $none));
        }
        self::assertSame(1, $this->store->get('n'));
        foreach (['60', 60.5, '60.5'] as $seconds) {
            self::assertTrue(
                $this->store->put('k', 1, $seconds)
                    && $this->store->putMany(['l' => 1], $seconds)
                    && $this->store->touch('k', $seconds),
            );
            self::assertFalse($this->store->add('k', 1, $seconds));
            self::assertEqualsWithDelta(microtime(true) + (float) $seconds, $this->cache->expiry('k'), 30.0);
        }
        self::assertTrue($this->store->put('k', 1, '0'));
        self::assertNull($this->store->get('k'));
        self::assertThrows(InvalidArgument::class, fn(): mixed => $this->store->put('k', 1, 'soon'));
    }

    public function testArgumentsOfLocksAreCast(): void
    {
        foreach (['10', 90.5, '90.5', null, '0', 0] as $i => $seconds) {
            $lock = $this->store->lock("lock $i", $seconds, 42);
            self::assertSame(
                [true, '42', true],
                [$lock->get(), $lock->owner(), $lock->isOwnedBy(42)],
                var_export($seconds, true),
            );
            self::assertFalse($this->store->lock("lock $i", 10)->get());
            self::assertTrue($lock->refresh('60') && $lock->refresh(60.5) && $lock->refresh());
            self::assertTrue($this->store->restoreLock("lock $i", 42)->release());
        }
        self::assertTrue($this->store->lock(7, 10)->get());
        self::assertTrue($this->store->lock('7', 10)->isLocked());
        $blocked = $this->store->lock('7')->betweenBlockedAttemptsSleepFor('1');
        foreach (['0', 0.001, '0.001'] as $wait) {
            self::assertThrows(LockTimeoutException::class, static fn(): mixed => $blocked->block($wait));
        }
        self::assertTrue($this->store->lock('free', 10)->block('1'));
        self::assertThrows(InvalidArgument::class, fn(): mixed => $this->store->lock('n', 'soon'));
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testNumbersThatAreNoIntegersAreCounted(TestedStore $store): void
    {
        $this->use($store);
        if (!$this->cache->can(Capability::Atomic)) {
            self::assertThrows(NotSupported::class, fn(): mixed => $this->store->increment('n'));

            return;
        }
        foreach (['5', 5.0, '5.9'] as $five) {
            $this->store->put('n', $five, 60);
            self::assertSame([6, 4], [$this->store->increment('n'), $this->store->decrement('n', 2)]);
            self::assertSame(4, $this->store->get('n'));
            self::assertEqualsWithDelta(microtime(true) + 60.0, $this->cache->expiry('n'), 30.0);
        }
        $this->store->put('n', (string) \PHP_INT_MAX, 60);
        self::assertFalse($this->store->increment('n'));
        self::assertSame(7, $this->store->remember('made', static fn(): int => 7));
        self::assertSame(8, $this->store->increment('made'));
        self::assertTrue($this->store->touch('made', 60));
        self::assertEqualsWithDelta(microtime(true) + 60.0, $this->cache->expiry('made'), 30.0);
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testObjectsOfOtherClassesAreIncomplete(TestedStore $store): void
    {
        $this->use($store);
        $classes = ini_get('larder.classes');
        $values = [
            'allowed' => new \ArrayObject([1]), 'nested' => [new \ArrayObject([1])], 'plain' => ['a' => [1.5, null]],
            'other' => new \SplObjectStorage(), 'others' => [new \SplObjectStorage()],
            'mixed' => [new \ArrayObject([1]), 'O:11:"ArrayObject":', new \SplObjectStorage()],
        ];

        try {
            $limited = new LarderCacheStore($this->cache, classes: ['arrayobject']);
            self::assertTrue($limited->putMany($values, 60));
            foreach (['allowed', 'nested', 'plain'] as $key) {
                self::assertEquals($values[$key], $limited->get($key));
            }
            $many = $limited->many(array_keys($values));
            self::assertIsArray($many['others']);
            self::assertIsArray($mixed = $limited->get('mixed'));
            self::assertEquals(\array_slice($values['mixed'], 0, 2), \array_slice($mixed, 0, 2));
            $others = [$limited->get('other'), $many['other'], $many['others'][0] ?? null, $mixed[2] ?? null];
            foreach ($others as $other) {
                self::assertInstanceOf(\__PHP_Incomplete_Class::class, $other);
                self::assertSame('SplObjectStorage', ((array) $other)['__PHP_Incomplete_Class_Name']);
            }
            self::assertNull($limited->get('none'));
            $make = static fn(): \ArrayObject => $values['allowed'];
            self::assertEquals($values['allowed'], $limited->remember('made', $make));
            self::assertEquals($values['allowed'], $limited->remember('made', static fn(): null => null));
            ini_set('larder.classes', '*');
            $none = new LarderCacheStore($this->cache, classes: false);
            self::assertInstanceOf(\__PHP_Incomplete_Class::class, $none->get('allowed'));
            self::assertSame($values['plain'], $none->get('plain'));
            ini_set('larder.classes', '*');
            $all = new LarderCacheStore($this->cache); // as in a process of the release before
            foreach (['allowed', 'nested', 'plain', 'other', 'others', 'made'] as $key) {
                self::assertEquals($values[$key] ?? $values['allowed'], $all->get($key));
                self::assertEquals([$key => $values[$key] ?? $values['allowed']], $all->many([$key]));
            }
        } finally {
            ini_set('larder.classes', (string) $classes);
        }
        foreach ([null, true] as $all) {
            $store = new LarderCacheStore($this->cache, classes: $all);
            $store->forever('other', $values['other']);
            self::assertEquals($values['other'], $store->get('other'));
        }
    }

    /** An array may come from outside, as from json_decode(). */
    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testArraysDoNotBecomeObjects(TestedStore $store): void
    {
        $this->use($store);
        $classes = ini_get('larder.classes');
        $array = ["\0laravel" => serialize(new \ArrayObject([1]))];

        try {
            $limited = new LarderCacheStore($this->cache, classes: ['ArrayObject']);
            self::assertTrue($limited->put('put', $array, 60) && $limited->putMany(['many' => $array], 60));
            self::assertTrue($limited->forever('ever', $array));
            self::assertSame($array, $limited->remember('made', static fn(): array => $array));
            $all = new LarderCacheStore($this->cache);
            self::assertTrue($all->put('all', $array, 60));
            foreach (['put', 'many', 'ever', 'made', 'all'] as $key) {
                self::assertSame([$array, [$key => $array]], [$limited->get($key), $limited->many([$key])]);
                self::assertSame([$array, [$key => $array]], [$all->get($key), $all->many([$key])]);
            }
        } finally {
            ini_set('larder.classes', (string) $classes);
        }
    }

    public function testFlushLeavesLocks(): void
    {
        self::assertTrue($this->store->lock('job', 60)->get());
        $this->store->forever('job', 1);
        self::assertTrue($this->store->flush());
        self::assertNull($this->store->get('job'));
        self::assertTrue($this->store->lock('job')->isLocked());
        $this->store->forever('job', 1);
        self::assertTrue($this->store->hasSeparateLockStore() && $this->store->flushLocks());
        self::assertFalse($this->store->lock('job')->isLocked());
        self::assertSame(1, $this->store->get('job'));
    }

    public function testStoreIsOpenedByItsFirstCall(): void
    {
        $opened = 0;
        $store = new LarderCacheStore(function () use (&$opened): Cache {
            ++$opened;

            return $this->cache;
        }, 'a prefix');
        self::assertSame([0, 'a prefix'], [$opened, $store->getPrefix()]);
        $store->get('key');
        self::assertNull($store->get('key'));
        self::assertSame(1, $opened);
    }

    public function testSessionsNeedAStoreThatKeepsThem(): void
    {
        $sessions = (new LarderCacheStore(static fn(): Cache => Cache::open('larder:')))->forSessions();
        self::assertThrows(NotSupported::class, static fn(): mixed => $sessions->get('session'));
        self::assertTrue($this->store->forSessions()->put('session', 'data', 60));
    }

    public function testSessionsThrowWhileTheServerIsAway(): void
    {
        $away = new LarderCacheStore(static fn(bool $throws = false): Cache
            => Cache::open('redis:///nowhere/larder.sock' . ($throws ? '?on_failure=throw' : ''), new NullLogger()));
        self::assertNull($away->get('session'), 'the control: a miss');
        self::assertThrows(StoreFailed::class, static fn(): mixed => $away->forSessions()->get('session'));
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testLockIsReleasedOnlyByItsOwner(TestedStore $store): void
    {
        $this->use($store);
        $lock = $this->store->lock('job', 60);
        self::assertTrue($lock->get());
        self::assertFalse($this->store->lock('job', 60)->get());
        self::assertFalse($this->store->restoreLock('job', 'somebody else')->release());
        self::assertFalse($this->store->lock('job', 60)->get(), 'still held');
        self::assertTrue($this->store->restoreLock('job', $lock->owner())->release());
        self::assertFalse($lock->release(), 'it was released');
        self::assertSame('done', $this->store->lock('job', 60)->get(static fn(): string => 'done'));
        self::assertTrue($this->store->lock('job')->get(), 'released after the callback');
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testLockIsRestoredByOwnerName(TestedStore $store): void
    {
        $this->use($store);
        self::assertTrue($this->store->lock('job', 60, 'me')->get());
        self::assertSame('me', $this->store->restoreLock('job', 'me')->owner());
        self::assertFalse($this->store->restoreLock('job', 'you')->release());
        self::assertFalse($this->store->restoreLock('other', 'me')->release());
        self::assertTrue($this->store->restoreLock('job', 'me')->release());
        self::assertTrue($this->store->lock('job', 60, 'you')->get());
    }

    /** The methods of Illuminate\Cache\Lock that are not in its interface: the scheduler calls acquire(). */
    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testLockReportsItsOwner(TestedStore $store): void
    {
        $this->use($store);
        $lock = $this->store->lock('job', 60);
        $owner = $lock->owner();
        self::assertNotSame('', $owner, 'before it is taken');
        self::assertFalse($lock->isLocked());
        self::assertFalse($lock->isOwnedByCurrentProcess());
        self::assertTrue($lock->isOwnedBy(null), 'nobody has it');
        self::assertFalse($lock->refresh(), 'it is not held');
        self::assertTrue($lock->acquire());
        self::assertSame($owner, $lock->owner());
        self::assertTrue($lock->isOwnedByCurrentProcess());

        $other = $this->store->lock('job', 60, 'a name with spaces, ą and %20');
        self::assertFalse($other->acquire());
        self::assertTrue($other->isLocked());
        self::assertTrue($other->isOwnedBy($owner));
        self::assertFalse($other->isOwnedBy(null));
        self::assertFalse($other->isOwnedByCurrentProcess());
        self::assertFalse($other->refresh(60));
        self::assertFalse($other->release());
        self::assertTrue($this->store->restoreLock('job', $owner)->refresh(30), 'as a job does');
        self::assertTrue($lock->release());
        self::assertTrue($other->acquire());
        self::assertSame('a name with spaces, ą and %20', $other->owner());
        self::assertTrue($this->store->restoreLock('job', 'a name with spaces, ą and %20')->isOwnedByCurrentProcess());
        self::assertFalse($this->store->restoreLock('job', '')->isOwnedByCurrentProcess());
        self::assertTrue($this->store->restoreLock('job', 'a name with spaces, ą and %20')->release());
    }

    #[Group('waiting')]
    public function testRefreshedLockLastsLonger(): void
    {
        $lock = $this->store->lock('job', 1);
        $begin = microtime(true);
        self::assertTrue($lock->acquire());
        $isRefreshed = $lock->refresh(60);
        self::assertTrue($isRefreshed || microtime(true) >= $begin + 1.0);
        usleep(1_100_000);
        self::assertSame($isRefreshed, $lock->isOwnedByCurrentProcess());
        self::assertTrue($this->store->lock('control', 1)->acquire());
        usleep(1_100_000);
        self::assertFalse($this->store->lock('control', 1)->isLocked(), 'the control: it fell');
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testIntegerKeysWork(TestedStore $store): void
    {
        $this->use($store);
        self::assertTrue($this->store->put(1, 'a', 60));
        self::assertSame('a', $this->store->get(1));
        self::assertSame('a', $this->store->get('1'));
        foreach (['2' => 'b', '3' => 'c'] as $key => $value) {
            self::assertTrue($this->store->forever($key, $value));
        }
        self::assertSame([2 => 'b', 3 => 'c'], $this->store->many([2, '3']));
        self::assertTrue($this->store->forget(1));
        self::assertNull($this->store->get(1));
        self::assertTrue($this->store->putMany(['2' => 'b'], 60));
        self::assertTrue($this->store->putMany(['2' => 'b'], 0));
        self::assertNull($this->store->get(2));
        self::assertSame(
            ['made', 'made'],
            [$this->store->remember(6, static fn(): string => 'made'), $this->store->get(6)],
        );
        if ($this->cache->can(Capability::Atomic)) {
            self::assertSame(1, $this->store->increment(4));
            self::assertSame(0, $this->store->decrement(4));
            self::assertTrue($this->store->add(5, 'a', 60));
            self::assertTrue($this->store->touch(5, 60));
        }
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testLockIsReleasedByForce(TestedStore $store): void
    {
        $this->use($store);
        $held = $this->store->lock('job', 60);
        $held->get();
        $this->store->lock('job', 60)->forceRelease();
        $other = $this->store->lock('job', 60);
        self::assertTrue($other->get());
        self::assertFalse($held->release(), 'another has it now');
        self::assertTrue($other->release());
    }

    public function testBlockWaitsForTheLock(): void
    {
        $lock = $this->store->lock('job', 1);
        self::assertTrue($lock->get());
        self::assertSame(
            'done',
            $this->store->lock('job', 60)->block(10, static fn(): string => 'done'),
            'after a second',
        );
        self::assertTrue($lock->get());
        self::assertThrows(LockTimeoutException::class, fn() => $this->store->lock('job', 60)->block(0));
        self::assertTrue(
            $this->store->lock('job', 60)->betweenBlockedAttemptsSleepFor(20)->block(10),
            'tried again each 20 ms',
        );
    }

    public function testThrowingCallbackReleasesTheLock(): void
    {
        self::assertThrows(
            \RuntimeException::class,
            fn() => $this->store->lock('job', 60)->get(static fn(): never => throw new \RuntimeException('no')),
        );
        self::assertTrue($this->store->lock('job', 60)->get());
    }

    public function testMissingCapabilityIsReported(): void
    {
        $this->expectException(NotSupported::class);
        (new LarderCacheStore(Cache::open('none:')))->lock('job');
    }

    private function use(TestedStore $store): void
    {
        $this->cache = $store->openNew();
        $this->store = new LarderCacheStore($this->cache);
        self::assertInstanceOf(LockingStore::class, $this->cache->store());
    }
}
