<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Borrowed;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use Predis\Client;
use Psr\Log\NullLogger;
use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Exception\InvalidArgumentException;

final class BorrowedPhpredisTest extends BorrowedRedisTestCase
{
    protected static function client(string $socket): \Redis
    {
        $client = new \Redis();
        $client->connect($socket);
        foreach ([
            \Redis::OPT_PREFIX => 'application:',
            \Redis::OPT_SERIALIZER => \Redis::SERIALIZER_IGBINARY,
            \Redis::OPT_SCAN => \Redis::SCAN_RETRY,
            \Redis::OPT_REPLY_LITERAL => true,
            \Redis::OPT_NULL_MULTIBULK_AS_NULL => true,
            \Redis::OPT_READ_TIMEOUT => 30,
        ] as $option => $value) {
            self::assertTrue($client->setOption($option, $value));
        }

        return $client;
    }

    protected static function lazy(string $socket): \Closure
    {
        return static fn(): \Redis => self::client($socket);
    }

    protected static function readOwn(object $client): mixed
    {
        return $client instanceof \Redis ? $client->get('own') : null;
    }

    protected static function writeOwn(object $client, mixed $value): void
    {
        self::assertInstanceOf(\Redis::class, $client);
        $client->set('own', $value);
    }

    protected static function readRaw(object $client): mixed
    {
        return $client instanceof \Redis ? $client->rawcommand('GET', 'own') : null;
    }

    protected static function raw(object $client, string ...$words): void
    {
        self::assertInstanceOf(\Redis::class, $client);
        $client->rawcommand(...$words);
    }

    protected static function close(object $client): void
    {
        self::assertInstanceOf(\Redis::class, $client);
        $client->close();
    }

    protected static function reconnect(object $client, string $socket): void
    {
        self::assertInstanceOf(\Redis::class, $client);
        self::close($client);
        self::assertTrue($client->connect($socket));
    }

    public function testNothingIsQueuedInATransactionOrPipeline(): void
    {
        $client = self::client(self::socket());
        $log = new RecordingLogger();
        $cache = Cache::over($client, 'namespace=queued', $log);
        $throwing = Cache::over($client, 'namespace=queued&on_failure=throw');
        self::assertTrue($cache->set('k', 1));
        foreach ([$client->multi(...), $client->pipeline(...)] as $begin) {
            $begin();
            $client->set('own', 'its own');
            self::assertSame(['miss', false, false, false, false], [
                $cache->get('k', 'miss'), $cache->set('k', 2), $cache->delete('k'), $cache->clear(),
                $cache->increment('n'),
            ]);
            self::assertThrows(StoreFailed::class, static fn() => $throwing->get('k'), 'a transaction or a pipeline');
            $client->get('own');
            self::assertSame([true, 'its own'], $client->exec());
            self::assertSame(1, $cache->get('k'), 'and it is no outage');
        }
        self::assertSame([], $log->entries());
        self::assertTrue($cache->clear());
    }

    public function testAnotherDatabaseIsNotWrittenTo(): void
    {
        $client = self::client(self::socket());
        $cache = Cache::over($client, 'namespace=database');
        self::assertTrue($cache->set('k', 1));
        $client->select(3);
        self::assertSame([null, false], [$cache->get('k'), $cache->set('k', 2)]);
        self::assertSame(3, $client->getDBNum());
        $client->select(0);
        self::assertSame(1, $cache->get('k'));
        self::assertTrue($cache->clear());
    }

    /** The client would unserialize values that others have stored. */
    public function testNothingIsUnserializedByTheClient(): void
    {
        $client = self::client(self::socket());
        $raw = new \Redis();
        $raw->connect(self::socket());
        $raw->setOption(\Redis::OPT_SERIALIZER, \Redis::SERIALIZER_IGBINARY);
        $raw->set('larder-cache:planted:k', new \ArrayObject(['planted']));
        $raw->set('application:own', new \ArrayObject(['planted']));
        self::assertInstanceOf(\ArrayObject::class, $client->get('own'), 'the control: the client does');
        self::assertSame('miss', Cache::over($client, 'namespace=planted&classes=none')->get('k', 'miss'));
        self::assertTrue(Cache::over($client, 'namespace=planted')->clear());
    }

    /** Any client that can write to the server can plant them. */
    public function testNamesThatAreNoKeysAreNotListed(): void
    {
        $raw = new \Redis();
        $raw->connect(self::socket());
        $cache = Cache::over($raw, 'namespace=names&on_failure=throw');
        self::assertTrue($cache->set('k', 1));
        foreach (['', str_repeat('x', 65_536)] as $planted) {
            $raw->set('larder-cache:names:' . $planted, 'planted');
            self::assertSame(['k'], [...$cache->keys()]);
        }
        self::assertTrue($cache->clear());
        self::assertSame(0, $raw->exists('larder-cache:names:'));
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function waysOfSymfony(): iterable
    {
        yield 'at once' => [[]];
        yield 'lazily, by its proxy' => [['lazy' => true]];
        yield 'by Predis' => [['class' => Client::class]];
    }

    /** @param array<string, mixed> $options */
    #[DataProvider('waysOfSymfony')]
    public function testClientsOfSymfonyCacheWork(array $options): void
    {
        $cache = Cache::over(
            RedisAdapter::createConnection('redis://' . self::socket(), $options),
            'namespace=symfony&on_failure=throw',
        );
        self::assertTrue($cache->set('k', 1) && $cache->setMany(['l' => 2], 60));
        self::assertSame(['k' => 1, 'l' => 2], $cache->getMany(['k', 'l']));
        self::assertTrue($cache->clear());
    }

    /** The first call of any of its methods connects, and throws an exception of Symfony's. */
    #[TestWith([''])]
    #[TestWith(['array:'])]
    public function testProxyOfSymfonyCacheThatCannotConnectIsAnOutage(string $local): void
    {
        $directory = Servers::directory('redis-proxy-' . bin2hex(random_bytes(4)));
        $server = RedisServer::start($directory);
        $server->stop();
        $proxy = static fn(): object => RedisAdapter::createConnection('redis://' . $server->socket, ['lazy' => true]);
        self::assertThrows(
            InvalidArgumentException::class,
            static fn() => RedisAdapter::createConnection('redis://' . $server->socket),
            'connection failed',
        ); // the control
        $log = new RecordingLogger();
        $cache = Cache::over($proxy(), 'namespace=proxy', $log, $local);
        self::assertSame(['miss', false], [$cache->get('k', 'miss'), $cache->set('k', 1)]);
        self::assertCount(1, $log->entries());
        self::assertThrows(
            StoreFailed::class,
            static fn() => Cache::over($proxy(), 'on_failure=throw', new NullLogger(), $local)->get('k'),
            'cannot connect',
        );
        self::assertThrows(
            StoreUnavailable::class,
            static fn() => Cache::over($proxy(), local: $local)->reach(),
            'cannot connect',
        );
        $server = RedisServer::start($directory);
        self::assertTrue(Servers::await(static fn(): bool => $cache->set('k', 1)));
        self::assertSame(1, $cache->get('k'));
        $server->stop();
    }

    public function testOtherObjectsAreRefused(): void
    {
        self::assertThrows(NotSupported::class, static fn() => Cache::over(new \ArrayObject()), 'It can use: Redis');
        self::assertThrows(
            NotSupported::class,
            static fn() => Cache::over(static fn() => new \Redis()),
            'give it a return type',
        );
        self::assertThrows(
            NotSupported::class,
            static fn() => Cache::over(static fn(): object => new \Redis()),
            'give it a return type',
        );
    }
}
