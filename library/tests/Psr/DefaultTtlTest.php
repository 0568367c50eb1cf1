<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Cache;
use Larder\CacheInterface;
use Larder\Exception\InvalidDsn;
use Larder\Exception\InvalidTtl;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests the sources of the default ttl. The contracts test over each store that values expire by it. */
final class DefaultTtlTest extends TestCase
{
    /**
     * @return iterable<string, array{\Closure(CacheInterface, int|float|null): mixed}> each stores "k" without a ttl
     */
    public static function writers(): iterable
    {
        yield 'PSR-16 set' => [
            static fn(CacheInterface $cache, int|float|null $ttl): bool
                => (new SimpleCache($cache, defaultTtl: $ttl))->set('k', 1),
        ];
        yield 'PSR-16 setMultiple' => [
            static fn(CacheInterface $cache, int|float|null $ttl): bool
                => (new SimpleCache($cache, defaultTtl: $ttl))->setMultiple(['k' => 1]),
        ];
        yield 'PSR-6 save' => [static function (CacheInterface $cache, int|float|null $ttl): void {
            $pool = new ItemPool($cache, defaultTtl: $ttl);
            $pool->save($pool->getItem('k')->expiresAfter(5)->expiresAfter(null));
        }];
        yield 'PSR-6 commit' => [static function (CacheInterface $cache, int|float|null $ttl): void {
            $pool = new ItemPool($cache, defaultTtl: $ttl);
            $pool->saveDeferred($pool->getItem('k'));
            $pool->commit();
        }];
    }

    /** @param \Closure(CacheInterface, int|float|null): mixed $write */
    #[DataProvider('writers')]
    public function testArgumentWinsOverTheDsn(\Closure $write): void
    {
        foreach ([
            ['array:', null, 0.0],
            ['array:?default_ttl=500', null, 500.0],
            ['array:?default_ttl=500', 0, 0.0],
            ['array:?default_ttl=500', 90, 90.0],
            ['array:', 90.5, 90.5],
        ] as [$dsn, $argument, $expected]) {
            $cache = Cache::open($dsn);
            $write($cache, $argument);
            self::assertEqualsWithDelta(
                $expected === 0.0 ? 0.0 : microtime(true) + $expected,
                $cache->expiry('k'),
                5.0,
            );
        }
    }

    public function testCacheItselfDoesNotUseIt(): void
    {
        $cache = Cache::open('array:?default_ttl=500');
        $cache->set('k', 1);
        self::assertSame(0.0, $cache->expiry('k'));
    }

    public function testTiersAndSubNamespacesHaveThatOfTheDsn(): void
    {
        self::assertSame(1.5, Cache::open('array:?default_ttl=1.5')->withSubNamespace('a')->defaultTtl());
        self::assertSame(
            7.0,
            Cache::open('tier:(array:)(file:///dev/shm/larder-default-ttl)?default_ttl=7')->defaultTtl(),
        );
    }

    /** @return iterable<string, array{string}> */
    public static function refused(): iterable
    {
        yield 'negative' => ['array:?default_ttl=-1'];
        yield 'no number' => ['array:?default_ttl=hour'];
        yield 'too long' => ['array:?default_ttl=1e10'];
        yield 'of one tier' => ['tier:(array:?default_ttl=5)(file:///dev/shm/larder-default-ttl)'];
    }

    #[DataProvider('refused')]
    public function testWrongOptionIsRefused(string $dsn): void
    {
        $this->expectException(InvalidDsn::class);
        $this->expectExceptionMessage('option default_ttl');
        Cache::open($dsn);
    }

    public function testNegativeArgumentIsRefused(): void
    {
        foreach ([SimpleCache::class, ItemPool::class] as $class) {
            try {
                new $class(Cache::open('array:'), defaultTtl: -1);
                self::fail($class);
            } catch (InvalidTtl) {
            }
        }
        $this->addToAssertionCount(1);
    }
}
