<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Contract\Capability;
use Larder\Exception\InvalidDsn;
use Larder\Internal\Decorator\Tier\TierStore;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Driver\Current;
use Larder\Tests\Driver\MySql\MySqlContainer;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Predis\Client;
use Psr\Log\NullLogger;

/** Local copies before a store over a client of the application. */
final class ClientTierTest extends TestCase
{
    use AssertsThrows;

    /** @var list<RedisServer|MemcachedServer|MySqlContainer> they end with these objects */
    private static array $servers = [];

    private TemporaryDirectory $folder;

    public static function tearDownAfterClass(): void
    {
        self::$servers = [];
    }

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory('/dev/shm');
    }

    /** @return iterable<string, array{\Closure(string): object}> a client with its own server, by name */
    public static function clients(): iterable
    {
        yield 'phpredis' => [static fn(string $name): \Redis => self::phpredis(self::redis($name))];
        yield 'phpredis, two databases' => [static function (string $name): \Redis {
            $client = self::phpredis(Servers::redis()->socket);
            $client->select(str_ends_with($name, 'one') ? 1 : 2);

            return $client;
        }];
        yield 'Predis' => [
            static fn(string $name): Client => new Client(['scheme' => 'unix', 'path' => self::redis($name)]),
        ];
        yield 'memcached' => [static function (string $name): \Memcached {
            $client = new \Memcached();
            $server = MemcachedServer::start(Servers::directory($name));
            self::$servers = [...self::$servers, $server];
            $client->addServer($server->socket, 0);

            return $client;
        }];
        yield 'MySQL' => [static function (string $name): \PDO {
            if (posix_geteuid() !== 0) {
                self::markTestSkipped('containers are made by root');
            }
            $server = MySqlContainer::start(Servers::directory($name));
            self::$servers = [...self::$servers, $server];

            return $server->connect();
        }];
        yield 'SQLite' => [
            static fn(string $name): \PDO => new \PDO('sqlite:' . Servers::directory($name) . '/app.sqlite'),
        ];
        yield 'SQLite in memory' => [static fn(string $name): \PDO => new \PDO('sqlite::memory:')];
    }

    /** @param \Closure(string): object $client */
    #[DataProvider('clients')]
    public function testCopiesOfTwoServersDoNotMix(\Closure $client): void
    {
        $name = 'tier-' . bin2hex(random_bytes(4));
        [$one, $two] = [$client("$name-one"), $client("$name-two")];
        $options = 'namespace=mix&on_failure=throw';
        $tier = fn(object $client): Cache => Cache::over($client, "$options&poll=0", local: $this->local());
        [$first, $second] = [$tier($one), $tier($two)];
        self::assertTrue($first->set('k', 'of one'));
        self::assertNull(self::read($second, 'k'));
        self::assertTrue($second->set('k', 'of two'));
        self::assertSame(['of one', 'of two'], [self::read($first, 'k'), self::read($second, 'k')]);
        self::assertTrue(Cache::over($one, $options)->delete('k'));
        self::assertSame(['of one', 'of two'], [self::read($first, 'k'), self::read($second, 'k')], 'copies');
        self::assertSame('of two', self::read($tier($two), 'k'));

        $named = fn(object $client): TierStore => new TierStore(
            Cache::open($this->local())->store(),
            Cache::over($client, $options)->store(),
            'one name',
            60.0,
            0.0,
        );
        self::assertTrue($named($one)->set('l', 'of one'));
        self::assertSame('of one', $named($two)->get('l'), 'the control: tiers under one name mix');
    }

    public function testEveryOperationWorks(): void
    {
        $client = self::phpredis(Servers::redis()->socket);
        $current = new Current($client);
        $cache = Cache::over($client, 'namespace=all&on_failure=throw', local: $this->local());
        $plain = Cache::over($client, 'namespace=all');
        self::assertTrue($cache->set('k', 1) && $cache->setMany(['l' => 2, 'm' => 3], 60, ['tag']));
        self::assertSame(['k' => 1, 'l' => 2, 'n' => null], $cache->getMany(['k', 'l', 'n']));
        self::assertSame([1, 3, true, false], [$plain->get('k'), $plain->get('m'), $cache->has('k'), $cache->has('n')]);
        self::assertSame([5, true, true, false, true], [
            $cache->increment('c', 5), $cache->swap('c', 5, 6), $cache->add('a', 1), $cache->add('a', 2),
            $cache->touch('a', 60),
        ]);
        self::assertSame([6, 'a lock', true], [
            self::read($cache, 'c'),
            $cache->lock('x', 5) === null ? 'none' : 'a lock',
            $cache->expiry('a') > microtime(true),
        ]);
        self::assertEqualsCanonicalizing(['k', 'l', 'm', 'c', 'a'], [...$cache->keys()]);
        self::assertSame([1, 1], [
            $cache->remember('r', 60, static fn(): int => ++$current->calls),
            $cache->remember('r', 60, static fn(): int => ++$current->calls),
        ]);
        self::assertTrue($cache->invalidateTags(['tag']));
        self::assertSame([null, 1], [self::read($cache, 'l'), self::read($cache, 'k')]);
        self::assertTrue($cache->delete('k') && $cache->deleteMany(['a', 'c']));
        self::assertSame([null, null], [self::read($cache, 'k'), $plain->get('a')]);
        $eu = $cache->withSubNamespace('eu');
        self::assertTrue($eu->set('r', 'of eu'));
        self::assertSame([1, 'of eu'], [self::read($cache, 'r'), self::read($eu, 'r')]);
        self::assertTrue($cache->clear());
        self::assertSame([null, 'of eu', true], [self::read($cache, 'r'), self::read($eu, 'r'), $eu->clear()]);
        self::assertTrue($cache->can(Capability::Lock));
        $cache->reset();
        $cache->reach();
        self::assertStringContainsString('copies of redis live 60 s at most in file', (string) $cache->explain()[0]);
    }

    public function testOtherHostsSeeChanges(): void
    {
        $over = static fn(): Cache
            => Cache::over(self::phpredis(Servers::redis()->socket), 'namespace=hosts&poll=0.02', local: 'array:');
        [$here, $there] = [$over(), $over()];
        self::assertTrue($there->set('k', 1));
        self::assertSame(1, self::read($here, 'k'));
        self::assertTrue($there->set('k', 2));
        self::assertTrue(Servers::await(static fn(): bool => self::read($here, 'k') === 2));
        self::assertTrue($there->clear());
        self::assertTrue(Servers::await(static fn(): bool => !$here->has('k')));
    }

    /** The first write is announced, though the server becomes known only then. */
    public function testClosureIsCalledOnFirstUse(): void
    {
        $current = new Current(self::phpredis(Servers::redis()->socket));
        $cache = Cache::over(static fn(): \Redis => self::redisOf($current), 'namespace=first', local: $this->local());
        self::assertTrue($cache->can(Capability::Atomic));
        self::assertStringContainsString('copies are made once', (string) $cache->explain()[0]);
        self::assertSame(0, self::calls($current));
        $other = Cache::over(self::phpredis(Servers::redis()->socket), 'namespace=first', local: $this->local());
        self::assertTrue($other->set('k', 1));
        self::assertTrue($cache->set('k', 2));
        self::assertSame([2, 2, 1], [self::read($other, 'k'), self::read($cache, 'k'), self::calls($current)]);
        self::assertTrue($cache->clear());
    }

    public function testClientOfAnotherServerBringsCopiesOfItsOwn(): void
    {
        $name = 'tier-' . bin2hex(random_bytes(4));
        [$one, $two] = [
            RedisServer::start(Servers::directory("$name-one")),
            RedisServer::start(Servers::directory("$name-two")),
        ];
        $current = new Current(self::phpredis($one->socket));
        $cache = Cache::over(
            static fn(): \Redis => self::redisOf($current),
            'namespace=move&poll=0',
            new NullLogger(),
            $this->local(),
        );
        self::assertTrue($cache->set('k', 'of one'));
        $one->stop();
        $current->client = self::phpredis($two->socket);
        $there = Cache::over($current->client, 'namespace=move');
        self::assertTrue($there->setMany(['k' => 'of two', 'new' => 'of two']));
        self::assertSame('of one', self::read($cache, 'k'), 'a copy lives while its server is away');
        self::assertTrue(Servers::await(static fn(): bool => self::read($cache, 'new') === 'of two'));
        self::assertSame(['of two', 2], [self::read($cache, 'k'), self::calls($current)]);

        $one = RedisServer::start(Servers::directory("$name-one"));
        $again = Cache::over(self::phpredis($one->socket), 'namespace=move&poll=0', local: $this->local());
        self::assertSame(
            ['of one', null],
            [self::read($again, 'k'), self::read($again, 'new')],
            'nothing was copied under the name of the other',
        );
    }

    public function testObjectThatIsConnectedToAnotherServerHasItsCopies(): void
    {
        $name = 'tier-' . bin2hex(random_bytes(4));
        [$one, $two] = [self::redis("$name-one"), self::redis("$name-two")];
        $client = self::phpredis($one);
        $cache = Cache::over($client, 'namespace=again&poll=0&on_failure=throw', local: $this->local());
        self::assertTrue($cache->set('k', 'of one'));
        $client->close();
        self::assertSame('of one', self::read($cache, 'k'), 'the control: a copy, while the object is not connected');
        $client->connect($two);
        self::assertNull(self::read($cache, 'k'));
        self::assertTrue($cache->set('k', 'of two'));
        self::assertSame('of two', self::read($cache, 'k'));
        $client->connect($one);
        self::assertSame('of one', self::read($cache, 'k'));
    }

    public function testCopiesAreReadInATransactionAndNothingIsWritten(): void
    {
        $pdo = new \PDO('sqlite:' . $this->folder->path . '/app.sqlite');
        $cache = Cache::over($pdo, 'namespace=transaction', local: $this->local());
        self::assertTrue($cache->set('k', 1));
        $pdo->beginTransaction();
        self::assertSame([1, false, null], [self::read($cache, 'k'), $cache->set('l', 1), self::read($cache, 'l')]);
        $pdo->rollBack();
        self::assertTrue($cache->set('l', 1));
    }

    public function testOptionsOfTheTierNeedOne(): void
    {
        $client = self::phpredis(Servers::redis()->socket);
        self::assertThrows(InvalidDsn::class, static fn() => Cache::over($client, 'poll=1'), 'poll');
        self::assertThrows(
            InvalidDsn::class,
            static fn() => Cache::over($client, 'poll=never', local: 'array:'),
            'poll',
        );
        self::assertThrows(
            InvalidDsn::class,
            static fn() => Cache::over($client, local: 'array:?default_ttl=5'),
            'among the options',
        );
        self::assertThrows(InvalidDsn::class, static fn() => Cache::over($client, local: 'none:'), 'cannot be a tier');
        self::assertSame(5.0, Cache::over($client, 'default_ttl=5&local_ttl=1', local: 'array:')->defaultTtl());
    }

    private function local(): string
    {
        return 'file://' . $this->folder->path . '/copies';
    }

    /** @return string its socket */
    private static function redis(string $name): string
    {
        $server = RedisServer::start(Servers::directory($name));
        self::$servers = [...self::$servers, $server];

        return $server->socket;
    }

    private static function read(Cache $cache, string $key): mixed
    {
        return $cache->get($key);
    }

    private static function calls(Current $current): int
    {
        return $current->calls;
    }

    private static function phpredis(string $socket): \Redis
    {
        $client = new \Redis();
        $client->connect($socket);

        return $client;
    }

    private static function redisOf(Current $current): \Redis
    {
        $client = $current->get();

        return $client instanceof \Redis ? $client : self::fail('no client');
    }
}
