<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Psr\ItemPool;
use Larder\Testing\Fork;
use Larder\Tests\Driver\Apcu\ApcuTest;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\Legacy\Memcache\MemcacheTest;
use Larder\Tests\Driver\Memcached\MemcachedTest;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\MySql\MySqlInnoDbTest;
use Larder\Tests\Driver\Redis\PredisTest;
use Larder\Tests\Driver\Redis\RedisTest;
use Larder\Tests\Driver\Sqlite\SqliteTest;
use Larder\Tests\Driver\TestedStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** One process that serves many requests, as FrankenPHP, RoadRunner, Swoole, Laravel Octane and Symfony's Messenger do. */
final class LoopTest extends TestCase
{
    private const REQUESTS = 300;
    /** Bytes that a loop may have grown by after so many more requests: less than one a request. */
    private const GROWTH = 4096;

    /** @return iterable<string, array{TestedStore}> */
    public static function stores(): iterable
    {
        foreach ([ArrayTest::class, ApcuTest::class, MemcachedTest::class, MemcacheTest::class, RedisTest::class, PredisTest::class, MySqlInnoDbTest::class, SqliteTest::class, FileTest::class] as $test) {
            $store = new TestedStore($test);
            yield $store->name => [$store];
        }
    }

    #[DataProvider('stores')]
    public function testMemoryDoesNotGrowOverManyRequests(TestedStore $store): void
    {
        $cache = $store->openNew();
        $pool = new ItemPool($cache);
        $isOfOneRequest = $store->test === ArrayTest::class;
        $serve = static function (int $request) use ($cache, $pool, $isOfOneRequest): void {
            self::assertSame($isOfOneRequest || $request === 0 ? null : $request - 1, $cache->get('last'), 'what the request before has left');
            self::assertSame(!$isOfOneRequest && $request > 0, $pool->hasItem('deferred'));
            $cache->set('last', $request);
            $cache->set("own of $request", str_repeat('x', 2000), 60);
            self::assertSame($request, $cache->get('last'));
            $pool->saveDeferred($pool->getItem('deferred')->set($request));
            self::assertSame($request, $pool->getItem('deferred')->get());
            self::assertNotNull($lock = $cache->lock('lock', 60));
            self::assertTrue($lock->release());
            $cache->delete("own of $request");
            $pool->reset();
        };
        $request = 0;
        while ($request < self::REQUESTS) {
            $serve($request++);
        }
        gc_collect_cycles();
        $before = memory_get_usage();
        while ($request < 2 * self::REQUESTS) {
            $serve($request++);
        }
        gc_collect_cycles();
        self::assertLessThan($before + self::GROWTH, memory_get_usage());
        if (!$isOfOneRequest) {
            self::assertSame($request - 1, $cache->get('deferred'));
        }

        // A child goes on with requests of its own, at the same time, and both read what is theirs.
        $turns = static function (string $mine) use ($cache, $pool): int {
            $right = 0;
            for ($turn = 0; $turn < 50; ++$turn) {
                $cache->set($mine, "$mine $turn");
                $right += $cache->get($mine) === "$mine $turn" ? 1 : 0;
                $pool->saveDeferred($pool->getItem($mine . 'deferred')->set($turn));
                $pool->reset();
            }

            return $right;
        };
        $child = Fork::start(static fn(): int => $turns('child'));
        self::assertSame(50, $turns('parent'));
        self::assertSame(50, $child->result());
        $cache->clear();
    }

    public function testConnectionsAreReused(): void
    {
        $raw = new \Redis();
        $raw->connect(Servers::redis()->socket);
        $cache = (new TestedStore(RedisTest::class))->openNew();
        $cache->set('k', 1);
        $opened = static function () use ($raw): mixed {
            $stats = $raw->info('stats');
            self::assertIsArray($stats);

            return $stats['total_connections_received'];
        };
        $before = $opened();
        for ($request = 0; $request < 20; ++$request) {
            $cache->get('k');
            $cache->reset();
        }
        self::assertSame($before, $opened());
        $cache->clear();
    }

    /** The control: without reset() the values of one request are there in the next. */
    public function testStateOfTheLastRequestStaysWithoutReset(): void
    {
        $cache = Cache::open('array:');
        $cache->set('k', 'of the first');
        self::assertSame('of the first', $cache->get('k'));
        $cache->reset();
        self::assertNull($cache->get('k'));
    }
}
