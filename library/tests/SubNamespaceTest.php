<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Driver\Memory\ArrayStore;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
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
        $caches = [$shop, ...array_map($shop->withSubNamespace(...), ['eu', 'us', 'asia']), $shop->withSubNamespace('eu')->withSubNamespace('ch')];
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
        $five = array_map(static fn(int $n): Cache => Cache::open(\sprintf($address, $server->socket) . $n), range(1, 5));
        array_map(static fn(Cache $cache): bool => $cache->set('k', 1), $five);
        self::assertSame(6, self::connections($server), 'the control: caches that were opened one by one');
        $server->stop();
    }

    /** Whoever notices it closes the connection for all, and it is opened once. */
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
        foreach (["file://$folder", 'array:', "tier:(array:)(file://$folder?namespace=tier)", 'larder:?namespace=sub'] as $address) {
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

    /** Else a signed value could be planted in another namespace. */
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
            self::assertThrows(InvalidDsn::class, static fn() => Cache::open('redis:///nowhere')->withSubNamespace($name));
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
