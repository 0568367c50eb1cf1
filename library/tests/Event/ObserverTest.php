<?php

declare(strict_types=1);

namespace Larder\Tests\Event;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Driver\Memory\ArrayStore;
use Larder\Event\Computed;
use Larder\Event\Counters;
use Larder\Event\Event;
use Larder\Event\Observer;
use Larder\Exception\StoreFailed;
use Larder\Remember\Computation;
use Larder\Tests\PhpProcess;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

final class ObserverTest extends TestCase
{
    use \Larder\Testing\AssertsThrows;

    private static MemcachedServer|RedisServer|null $second = null;
    private RecordingObserver $observer;

    public static function tearDownAfterClass(): void
    {
        self::$second?->stop();
        self::$second = null;
    }

    protected function setUp(): void
    {
        $this->observer = new RecordingObserver();
    }

    /** @return iterable<string, array{\Closure(): string}> */
    public static function stores(): iterable
    {
        yield 'an array' => [static fn(): string => 'array:'];
        yield 'the engine' => [static fn(): string => 'larder:?namespace=observed'];
        yield 'files' => [static fn(): string => 'file://' . Servers::directory('observed')];
        yield 'a server' => [static fn(): string => 'redis://' . Servers::redis()->socket . '?namespace=observed'];
        yield 'shards' => [static fn(): string => \sprintf(
            'memcached://%s,%s?namespace=observed',
            Servers::memcached()->socket,
            (self::$second ??= Servers::another('memcached'))->socket,
        )];
        yield 'a tier' => [static fn(): string => \sprintf(
            'tier:(array:)(redis://%s?namespace=observed-tier)',
            Servers::redis()->socket,
        )];
        yield 'sampled' => [static fn(): string => 'array:?sample=1000'];
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('stores')]
    public function testEachReadIsToldOnce(\Closure $dsn): void
    {
        $cache = $this->open($dsn());
        $cache->clear();
        $this->observer->told();
        $this->read($cache);
    }

    public function testSubNamespaceHasTheSameObserver(): void
    {
        $this->read($this->open('array:')->withSubNamespace('eu')->withSubNamespace('ch'));
    }

    public function testStoreOfTheApplicationIsObserved(): void
    {
        $this->read(new Cache(new ArrayStore(), observer: $this->observer));
    }

    private function read(Cache $cache): void
    {
        $cache->set('a', 1);
        $cache->set('7', null);
        $cache->set('tagged', 2, tags: ['t']);
        $cache->set('old', 3, tags: ['o']);
        $cache->invalidateTags(['o']);
        self::assertSame([], $this->observer->told());

        self::assertSame([1, null, 'none', 2, 'none'], [
            $cache->get('a'), $cache->get('7', 'none'), $cache->get('b', 'none'), $cache->get('tagged'),
            $cache->get('old', 'none'),
        ]);
        self::assertSame(['hit a', 'hit 7', 'miss b', 'hit tagged', 'miss old'], $this->observer->told());
        self::assertSame(
            ['a' => 1, 7 => null, 'b' => 'none', 'tagged' => 2, 'old' => 'none'],
            $cache->getMany(['a', '7', 'b', 'tagged', 'old'], 'none'),
        );
        self::assertSame(['hit a', 'hit 7', 'miss b', 'hit tagged', 'miss old'], $this->observer->told());
        self::assertSame(['a', 'tagged'], array_keys($cache->getManyWithTags(['a', 'b', 'tagged', 'old'])));
        self::assertSame(['hit a', 'miss b', 'hit tagged', 'miss old'], $this->observer->told());
        self::assertSame([true, false], [$cache->has('a'), $cache->has('b')]);
        self::assertSame([1, null], [$cache->getWithToken('a'), $cache->getWithToken('b')]);
        self::assertSame(['hit a', 'miss b', 'hit a', 'miss b'], $this->observer->told());

        self::assertSame([5, 5], [
            $cache->remember('c', 60, static fn(): int => self::number(5)),
            $cache->remember('c', 60, static fn(): int => self::number(6)),
        ]);
        self::assertSame(['miss c', 'computed c', 'hit c'], $this->observer->told());
        self::assertSame(7, $cache->remember('d', 60, static function (Computation $computation): int {
            $computation->doNotStore();

            return self::number(7);
        }));
        self::assertSame(['miss d', 'not stored d'], $this->observer->told());
        self::assertSame(8, $cache->remember('c', 60, static fn(): int => self::number(8), beta: \INF));
        self::assertSame(['computed c'], $this->observer->told());
        self::assertThrows(
            \DomainException::class,
            static fn(): never => $cache->remember('e', 60, static fn(): never => throw new \DomainException('no')),
        );
        self::assertSame(['miss e', 'e: DomainException'], $this->observer->told());

        self::assertSame(
            ['a' => 1, 9 => 10],
            $cache->rememberMany(['a', '9', 'f'], 60, static fn(): array => ['9' => 10]),
        );
        self::assertSame(['hit a', 'miss 9', 'miss f', 'computed 9'], $this->observer->told());
        self::assertThrows(
            \DomainException::class,
            static fn(): array
                => $cache->rememberMany(['g'], 60, static fn(): never => throw new \DomainException('no')),
        );
        self::assertSame(['miss g', 'g: DomainException'], $this->observer->told());
    }

    public function testPulledValueIsAHit(): void
    {
        $cache = $this->open('array:');
        $cache->set('a', 1);
        self::assertSame([1, null], [$cache->pull('a'), $cache->pull('a')]);
        self::assertSame(['hit a', 'miss a'], $this->observer->told());
    }

    #[Group('waiting')]
    public function testStaleValueIsAHitThatSaysSo(): void
    {
        $cache = $this->open('array:');
        $cache->remember('a', 0.1, static fn(): int => self::number(1), stale: 600, beta: 0.0);
        usleep(150_000);
        self::assertSame(2, $cache->remember('a', 0.1, static fn(): int => self::number(2), stale: 600, beta: 0.0));
        self::assertSame(['miss a', 'computed a', 'stale a', 'computed a'], $this->observer->told());
    }

    public function testSecondsOfAComputationAreTold(): void
    {
        $this->open('array:')->remember('a', 60, self::slowly(...));
        $computed = $this->observer->events[1] ?? null;
        self::assertInstanceOf(Computed::class, $computed);
        self::assertGreaterThanOrEqual(0.02, $computed->seconds);
        self::assertLessThan(20.0, $computed->seconds);
    }

    public function testObserverThatThrowsLosesNothing(): void
    {
        $broken = new class implements Observer {
            public int $calls = 0;

            public function observe(Event $event): void
            {
                ++$this->calls;

                throw new \LogicException('of the observer, with pzqxw');
            }
        };
        $logger = new RecordingLogger();
        $cache = Cache::open('array:', $logger, observer: $broken);
        self::assertSame([1, 1, null, ['b' => 2]], [
            $cache->remember('a', 60, static fn(): int => self::number(1)),
            $cache->get('a'),
            $cache->get('b'),
            $cache->rememberMany(['b'], 60, static fn(): array => ['b' => 2]),
        ]);
        self::assertSame(
            2,
            Cache::open('array:', $logger, observer: $broken)->remember('a', 60, static fn(): int => self::number(2)),
        );
        self::assertThrows(
            \DomainException::class,
            static fn(): never => $cache->remember('e', 60, static fn(): never => throw new \DomainException('no')),
        );
        self::assertSame(10, $broken->calls);
        self::assertCount(2, $logger->entries(), 'one for each cache');
        self::assertStringContainsString('has thrown LogicException at ' . __FILE__, $logger->entries()[0]);
        self::assertStringNotContainsString('pzqxw', $logger->entries()[0]);
    }

    public function testObserverMayUseTheCache(): void
    {
        $observer = new class implements Observer {
            public ?Cache $cache = null;
            public int $calls = 0;

            public function observe(Event $event): void
            {
                ++$this->calls;
                $this->cache?->get('x');
                $this->cache?->increment('events');
            }
        };
        $cache = $observer->cache = Cache::open('array:', observer: $observer);
        $cache->get('a');
        $cache->get('a');
        self::assertSame([2, 2], [$observer->calls, $cache->get('events')]);
    }

    public function testObserverThatWaitsInAFiberKeepsNothingFromOthers(): void
    {
        $observer = new class implements Observer {
            public int $calls = 0;

            public function observe(Event $event): void
            {
                ++$this->calls;
                if (\Fiber::getCurrent() !== null) {
                    \Fiber::suspend();
                }
            }
        };
        $cache = Cache::open('array:', observer: $observer);
        $fibers = [
            new \Fiber(static fn(): mixed => $cache->get('a')),
            new \Fiber(static fn(): mixed => $cache->get('b')),
        ];
        foreach ($fibers as $fiber) {
            $fiber->start();
        }
        $cache->get('c');
        self::assertSame(3, $observer->calls);
        foreach ($fibers as $fiber) {
            $fiber->resume();
        }
    }

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        yield 'phpredis' => ['phpredis'];
        yield 'Predis' => ['predis'];
    }

    public function testComputationIsToldThoughItsServerIsGoneThen(): void
    {
        $server = RedisServer::start(Servers::directory('observed-gone-' . bin2hex(random_bytes(4))));
        $cache = $this->open("redis://$server->socket?on_failure=throw");
        self::assertThrows(
            StoreFailed::class,
            static fn(): array => $cache->rememberMany(['a', 'b'], 60, static function () use ($server): array {
                $server->stop();

                return ['a' => self::number(1)];
            }),
        );
        self::assertSame(
            ['miss a', 'miss b', "redis $server->socket: unreachable", 'not stored a'],
            $this->observer->told(),
        );
    }

    #[DataProvider('clients')]
    public function testServerThatIsAwayIsTold(string $client): void
    {
        $dsn = "redis://bob:pzqxw@127.0.0.1:1?client=$client&namespace=" . bin2hex(random_bytes(4));
        $cache = $this->open($dsn);
        $cache->get('a');
        $cache->set('a', 1);
        $cache->get('a');
        $told = $this->observer->told();
        self::assertContains('redis 127.0.0.1:1: unreachable', $told);
        self::assertContains('redis 127.0.0.1:1: breaker open', $told);
        self::assertSame(
            ['miss a', 'miss a'],
            array_values(array_filter($told, static fn(string $each): bool => str_starts_with($each, 'miss'))),
        );
        self::assertContains('redis: not stored', $told);
    }

    #[DataProvider('clients')]
    public function testServerBehindATierIsTold(string $client): void
    {
        $cache = $this->open(
            "tier:(array:)(redis://127.0.0.1:1?client=$client&namespace=" . bin2hex(random_bytes(4)) . ')',
        );
        $cache->get('a');
        self::assertNotSame(
            [],
            preg_grep('/^redis 127\.0\.0\.1:1: (unreachable|breaker open)$/', $this->observer->told()),
        );
    }

    #[DataProvider('clients')]
    public function testNoEventHoldsASecret(string $client): void
    {
        $dsn = \sprintf(
            'redis://bob:pzqxw@%s?client=%s&on_failure=throw&namespace=%s',
            Servers::redis()->socket,
            $client,
            bin2hex(random_bytes(4)),
        );
        $cache = $this->open($dsn);
        self::assertThrows(StoreFailed::class, static fn(): mixed => $cache->get('a'));
        self::assertThrows(
            StoreFailed::class,
            static fn(): mixed => $cache->remember('b', 60, static fn(): int => self::number(1)),
        );
        self::assertStringNotContainsString(
            'pzqxw',
            print_r($this->observer->events, true) . serialize($this->observer->events),
        );
        self::assertStringContainsString(': access refused', implode("\n", $this->observer->told()));
    }

    public function testClientThatTheApplicationUsesIsTold(): void
    {
        $redis = new \Redis();
        $redis->connect(Servers::redis()->socket);
        $cache = Cache::over($redis, 'namespace=observed-held', new RecordingLogger(), observer: $this->observer);
        $redis->multi();
        $cache->get('a');
        $redis->discard();
        $cache->get('a');
        self::assertSame(
            1,
            preg_match('/^redis .*: client busy\nmiss a\nmiss a$/D', implode("\n", $this->observer->told())),
        );
    }

    public function testUnreadableValueIsTold(): void
    {
        $redis = new \Redis();
        $redis->connect(Servers::redis()->socket);
        $cache = $this->open('redis://' . Servers::redis()->socket . '?namespace=observed-damaged&serializer=igbinary');
        $cache->set('a', [1]);
        foreach ($redis->keys('*observed-damaged*') as $key) {
            $redis->set($key, "\0\0\0\2\x99\x99");
        }
        self::assertNull($cache->get('a'));
        self::assertSame(['redis: damaged', 'miss a'], $this->observer->told());
    }

    public function testCountersCount(): void
    {
        $counters = new Counters();
        $cache = Cache::open('array:', observer: $counters);
        self::assertNull((new Counters())->hitRate());
        $cache->remember('a', 60, self::slowly(...));
        $cache->getMany(['a', 'b', 'a']);
        $cache->get('a');
        self::assertThrows(
            \DomainException::class,
            static fn(): never => $cache->remember('e', 60, static fn(): never => throw new \DomainException('no')),
        );
        Cache::open(
            'redis://127.0.0.1:1?namespace=' . bin2hex(random_bytes(4)),
            new RecordingLogger(),
            observer: $counters,
        )->set('a', 1);
        self::assertSame([2, 0, 3, 1, 1, 0.4], [
            $counters->hits, $counters->staleHits, $counters->misses, $counters->computations,
            $counters->failedComputations, $counters->hitRate(),
        ]);
        self::assertSame(1, $counters->failures['redis: not stored'] ?? 0);
        self::assertGreaterThanOrEqual(0.001, $counters->computing);
        $counters->reset();
        self::assertEquals(new Counters(), $counters);
    }

    private static function number(int $number): int
    {
        return $number;
    }

    private static function slowly(): int
    {
        usleep(20_000);

        return 1;
    }

    private function open(string $dsn): Cache
    {
        if (str_starts_with($dsn, 'larder:') && !PhpProcess::hasEngine() && !\extension_loaded('larder')) {
            self::markTestSkipped('The engine is not loaded');
        }

        return Cache::open($dsn, new RecordingLogger(), observer: $this->observer);
    }
}
