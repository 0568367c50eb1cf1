<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Driver\Memory\ArrayStore;
use Larder\Event\Counters;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use Larder\Psr\TaggablePool;
use Larder\Session\Handler;
use Larder\Testing\Fork;
use Larder\Tests\Driver\Apcu\ApcuTest;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\Memcached\MemcachedTest;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\MySql\MySqlInnoDbTest;
use Larder\Tests\Driver\Redis\PredisTest;
use Larder\Tests\Driver\Redis\RedisTest;
use Larder\Tests\Driver\Sqlite\SqliteTest;
use Larder\Tests\Driver\TestedStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Log\NullLogger;

/**
 * One process that serves many requests, as FrankenPHP, RoadRunner, Swoole, Laravel Octane and Symfony's Messenger do.
 */
final class LoopTest extends TestCase
{
    private const REQUESTS = 300;
    /** Bytes by which a loop may grow after this many more requests: less than one a request. */
    private const GROWTH = 4096;
    /**
     * The same for jobs with their own cache, after one-time costs. There are fewer jobs if each opens a connection or
     * files.
     */
    private const GROWTH_OF_JOBS = 16_384;
    private const JOBS = 10_000;
    private const FEW_JOBS = 200;
    private const FIRST_JOBS = 50;

    /** @return iterable<string, array{TestedStore}> */
    public static function stores(): iterable
    {
        foreach ([
            ArrayTest::class, ApcuTest::class, MemcachedTest::class, RedisTest::class, PredisTest::class,
            MySqlInnoDbTest::class, SqliteTest::class, FileTest::class,
        ] as $test) {
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
            self::assertSame(
                $isOfOneRequest || $request === 0 ? null : $request - 1,
                $cache->get('last'),
                'what the request before has left',
            );
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

        // A child serves its own requests at the same time, and both read their own values.
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

    /**
     * @return iterable<string, array{\Closure(): (\Closure(int): mixed), int}> a job of a worker, which opens and drops
     *         a cache; and the number of jobs
     */
    public static function jobs(): iterable
    {
        $in = static fn(string $dsn): array
            => [static fn(): \Closure => static fn(int $job) => self::use(Cache::open($dsn)), self::JOBS];
        yield 'array:' => $in('array:');
        yield 'larder:' => $in('larder:');
        yield 'apcu:' => $in('apcu:?namespace=jobs');
        yield 'a tier' => [
            static fn(): \Closure => static fn(int $job)
                => self::use(Cache::open('tier:(array:)(larder:?namespace=jobs)')),
            self::FEW_JOBS,
        ];
        yield 'sampled' => $in('array:?sample=20');
        yield 'sub-namespaces' => [static function (): \Closure {
            $cache = Cache::open('array:');

            return static fn(int $job) => self::use($cache->withSubNamespace('tenant' . $job % 20));
        }, self::JOBS];
        yield 'a store of its own' => [
            static fn(): \Closure => static fn(int $job) => self::use(new Cache(new ArrayStore())),
            self::JOBS,
        ];
        yield 'observed' => [
            static fn(): \Closure => static fn(int $job) => self::use(Cache::open('array:', observer: new Counters())),
            self::JOBS,
        ];
        yield 'PSR' => [static function (): \Closure {
            $cache = Cache::open('larder:?namespace=jobs');

            return static function (int $job) use ($cache): void {
                $pool = new TaggablePool($cache);
                $pool->save($pool->getItem('saved')->set($job)->setTags(['tag']));
                $pool->saveDeferred($pool->getItem('deferred')->set($job));
                (new SimpleCache($cache))->set('simple', $job, 60);
            };
        }, self::JOBS];
        yield 'over a client' => [static function (): \Closure {
            $client = new \Redis();
            $client->connect(Servers::redis()->socket);

            return static fn(int $job)
                => self::use(Cache::over($client, 'namespace=jobs', local: $job % 2 === 0 ? 'array:' : ''));
        }, self::FEW_JOBS];
        yield 'over PDO' => [static function (): \Closure {
            $client = new \PDO('sqlite::memory:');

            return static fn(int $job) => self::use(Cache::over(static fn(): \PDO => $client, 'namespace=jobs'));
        }, self::FEW_JOBS];
        yield 'a server that is away' => [
            static fn(): \Closure => static fn(int $job)
                => self::use(Cache::open('redis:///none/' . Servers::run() . '.sock', new NullLogger())),
            self::FEW_JOBS,
        ];
        yield 'sessions' => [static function (): \Closure {
            $directory = Servers::directory('jobs');

            return static function (int $job) use ($directory): void {
                $handler = new Handler(Cache::open("file://$directory"));
                $handler->read('session' . $job % 20);
                $handler->write('session' . $job % 20, "job|i:$job;");
                $handler->close();
            };
        }, self::FEW_JOBS];
        foreach (TestedStore::each() as $name => [$store]) {
            yield "store $name" => [
                static fn(): \Closure => static fn(int $job) => self::use($store->open('jobs')),
                self::FEW_JOBS,
            ];
        }
    }

    /** @param \Closure(): (\Closure(int): mixed) $begin */
    #[DataProvider('jobs')]
    public function testNothingOfAClosedCacheStays(\Closure $begin, int $jobs): void
    {
        $job = $begin();
        for ($i = 0; $i < self::FIRST_JOBS; ++$i) {
            $job($i);
        }
        // In one lap, one of PHP's own tables may double. A leak grows in each.
        $grown = self::GROWTH_OF_JOBS;
        for ($lap = 0; $lap < 3 && $grown >= self::GROWTH_OF_JOBS; ++$lap) {
            gc_collect_cycles();
            $before = memory_get_usage();
            for ($i = 0; $i < $jobs; ++$i) {
                $job($i);
            }
            gc_collect_cycles();
            $grown = memory_get_usage() - $before;
        }
        self::assertLessThan(self::GROWTH_OF_JOBS, $grown);
    }

    /** Uses a job's own cache, and computes. */
    private static function use(Cache $cache): void
    {
        $cache->set('k', 1);
        $cache->delete('computed');
        $cache->remember('computed', 60, static fn(): int => (int) hrtime(true), tags: ['tag']);
        $cache->rememberMany(['many'], 60, static fn(): array => []);
        if ($cache->can(Capability::Lock)) {
            $cache->lock('lock', 60)?->release();
        }
        $cache->reset();
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

    /** The control: without reset(), the values of one request exist in the next. */
    public function testStateOfTheLastRequestStaysWithoutReset(): void
    {
        $cache = Cache::open('array:');
        $cache->set('k', 'of the first');
        self::assertSame('of the first', $cache->get('k'));
        $cache->reset();
        self::assertNull($cache->get('k'));
    }
}
