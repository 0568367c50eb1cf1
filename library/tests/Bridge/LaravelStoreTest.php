<?php

declare(strict_types=1);

namespace Larder\Tests\Bridge;

use Illuminate\Contracts\Cache\LockTimeoutException;
use Larder\Bridge\LaravelStore;
use Larder\Cache;
use Larder\Exception\NotSupported;
use Larder\Store\Capability\Locks;
use Larder\Tests\Place;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

/** What Laravel's repository and its users ask of a store, over every place. */
final class LaravelStoreTest extends TestCase
{
    private Cache $cache;
    private LaravelStore $store;

    protected function setUp(): void
    {
        $this->use(Place::Array);
    }

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    #[DataProviderExternal(Place::class, 'each')]
    public function testKeepsValues(Place $place): void
    {
        $this->use($place);
        self::assertTrue($this->store->put('key', ['value'], 60));
        self::assertSame(['value'], $this->store->get('key'));
        self::assertTrue($this->store->putMany(['a' => 1, '7' => 'seven'], 60));
        self::assertSame(['7' => 'seven', 'none' => null, 'a' => 1], $this->store->many(['7', 'none', 'a']));
        self::assertTrue($this->store->forever('kept', 'for ever'));
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

    public function testCountsAndAdds(): void
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

    #[DataProviderExternal(Place::class, 'each')]
    public function testALockIsHeldByOneAndReleasedByItsOwner(Place $place): void
    {
        $this->use($place);
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

    #[DataProviderExternal(Place::class, 'each')]
    public function testALockIsFoundAgainByTheNameOfItsOwner(Place $place): void
    {
        $this->use($place);
        self::assertTrue($this->store->lock('job', 60, 'me')->get());
        self::assertSame('me', $this->store->restoreLock('job', 'me')->owner());
        self::assertFalse($this->store->restoreLock('job', 'you')->release());
        self::assertFalse($this->store->restoreLock('other', 'me')->release());
        self::assertTrue($this->store->restoreLock('job', 'me')->release());
        self::assertTrue($this->store->lock('job', 60, 'you')->get());
    }

    #[DataProviderExternal(Place::class, 'each')]
    public function testALockIsReleasedByForce(Place $place): void
    {
        $this->use($place);
        $held = $this->store->lock('job', 60);
        $held->get();
        $this->store->lock('job', 60)->forceRelease();
        $other = $this->store->lock('job', 60);
        self::assertTrue($other->get());
        self::assertFalse($held->release(), 'another has it now');
        self::assertTrue($other->release());
    }

    public function testWaitsForALock(): void
    {
        $lock = $this->store->lock('job', 1);
        self::assertTrue($lock->get());
        self::assertSame('done', $this->store->lock('job', 60)->block(10, static fn(): string => 'done'), 'after a second');
        self::assertTrue($lock->get());
        $this->expectException(LockTimeoutException::class);
        $this->store->lock('job', 60)->block(0);
    }

    public function testACallbackThatThrowsReleasesTheLock(): void
    {
        try {
            $this->store->lock('job', 60)->get(static fn(): never => throw new \RuntimeException('no'));
            self::fail('nothing was thrown');
        } catch (\RuntimeException) {
            self::assertTrue($this->store->lock('job', 60)->get());
        }
    }

    public function testWhatAStoreCannotDoIsSaid(): void
    {
        $this->expectException(NotSupported::class);
        (new LaravelStore(Cache::open('none:')))->lock('job');
    }

    private function use(Place $place): void
    {
        $this->cache = $place->open();
        $this->store = new LaravelStore($this->cache);
        self::assertInstanceOf(Locks::class, $this->cache->store());
    }
}
