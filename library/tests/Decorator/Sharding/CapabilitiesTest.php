<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Sharding;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Exception\NotSupported;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

/** Counters, locks and the rest with several servers, and with a stopped one. */
final class CapabilitiesTest extends TestCase
{
    #[DataProviderExternal(Servers::class, 'clients')]
    public function testStoppedServerRefusesOperations(string $address): void
    {
        $server = Servers::another($address);
        $cache = Cache::open(Servers::patiently(\sprintf($address, $server->socket)));
        self::assertSame(1, $cache->increment('n'));
        $lock = $cache->lock('k', 60);
        $server->stop();
        $start = microtime(true);
        self::assertFalse($cache->increment('n'));
        self::assertFalse($cache->add('new', 1));
        self::assertFalse($cache->replace('n', 1));
        self::assertFalse($cache->touch('n', 60));
        self::assertFalse($cache->swap('n', 1, 2));
        self::assertNull($cache->lock('other', 60));
        self::assertFalse($lock?->release());
        self::assertSame([], $cache->can(Capability::Keys) ? [...$cache->keys()] : []);
        self::assertLessThan(25.0, microtime(true) - $start, 'less than the timeout');
    }

    #[DataProviderExternal(Servers::class, 'clients')]
    public function testShardsKeepTheCapabilitiesOfOneServer(string $address): void
    {
        $isRedis = str_starts_with($address, 'redis');
        $there = $isRedis ? Servers::redis() : Servers::memcached();
        $other = Servers::another($address);
        $cache = Cache::open(
            \sprintf($address, \sprintf('127.0.0.1:%d,127.0.0.1:%d', $there->port, $other->port))
                . (str_contains($address, '?') ? '' : '?namespace=larder') . Servers::PATIENTLY,
        );
        $cache->clear();
        $keys = [];
        for ($i = 0; $i < 20; ++$i) {
            $keys[] = $key = 'key ' . $i;
            self::assertTrue($cache->add($key, 1));
            self::assertFalse($cache->add($key, 1));
            self::assertSame(3, $cache->increment($key, 2));
            self::assertTrue($cache->swap($key, 3, 4));
            self::assertTrue($cache->replace($key, 5, 60));
            self::assertTrue($cache->touch($key, 0));
            $lock = $cache->lock($key, 60);
            self::assertNull($cache->lock($key, 60));
            self::assertTrue($lock?->release());
        }
        if ($isRedis) {
            self::assertEqualsCanonicalizing($keys, [...$cache->keys()]);
        } else {
            $this->expectException(NotSupported::class);
            $this->expectExceptionMessageMatches('/^The store [\w\\\\]+Memcached?\w+ cannot list its keys\. /');
        }

        try {
            $cache->keys();
        } finally {
            $cache->clear();
            $other->stop();
        }
    }
}
