<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Borrowed;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AllContracts;
use Larder\Testing\Fork;
use Larder\Testing\StoreTestCase;
use Larder\Tests\Driver\Current;
use Larder\Tests\Driver\RefusesAFork;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use Psr\Log\NullLogger;

/** Tests for all clients that an application owns. */
abstract class BorrowedRedisTestCase extends StoreTestCase
{
    use AllContracts;
    use RefusesAFork;

    private static ?RedisServer $server = null;

    /** A client with every setting that changes keys, values and replies. */
    abstract protected static function client(string $socket): object;

    /** @return \Closure(): object with the client's class as its return type */
    abstract protected static function lazy(string $socket): \Closure;

    /** @return mixed the value of the application's own key "own", read through the client */
    abstract protected static function readOwn(object $client): mixed;

    abstract protected static function writeOwn(object $client, mixed $value): void;

    /** The server's reply to GET own, without any setting of the client. */
    abstract protected static function readRaw(object $client): mixed;

    /** Sends a command without the client's knowledge. */
    abstract protected static function raw(object $client, string ...$words): void;

    abstract protected static function close(object $client): void;

    /** What an application does after its server was down, or when its client is out of step. */
    abstract protected static function reconnect(object $client, string $socket): void;

    protected function open(string $namespace): Store
    {
        return Cache::over(static::lazy(self::socket()), 'namespace=' . $namespace)->store();
    }

    protected function isLocal(): bool
    {
        return false;
    }

    public function testSettingsAndConnectionOfTheApplicationStay(): void
    {
        $server = RedisServer::start(Servers::directory('redis-held-' . bin2hex(random_bytes(4))));
        $client = static::client($server->socket);
        static::writeOwn($client, ['its', 'own']);
        $cache = Cache::over($client, 'namespace=held&on_failure=throw');
        self::assertTrue($cache->set('k', [1.5, 'k']) && $cache->setMany(['l' => 1, 'm' => null], 60));
        self::assertSame(
            ['k' => [1.5, 'k'], 'l' => 1, 'm' => null, 'n' => 'none'],
            $cache->getMany(['k', 'l', 'm', 'n'], 'none'),
        );
        self::assertSame(3, $cache->increment('c', 3));
        self::assertEqualsCanonicalizing(['k', 'l', 'm', 'c'], [...$cache->keys()]);
        self::assertTrue($cache->lock('lock', 5)?->release());
        self::assertGreaterThan(0, $cache->remember('r', 60, static fn(): int => random_int(1, 9), tags: ['t']));
        self::assertSame(
            [1.5, 'k'],
            Cache::open(\sprintf('redis://%s?namespace=held', $server->socket))->get('k'),
            'as redis: stores it',
        );
        self::assertTrue($cache->clear());
        self::assertNull($cache->get('k'));
        self::assertSame(['its', 'own'], static::readOwn($client));
        unset($cache);
        self::assertSame(['its', 'own'], static::readOwn($client), 'it is not closed');
        $server->stop();
    }

    public function testNoSecondConnectionIsOpened(): void
    {
        $server = RedisServer::start(Servers::directory('redis-held-' . bin2hex(random_bytes(4))));
        $client = static::client($server->socket);
        $caches = array_map(static fn(int $n): Cache => Cache::over($client, 'namespace=held' . $n), range(1, 5));
        foreach ($caches as $n => $cache) {
            self::assertTrue($cache->set('k', $n));
        }
        self::assertSame([0, 1, 2, 3, 4], array_map(static fn(Cache $cache): mixed => $cache->get('k'), $caches));
        self::assertSame(1, self::connections($server), 'of five caches and the application');
        $other = Cache::open('redis://' . $server->socket);
        $other->set('k', 1);
        self::assertSame(2, self::connections($server), 'the control: a cache with one of its own');
        $server->stop();
    }

    public function testClosureIsCalledOnFirstUse(): void
    {
        /** @var \ArrayObject<int, int> $calls */
        $calls = new \ArrayObject();
        $lazy = static::lazy(self::socket());
        $counting = self::typed(static function () use ($lazy, $calls): object {
            $calls[] = 1;

            return $lazy();
        });
        $cache = Cache::over($counting, 'namespace=lazily');
        self::assertCount(0, $calls);
        self::assertTrue($cache->set('k', 1));
        self::assertTrue($cache->clear());
        self::assertCount(1, $calls);
    }

    /** Each could receive the reply to a command of the other. */
    public function testForkDoesNotUseTheClientOfItsParent(): void
    {
        $cache = Cache::over(static::client(self::socket()), 'namespace=fork&on_failure=throw', new NullLogger());
        self::assertForkIsRefused('its parent uses the client', $cache);
    }

    /** Each framework has its own exception for a server that is down. */
    public function testClosureThatDoesNotConnectIsAnOutage(): void
    {
        $class = (string) (new \ReflectionFunction(static::lazy(self::socket())))->getReturnType();
        $connect = eval("return static fn(): ?\\$class => throw new \\RuntimeException('connection refused');");
        $none = eval("return static fn(): ?\\$class => null;");
        self::assertTrue($connect instanceof \Closure && $none instanceof \Closure);
        $log = new RecordingLogger();
        self::assertSame('miss', Cache::over($connect, '', $log)->get('k', 'miss'));
        self::assertStringContainsString(
            'function that connects has failed (connection refused)',
            implode("\n", $log->entries()),
        );
        self::assertThrows(
            StoreFailed::class,
            static fn() => Cache::over($connect, 'on_failure=throw', new NullLogger())->get('k'),
            'connection refused',
        );
        self::assertThrows(
            StoreUnavailable::class,
            static fn() => Cache::over($connect)->reach(),
            'connection refused',
        );
        self::assertThrows(
            StoreFailed::class,
            static fn() => Cache::over($none, 'on_failure=throw', new NullLogger())->get('k'),
            'has returned no client',
        );
    }

    public function testFailureIsLoggedAtOnceAndTheClientIsTestedBeforeItsNextUse(): void
    {
        $directory = Servers::directory('redis-held-' . bin2hex(random_bytes(4)));
        $server = RedisServer::start($directory);
        $log = new RecordingLogger();
        $client = static::client($server->socket);
        $cache = Cache::over($client, logger: $log);
        self::assertTrue($cache->set('k', 1));
        $server->stop();
        self::assertSame('miss', $cache->get('k', 'miss'));
        self::assertCount(1, $log->entries());
        self::assertStringContainsString("the application's client", $log->entries()[0]);
        self::assertFalse($cache->set('k', 2));
        $server = RedisServer::start($directory);
        static::reconnect($client, $server->socket);
        for ($end = microtime(true) + 30; !$cache->set('k', 3) && microtime(true) < $end;) {
            usleep(20_000);
        }
        self::assertSame(3, $cache->get('k'));
        $server->stop();
    }

    /** Frameworks do this: they replace a lost client by a new one. */
    public function testClosureIsCalledAgainAfterALostConnection(): void
    {
        [$one, $two] = [self::another(), self::another()];
        $clients = new Current(static::client($one->socket));
        $cache = Cache::over(self::typed($clients->get(...)), 'namespace=again', new NullLogger());
        $ofTheFirst = Cache::over($clients->client, 'namespace=again', new NullLogger());
        self::assertTrue($cache->set('k', 1) && $ofTheFirst->set('k', 1));
        $one->stop();
        self::assertNull($cache->get('k'));
        $clients->client = static::client($two->socket);
        self::assertTrue(Servers::await(static fn(): bool => $cache->set('k', 2)));
        self::assertSame(2, Cache::open("redis://$two->socket?namespace=again")->get('k'));
        self::assertSame(2, $clients->calls);
        usleep(1_000_000); // the next probe is due
        self::assertFalse($ofTheFirst->set('k', 2), 'the control: a cache over the client itself');
        $two->stop();
    }

    /** With another client, the call would run outside of the transaction. */
    public function testClosureIsNotCalledAgainInATransactionThatTheClientDoesNotKnowOf(): void
    {
        $clients = new Current(static::client(self::socket()));
        $cache = Cache::over(self::typed($clients->get(...)), 'namespace=again', new NullLogger());
        self::assertTrue($cache->set('k', 1));
        $first = $clients->client;
        static::raw($first, 'MULTI');
        $clients->client = static::client(self::socket());
        self::assertFalse($cache->set('k', 2));
        for ($tries = 0; $tries < 3; ++$tries) {
            self::assertThrows(StoreUnavailable::class, $cache->reach(...));
        }
        static::raw($first, 'DISCARD');
        $cache->reach();
        self::assertSame([1, 1], [$cache->get('k'), $clients->calls]);
        self::assertTrue($cache->clear());
    }

    public function testClosureIsNotCalledAgainForARefusedWrite(): void
    {
        $server = self::another('--maxmemory', '1');
        $clients = new Current(static::client($server->socket));
        $log = new RecordingLogger();
        $cache = Cache::over(self::typed($clients->get(...)), 'namespace=again', $log);
        foreach (range(1, 3) as $n) {
            self::assertSame(
                [false, false, false, null],
                [$cache->set('k', $n), $cache->setMany(['l' => $n]), $cache->increment('n'), $cache->get('k')],
            );
            $clients->client = static::client($server->socket);
        }
        self::assertSame([1, []], [$clients->calls, $log->entries()]);
        $server->stop();
    }

    /** Neither a lost client, nor a lost one that was replaced: the parent may still have it. */
    public function testForkIsGivenNoClientThatItsParentHasLost(): void
    {
        $server = self::another();
        $clients = new Current(static::client($server->socket));
        $lost = $clients->client;
        $cache = Cache::over(self::typed($clients->get(...)), 'namespace=again', new NullLogger());
        self::assertTrue($cache->set('k', 1));
        $server->stop();
        self::assertNull($cache->get('k'));
        $inAFork = static fn(object $client): mixed
            => Fork::run(static function () use ($cache, $clients, $client): string {
                $clients->client = $client;

                try {
                    $cache->reach();
                } catch (StoreUnavailable $none) {
                    return $none->what;
                }

                return 'reached';
            });
        self::assertStringContainsString('its parent uses the client', (string) json_encode($inAFork($lost)));
        $clients->client = static::client(self::socket());
        $cache->reach();
        self::assertStringContainsString('its parent uses the client', (string) json_encode($inAFork($lost)));
        self::assertStringContainsString(
            'its parent uses the client',
            (string) json_encode($inAFork($clients->client)),
        );
        self::assertSame('reached', $inAFork(static::client(self::socket())), 'the control: a client of its own');
    }

    /** A client that was interrupted between a command and its reply is in this state. */
    public function testClientWithAnUnreadReplyIsNotUsed(): void
    {
        $socket = Servers::directory('redis-held-' . bin2hex(random_bytes(4))) . '/s';
        $listener = stream_socket_server('unix://' . $socket);
        self::assertIsResource($listener);
        $server = Fork::start(static function () use ($listener): string {
            $received = '';
            for ($connections = 0; $connections < 2; ++$connections) {
                $stream = stream_socket_accept($listener, 30);
                $isFirst = $connections === 0;
                while (\is_resource($stream) && ($command = (string) fread($stream, 8192)) !== '') {
                    $received .= $command;
                    preg_match_all(
                        '/^\*\d+\r\n\$\d+\r\n(\w+)\r\n\$\d+\r\n(.*)\r$/m',
                        $command,
                        $commands,
                        \PREG_SET_ORDER,
                    );
                    foreach ($commands as [, $name, $argument]) {
                        fwrite($stream, match ($name) {
                            'GET' => $isFirst ? "+own\r\n+left\r\n" : "$-1\r\n",
                            'UNLINK' => ":0\r\n",
                            'PING' => \sprintf("$%d\r\n%s\r\n", \strlen($argument), $argument),
                            default => "+OK\r\n",
                        });
                    }
                }
            }

            return $received;
        });
        $client = static::client($socket);
        $log = new RecordingLogger();
        $raw = static::readRaw($client);
        self::assertSame('own', $raw, 'and a reply is left');
        self::assertSame('miss', Cache::over($client, 'on_failure=miss', $log)->get('k', 'miss'));
        self::assertStringContainsString('must close its client and connect it again', implode("\n", $log->entries()));
        static::reconnect($client, $socket);
        self::assertTrue(Cache::over($client)->can(Capability::Atomic));
        Cache::over($client, logger: $log)->reach();
        static::close($client);
        self::assertStringNotContainsString(
            'larder-cache:larder:k',
            serialize($server->result()),
            'the key was not asked for',
        );
    }

    public function testOptionsOfTheConnectionAreRefused(): void
    {
        foreach (['timeout=1', 'persistent=1', 'database=3', 'client=predis', 'nonsense=1'] as $options) {
            self::assertThrows(InvalidDsn::class, static fn() => Cache::over(static::client(self::socket()), $options));
        }
    }

    /** The server has no limit for values: otherwise it would close the client's connection. */
    protected static function socket(): string
    {
        self::$server ??= RedisServer::start(Servers::directory('redis-held'));

        return self::$server->socket;
    }

    private static function another(string ...$options): RedisServer
    {
        return RedisServer::start(Servers::directory('redis-held-' . bin2hex(random_bytes(4))), array_values($options));
    }

    /** A closure with the client's class as its return type. */
    private static function typed(\Closure $closure): \Closure
    {
        $typed = eval(\sprintf(
            'return static fn(): %s => $closure();',
            (new \ReflectionFunction(static::lazy('')))->getReturnType(),
        ));

        return $typed instanceof \Closure ? $typed : self::fail('no closure');
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
