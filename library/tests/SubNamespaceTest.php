<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Driver\Memory\ArrayStore;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Redis\HashSlot;
use Larder\Internal\Key\NamespaceName;
use Larder\Testing\Fork;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class SubNamespaceTest extends TestCase
{
    use \Larder\Testing\AssertsThrows;

    /** @return iterable<string, array{string}> */
    public static function addresses(): iterable
    {
        yield 'phpredis' => ['redis://%s?namespace=shop'];
        yield 'Predis' => ['redis://%s?client=predis&namespace=shop'];
    }

    #[DataProvider('addresses')]
    public function testFiveNamespacesHaveOneConnection(string $address): void
    {
        $server = RedisServer::start(Servers::directory('redis-sub-' . bin2hex(random_bytes(4))));
        $shop = Cache::open(\sprintf($address, $server->socket) . '&on_failure=throw');
        $caches = [
            $shop,
            ...array_map($shop->withSubNamespace(...), ['eu', 'us', 'asia']),
            $shop->withSubNamespace('eu')->withSubNamespace('ch'),
        ];
        foreach ($caches as $n => $cache) {
            self::assertTrue($cache->set('k', $n) && $cache->setMany(['l' => $n], 60));
            self::assertSame([1, true], [$cache->increment('c'), $cache->lock('lock', 5)?->release()]);
        }
        foreach ($caches as $n => $cache) {
            self::assertSame(['k' => $n, 'l' => $n], $cache->getMany(['k', 'l']));
        }
        self::assertSame(1, self::connections($server));
        self::assertTrue($shop->clear());
        self::assertSame([null, 1], [$shop->get('k'), $caches[1]->get('k')]);
        self::assertSame(1, Cache::open(\sprintf(str_replace('shop', 'shop-eu', $address), $server->socket))->get('k'));
        $five = array_map(
            static fn(int $n): Cache => Cache::open(\sprintf($address, $server->socket) . $n),
            range(1, 5),
        );
        array_map(static fn(Cache $cache): bool => $cache->set('k', 1), $five);
        self::assertSame(6, self::connections($server), 'the control: caches that were opened one by one');
        $server->stop();
    }

    /** @return iterable<string, array{string}> */
    public static function clustered(): iterable
    {
        foreach (['phpredis', 'predis'] as $client) {
            yield "a cluster, $client" => [\sprintf('redis+cluster://shop:word@%%s?client=%s&namespace=shop', $client)];
            yield "sentinels, $client" => [
                \sprintf('redis+sentinel://shop:word@%%s/shop?client=%s&namespace=shop', $client),
            ];
        }
    }

    #[DataProvider('clustered')]
    public function testFiveNamespacesHaveOneConnectionToEachServer(string $address): void
    {
        $isCluster = str_starts_with($address, 'redis+cluster');
        $nodes = $isCluster ? Servers::redisCluster() : Servers::watchedRedis();
        foreach ($nodes->ports() as $port) {
            $nodes->ask($port, 'ACL', 'SETUSER', 'shop', 'on', '>word', '~*', '+@all');
            $nodes->ask($port, 'CLIENT', 'KILL', 'USER', 'shop');
        }
        $connections = static fn(): array => array_map(
            static fn(int $port): int => substr_count((string) $nodes->text($port, 'CLIENT', 'LIST'), ' user=shop '),
            $nodes->ports(),
        );
        $address = \sprintf($address, $isCluster ? $nodes->addresses() : $nodes->addresses($nodes->sentinels))
            . '&on_failure=throw' . Servers::PATIENTLY;
        $shop = Cache::open($address);
        $caches = [
            $shop,
            ...array_map($shop->withSubNamespace(...), ['eu', 'us', 'asia']),
            $shop->withSubNamespace('eu')->withSubNamespace('ch'),
        ];
        self::assertKeptApart($caches);
        self::assertSame(array_fill(0, \count($nodes->ports()), 1), $connections());
        $apart = Cache::open($address);
        self::assertTrue($apart->clear());
        self::assertSame(
            array_fill(0, \count($nodes->ports()), 2),
            $connections(),
            'the control: a cache that was opened by itself',
        );
        foreach ($caches as $cache) {
            $cache->clear();
        }
    }

    /** A slot that is being moved redirects one command, which the shared connection has to announce. */
    public function testMovingSlotIsFollowed(): void
    {
        $nodes = Servers::redisCluster();
        foreach (['phpredis', 'predis'] as $client) {
            $namespace = "moved-$client";
            $cache = Cache::open(\sprintf(
                'redis+cluster://:%s@%s?client=%s&namespace=%s&on_failure=throw',
                RedisNodes::PASSWORD,
                $nodes->addresses(),
                $client,
                $namespace,
            ) . Servers::PATIENTLY)->withSubNamespace('eu');
            $values = ['{cart}1' => 1, '{cart}2' => 2];
            self::assertTrue($cache->setMany($values));
            $slot = HashSlot::of(NamespaceName::prefix("$namespace-eu") . '{cart}');
            $masters = $nodes->ports();
            $from = array_values(array_filter(
                $masters,
                static fn(int $port): bool => $nodes->ask($port, 'CLUSTER', 'COUNTKEYSINSLOT', (string) $slot) === 2,
            ))[0];
            $to = $masters[$from === $masters[0] ? 1 : 0];
            $nodes->migrate($slot, $from, $to, static function () use ($cache, $values): void {
                self::assertSame($values, $cache->getMany(array_keys($values)));
                self::assertSame([2, 3], [$cache->increment('{cart}1'), $cache->increment('{cart}2')]);
                self::assertTrue($cache->lock('{cart}', 10)?->release());
            });
            self::assertSame(['{cart}1' => 2, '{cart}2' => 3], $cache->getMany(array_keys($values)));
            $nodes->migrate($slot, $to, $from);
            $cache->clear();
        }
    }

    public function testFiveNamespacesInMemcachedHaveOneConnection(): void
    {
        $directory = Servers::directory('memcached-sub-' . bin2hex(random_bytes(4)));
        $server = MemcachedServer::start($directory);
        $observer = new \Memcached();
        $observer->addServer($server->socket, 0);
        $connections = static function () use ($observer): int {
            $count = array_column($observer->getStats(), 'curr_connections')[0] ?? null;

            return is_numeric($count) ? (int) $count : self::fail('no stats');
        };
        $before = $connections();
        $address = \sprintf('memcached://%s?namespace=shop&on_failure=throw', $server->socket);
        $shop = Cache::open($address);
        $caches = [
            $shop,
            ...array_map($shop->withSubNamespace(...), ['eu', 'us', 'asia']),
            $shop->withSubNamespace('eu')->withSubNamespace('ch'),
        ];
        self::assertKeptApart($caches);
        self::assertSame(1, $connections() - $before);
        $apart = Cache::open($address);
        self::assertTrue($apart->set('k', 1));
        self::assertSame(2, $connections() - $before, 'the control: a cache that was opened by itself');
        $server->stop();
        self::assertThrows(StoreFailed::class, static fn(): mixed => $caches[1]->get('k'));
        $server = MemcachedServer::start($directory);
        self::assertTrue(Servers::await(static function () use ($caches): bool {
            try {
                return array_filter($caches, static fn(Cache $cache): bool => !$cache->set('k', 1)) === [];
            } catch (StoreFailed) {
                return false;
            }
        }));
        $server->stop();
    }

    /** @return iterable<string, array{string}> */
    public static function engines(): iterable
    {
        yield 'InnoDB' => ['innodb'];
        yield 'MEMORY' => ['memory'];
    }

    #[DataProvider('engines')]
    public function testFiveNamespacesInMySqlHaveOneConnection(string $engine): void
    {
        $server = Servers::mariaDb();
        $address = \sprintf(
            'mysql://%s:%s@/%s?socket=%s&engine=%s&namespace=sub&on_failure=throw',
            MariaDbServer::USER,
            $server->password,
            MariaDbServer::DATABASE,
            $server->socket,
            $engine,
        )
            . Servers::PATIENTLY;
        $observer = new \PDO('mysql:unix_socket=' . $server->socket, MariaDbServer::USER, $server->password);
        /** @return list<string> */
        $all = static function () use ($observer): array {
            $processes = $observer->query('SHOW PROCESSLIST');
            self::assertNotFalse($processes);

            return array_map(strval(...), array_filter($processes->fetchAll(\PDO::FETCH_COLUMN), is_scalar(...)));
        };
        $before = $all();
        $new = static fn(): array => array_diff($all(), $before);
        $sub = Cache::open($address);
        $caches = [
            $sub,
            ...array_map($sub->withSubNamespace(...), ['eu', 'us', 'asia']),
            $sub->withSubNamespace('eu')->withSubNamespace('ch'),
        ];
        self::assertKeptApart($caches);
        self::assertCount(1, $new());
        $apart = Cache::open($address);
        self::assertTrue($apart->set('k', 0));
        self::assertCount(2, $new(), 'the control: a cache that was opened by itself');
        foreach ($new() as $id) {
            $observer->exec("KILL $id");
        }
        foreach ($caches as $n => $cache) {
            self::assertTrue($cache->set('k', $n));
        }
        self::assertSame([0, 1, 2, 3, 4], array_map(static fn(Cache $cache): mixed => $cache->get('k'), $caches));
        self::assertCount(1, $new(), 'opened once after it was lost');
    }

    public function testFiveNamespacesInPostgreSqlHaveOneConnection(): void
    {
        $memory = new TemporaryDirectory('/dev/shm');
        $server = PostgreSqlServer::start($memory->path);
        $address = \sprintf(
            'pgsql://%s:%s@/%s?socket=%s&namespace=sub&on_failure=throw',
            PostgreSqlServer::USER,
            $server->password,
            PostgreSqlServer::DATABASE,
            $server->socket,
        )
            . Servers::PATIENTLY;
        $observer = new \PDO(
            \sprintf(
                'pgsql:host=%s;port=%d;dbname=%s',
                \dirname($server->socket),
                $server->port,
                PostgreSqlServer::DATABASE,
            ),
            PostgreSqlServer::USER,
            $server->password,
        );
        /** @return list<string> */
        $all = static function () use ($observer): array {
            $processes = $observer->query("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'larder %'");
            self::assertNotFalse($processes);

            return array_map(strval(...), array_filter($processes->fetchAll(\PDO::FETCH_COLUMN), is_scalar(...)));
        };
        $before = $all();
        $new = static fn(): array => array_values(array_diff($all(), $before));
        $sub = Cache::open($address);
        $caches = [
            $sub,
            ...array_map($sub->withSubNamespace(...), ['eu', 'us', 'asia']),
            $sub->withSubNamespace('eu')->withSubNamespace('ch'),
        ];
        self::assertKeptApart($caches);
        self::assertCount(1, $new());
        $apart = Cache::open($address);
        self::assertTrue($apart->set('k', 0));
        self::assertCount(2, $new(), 'the control: a cache that was opened by itself');
        $late = $sub->withSubNamespace('late');
        foreach ($new() as $process) {
            $observer->exec("SELECT pg_terminate_backend($process)");
        }
        self::assertTrue($late->set('k', 5), 'whose table is looked for on a connection that was lost');
        foreach ($caches as $n => $cache) {
            self::assertTrue($cache->set('k', $n));
        }
        self::assertSame([0, 1, 2, 3, 4], array_map(static fn(Cache $cache): mixed => $cache->get('k'), $caches));
        self::assertCount(1, $new(), 'opened once after it was lost');
        $observer->exec('DROP TABLE "larder_sub-eu_entries"');
        self::assertSame(
            [null, 0, true, 1],
            [$caches[1]->get('k'), $caches[0]->get('k'), $caches[1]->set('k', 1), $caches[1]->get('k')],
            'a table that is gone is made again',
        );
        $server->stop();
    }

    public function testFiveNamespacesInSqliteHaveTheFileOpenOnce(): void
    {
        $file = Servers::directory('sqlite-sub-' . bin2hex(random_bytes(4))) . '/cache.sqlite';
        $open = static fn(): int => \count(array_filter(array_map(
            static fn(string|false $handle): string => (string) @readlink((string) $handle),
            (array) glob('/proc/self/fd/*'),
        ), static fn(string $path): bool => $path === $file));
        $sub = Cache::open("sqlite://$file?namespace=sub");
        $caches = [
            $sub,
            ...array_map($sub->withSubNamespace(...), ['eu', 'us', 'asia']),
            $sub->withSubNamespace('eu')->withSubNamespace('ch'),
        ];
        self::assertKeptApart($caches);
        self::assertSame(1, $open());
        $apart = Cache::open("sqlite://$file?namespace=sub");
        self::assertSame([0, 2], [$apart->get('k'), $open()], 'the control: a cache that was opened by itself');
        unlink($file);
        usleep(200_000);
        self::assertSame(
            [null, true, 2],
            [$caches[1]->get('k'), $caches[2]->set('k', 2), $caches[2]->get('k')],
            'a file that is gone is made again',
        );
        self::assertSame(1, Fork::run(static fn(): mixed => $caches[1]->set('k', 1) ? $caches[1]->get('k') : null));
        self::assertSame([1, 2], [$caches[1]->get('k'), $caches[2]->get('k')]);
    }

    /** @param non-empty-list<Cache> $caches */
    private static function assertKeptApart(array $caches): void
    {
        foreach ($caches as $n => $cache) {
            self::assertTrue($cache->set('k', $n) && $cache->setMany(['l' => $n, 'm' => $n], 60));
            self::assertSame([1, true], [$cache->increment('c'), $cache->lock('lock', 5)?->release()]);
            self::assertTrue($cache->add('n', 0) && $cache->swap('n', 0, $n + 1));
        }
        foreach ($caches as $n => $cache) {
            self::assertSame(['k' => $n, 'l' => $n, 'm' => $n, 'n' => $n + 1], $cache->getMany(['k', 'l', 'm', 'n']));
        }
        self::assertTrue($caches[0]->clear());
        self::assertSame([null, 1], [$caches[0]->get('k'), $caches[1]->get('k')]);
        self::assertTrue($caches[1]->clear() && $caches[0]->set('k', 0));
        self::assertSame([0, null, 2], [$caches[0]->get('k'), $caches[1]->get('k'), $caches[2]->get('k')]);
    }

    /** The first namespace that notices it closes the connection for all, and it is opened once. */
    #[DataProvider('addresses')]
    public function testConnectionIsReplacedForAll(string $address): void
    {
        $directory = Servers::directory('redis-sub-' . bin2hex(random_bytes(4)));
        $server = RedisServer::start($directory);
        $shop = Cache::open(\sprintf($address, $server->socket));
        $eu = $shop->withSubNamespace('eu');
        self::assertTrue($shop->set('k', 1) && $eu->set('k', 2));
        $server->stop();
        self::assertNull($eu->get('k'));
        $server = RedisServer::start($directory);
        for ($end = microtime(true) + 60; !$eu->set('k', 4) && microtime(true) < $end; usleep(20_000));
        for ($end = microtime(true) + 60; !$shop->set('k', 3) && microtime(true) < $end; usleep(20_000));
        self::assertSame([['k' => 3], ['k' => 4]], [$shop->getMany(['k']), $eu->getMany(['k'])]);
        self::assertSame(1, self::connections($server));
        $server->stop();
    }

    public function testEveryKindOfStoreHasThem(): void
    {
        $folder = '/dev/shm/larder-sub-' . bin2hex(random_bytes(4));
        foreach ([
            "file://$folder",
            'array:',
            "tier:(array:)(file://$folder?namespace=tier)",
            'larder:?namespace=sub',
        ] as $address) {
            $one = Cache::open($address);
            $two = $one->withSubNamespace('two');
            self::assertTrue($one->set('k', 1) && $two->set('k', 2), $address);
            self::assertSame([1, 2], [$one->get('k'), $two->get('k')], $address);
            self::assertTrue($one->clear());
            self::assertSame([null, 2], [$one->get('k'), $two->get('k')], $address);
            $two->clear();
        }
        (new \Symfony\Component\Filesystem\Filesystem())->remove($folder);
    }

    /** Otherwise a signed value could be planted in another namespace. */
    public function testSignatureIsOfTheSubNamespace(): void
    {
        putenv('LARDER_TESTS_SUB=' . str_repeat('k', 64));
        $shop = Cache::open('redis://' . Servers::redis()->socket . '?namespace=signed&sign=env:LARDER_TESTS_SUB');
        $eu = $shop->withSubNamespace('eu');
        self::assertTrue($eu->set('k', 1));
        $raw = new \Redis();
        $raw->connect(Servers::redis()->socket);
        $raw->set('larder-cache:signed:k', $raw->get('larder-cache:signed-eu:k'));
        self::assertSame([1, null], [$eu->get('k'), $shop->get('k')]);
        self::assertTrue($eu->clear() && $shop->clear());
    }

    public function testOtherNamesAreRefused(): void
    {
        $cache = Cache::open('array:');
        self::assertNotSame($cache->store(), $cache->withSubNamespace('a')->store());
        foreach (['', 'a:b', str_repeat('a', 32)] as $name) {
            self::assertThrows(
                InvalidDsn::class,
                static fn() => Cache::open('redis:///nowhere')->withSubNamespace($name),
            );
        }
        self::assertThrows(NotSupported::class, static fn() => (new Cache(new ArrayStore()))->withSubNamespace('a'));
    }

    private static function connections(RedisServer $server): int
    {
        $observer = new \Redis();
        $observer->connect($server->socket);
        /** @var list<array<string, string>> $clients */
        $clients = $observer->client('LIST');

        return \count($clients) - 1;
    }
}
