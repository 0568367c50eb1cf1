<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Borrowed;

use Larder\Cache;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Contract\Store;
use Larder\Exception\StoreFailed;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;

/** Three masters, each with a part of the slots. */
final class BorrowedClusterTest extends StoreTestCase
{
    use AllContracts {
        testTooLargeValueIsRefusedAndRemovesOldOne as private tooLargeValueIsRefused;
    }

    private static int $timeout = 30;

    /** RedisCluster resends it until its two timeouts together have passed. */
    public function testTooLargeValueIsRefusedAndRemovesOldOne(): void
    {
        self::$timeout = 3;

        try {
            $this->tooLargeValueIsRefused();
        } finally {
            self::$timeout = 30;
        }
    }

    protected function open(string $namespace): Store
    {
        Servers::redisCluster(); // otherwise a fork that connects first would start its own servers

        return Cache::over(static fn(): \RedisCluster => self::client(), 'namespace=' . $namespace)->store();
    }

    protected function isLocal(): bool
    {
        return false;
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    public function testSettingsOfTheApplicationStay(): void
    {
        $client = self::client();
        $client->set('own', ['its', 'own']);
        $cache = Cache::over($client, 'namespace=held&on_failure=throw');
        self::assertTrue($cache->set('k', [1.5, 'k']) && $cache->setMany(['l' => 1, 'm' => null], 60));
        self::assertSame(
            ['k' => [1.5, 'k'], 'l' => 1, 'm' => null, 'n' => 'none'],
            $cache->getMany(['k', 'l', 'm', 'n'], 'none'),
        );
        foreach (['a{b}c', '}{', '{}', 'a}b'] as $key) {
            self::assertTrue($cache->set($key, $key));
            self::assertSame($key, $cache->get($key));
            self::assertTrue($cache->delete($key));
        }
        self::assertEqualsCanonicalizing(['k', 'l', 'm'], [...$cache->keys()]);
        self::assertTrue($cache->deleteMany(['k', 'l']) && $cache->clear());
        self::assertNull($cache->get('m'));
        self::assertSame(['its', 'own'], $client->get('own'));
        self::assertSame(
            ['application:', \Redis::SERIALIZER_IGBINARY],
            [$client->getOption(\Redis::OPT_PREFIX), $client->getOption(\Redis::OPT_SERIALIZER)],
        );
    }

    public function testNothingIsQueuedInATransaction(): void
    {
        $client = self::client();
        $cache = Cache::over($client, 'namespace=queued');
        self::assertTrue($cache->set('k', 1));
        $client->multi();
        $client->set('own', 'its own');
        self::assertSame(['miss', false, false], [$cache->get('k', 'miss'), $cache->set('k', 2), $cache->delete('k')]);
        self::assertThrows(
            StoreFailed::class,
            static fn() => Cache::over($client, 'namespace=queued&on_failure=throw')->get('k'),
            'has begun a transaction',
        );
        self::assertSame([true], $client->exec());
        self::assertSame(1, $cache->get('k'));
        self::assertTrue($cache->clear());
    }

    public function testLocalCopiesAreOfTheCluster(): void
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $over = static fn(string $options): Cache
            => Cache::over(self::client(), $options, local: "file://$folder->path/copies");
        $first = $over('namespace=copies&poll=0&on_failure=throw');
        self::assertTrue($first->set('k', 1));
        self::assertTrue(Cache::over(self::client(), 'namespace=copies')->delete('k'));
        self::assertSame(1, $over('namespace=copies&poll=0')->get('k'));
        self::assertTrue($first->clear());
    }

    /** Replicas lag behind, and refuse writes. */
    #[Group('cluster')]
    public function testReplicasThatTheApplicationReadsFromAreNotAsked(): void
    {
        $nodes = RedisNodes::cluster(Servers::directory('redis-held-replicas'), 3, 1);
        $client = self::client($nodes);
        $client->setOption(\RedisCluster::OPT_SLAVE_FAILOVER, \RedisCluster::FAILOVER_DISTRIBUTE_SLAVES);
        $cache = Cache::over($client, 'namespace=replicas&on_failure=throw');
        foreach (range(1, 20) as $n) {
            $client->get('own');
            self::assertTrue($cache->set('k', $n));
            $client->get('own');
            self::assertSame($n, $cache->get('k'));
        }
        self::assertSame(
            \RedisCluster::FAILOVER_DISTRIBUTE_SLAVES,
            $client->getOption(\RedisCluster::OPT_SLAVE_FAILOVER),
        );
    }

    private static function client(?RedisNodes $nodes = null): \RedisCluster
    {
        $nodes ??= Servers::redisCluster();
        $client = new \RedisCluster(
            null,
            explode(',', $nodes->addresses()),
            self::$timeout,
            self::$timeout,
            false,
            RedisNodes::PASSWORD,
        );
        $client->setOption(\Redis::OPT_PREFIX, 'application:');
        $client->setOption(\Redis::OPT_SERIALIZER, \Redis::SERIALIZER_IGBINARY);

        return $client;
    }
}
