<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memory;

use Larder\Cache;
use Larder\Driver\Memory\ArrayStore;
use Larder\Testing\SetClock;
use PHPUnit\Framework\TestCase;

final class ArrayClockTest extends TestCase
{
    public function testValuesAndLocksExpireByTheClock(): void
    {
        $clock = new SetClock(new \DateTimeImmutable('2030-01-01 12:00 UTC'));
        $cache = new Cache(new ArrayStore(clock: $clock));
        $cache->set('k', 1, 60);
        $cache->set('no expiry', 1);
        $cache->increment('n', first: 5, ttl: 60);
        $cache->remember('computed', 60, static fn(): int => 1, jitter: 0.0);
        self::assertNotNull($cache->lock('l', 60));
        $clock->move(59);
        self::assertSame([1, 6, 1], [$cache->get('k'), $cache->increment('n', 0), $cache->get('computed')]);
        self::assertEqualsWithDelta(microtime(true) + 1, $cache->expiry('k'), 0.5);
        self::assertNull($cache->lock('l', 60));
        self::assertTrue($cache->touch('n', 60));
        $clock->move(1.5);
        self::assertSame([null, 6, null], [$cache->get('k'), $cache->get('n'), $cache->get('computed')]);
        self::assertNotNull($cache->lock('l', 60));
        $clock->move(60);
        self::assertSame([null, 1], [$cache->get('n'), $cache->get('no expiry')]);
    }

    /** The control: time passes only for the machine's clock. */
    public function testClockOfTheMachineIsTheDefault(): void
    {
        $cache = new Cache(new ArrayStore());
        $cache->set('k', 1, 60);
        self::assertEqualsWithDelta(microtime(true) + 60, $cache->expiry('k'), 5);
        self::assertSame(1, $cache->get('k'));
    }
}
