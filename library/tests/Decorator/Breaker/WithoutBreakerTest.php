<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Dsn\Endpoint;
use Larder\Exception\CacheException;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Decorator\Breaker\Breaker;
use Larder\Internal\Decorator\Breaker\BreakerStore;
use Larder\Internal\Driver\Redis\Phpredis;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Server\ConnectionSettings;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use Larder\Testing\Timing;
use Larder\Tests\PhpProcess;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Tests outages with the breaker and with discarded connections; the controls have neither. */
#[Group('waiting')]
final class WithoutBreakerTest extends TestCase
{
    use AssertsThrows;
    use Timing;

    private const TIMEOUT = 0.1;
    private const CALLS = 20;
    /** Seconds after which a proxy closes a connection on which it forwards answers slowly. */
    private const HANG_UP = 20.0;

    public function testEachCallWaitsItsTimeoutWithoutBreaker(): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $proxy->does('silent');
        $waited = ['with' => 0, 'without' => 0];
        foreach (['with' => 2, 'without' => \PHP_INT_MAX] as $breaker => $threshold) {
            $store = new BreakerStore(
                new RedisStore(
                    new Phpredis(new ConnectionSettings(Endpoint::unix($proxy->socket), self::TIMEOUT, self::TIMEOUT)),
                ),
                new Breaker('redis', $proxy->socket, threshold: $threshold),
            );
            for ($call = 0; $call < self::CALLS; ++$call) {
                $start = microtime(true);
                self::assertNull($store->get('k'));
                $waited[$breaker] += (int) (microtime(true) - $start > 0.9 * self::TIMEOUT);
            }
        }
        self::assertSame(self::CALLS, $waited['without']);
        // Two waits, and perhaps a probe if the machine stands still.
        self::assertLessThan(self::CALLS / 2, $waited['with']);
        $proxy->stop();
    }

    public function testLateReplyAnswersAnotherKeyOnAKeptConnection(): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $raw = new \Redis();
        $raw->connect(Servers::redis()->socket);
        $raw->mset(['late:a' => 'value of a', 'late:b' => 'value of b']);
        $kept = stream_socket_client('unix://' . $proxy->socket);
        self::assertNotFalse($kept);
        $ask = static function (string $key, float $timeout = 60.0) use ($kept): ?string {
            stream_set_timeout($kept, (int) $timeout, (int) (1e6 * fmod($timeout, 1.0)));
            fwrite($kept, "GET late:$key\r\n");

            return fgets($kept) === false ? null : rtrim((string) fgets($kept));
        };
        self::assertSame('value of a', $ask('a'));
        $proxy->does('hold');
        self::assertNull($ask('a', self::TIMEOUT));
        $proxy->does('pass');
        self::assertSame('value of a', $ask('b'), 'what TroubleTest looks for');
        $proxy->stop();
    }

    /**
     * A limit of phpredis before version 6: it waits for the rest of an answer as long as the connection is open.
     * Predis does not (TroubleTest).
     */
    public function testPhpredisWaitsForTheRestOfAReply(): void
    {
        $waits = version_compare((string) phpversion('redis'), '6', '<');
        $proxy = Proxy::before(Servers::redis()->socket);
        $cache = Cache::open(\sprintf('redis://%s?timeout=1.5&namespace=half', $proxy->socket));
        self::assertTrue(Servers::await(static fn(): bool => $cache->set('k', str_repeat('x', 1000))));
        $done = Servers::directory('half') . '/done' . bin2hex(random_bytes(4));
        $reader = Fork::start(static function () use ($cache, $proxy, $done): void {
            $cache->has('k'); // opens the connection
            $proxy->does('half 100');
            touch("$done.asks");
            $cache->get('k');
            touch($done);
        });
        Servers::awaitFile("$done.asks");
        if ($waits) {
            usleep(3_000_000);
            self::assertFileDoesNotExist($done);
        } else {
            Servers::awaitFile($done);
            self::assertFileExists($done);
        }
        $proxy->does('refuse');
        $reader->result();
        self::assertFileExists($done);
        $proxy->stop();
    }

    /** The server closes the connection in the middle of a value, and accepts a new one at once. */
    #[DataProvider('redisClients')]
    public function testTruncatedReplyDoesNotBlock(string $client): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $address = \sprintf('redis://%s?timeout=%s&namespace=cut&client=%s', $proxy->socket, self::TIMEOUT, $client);
        self::assertTrue(Cache::open(
            \sprintf('redis://%s?namespace=cut', Servers::redis()->socket) . Servers::PATIENTLY,
        )->set('k', str_repeat('x', 1000)));
        $proxy->does('drop 8'); // "+OK", and three bytes of the value's length
        $reader = PhpProcess::start(\sprintf(
            'var_dump(Larder\Cache::open(%s, new Psr\Log\NullLogger())->get("k"));',
            var_export($address, true),
        ));
        Servers::await(static fn(): bool => !$reader->isRunning());
        $reader->stop(0.0);
        self::assertSame("NULL\n", $reader->getOutput());
        $proxy->stop();
    }

    /** A server with a timeout in redis.conf does this. */
    #[DataProvider('redisClients')]
    public function testIdleClosedConnectionIsReopened(string $client): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $cache = Cache::open(
            \sprintf('redis://%s?on_failure=throw&namespace=idle&client=%s', $proxy->socket, $client)
                . Servers::PATIENTLY,
        );
        self::assertTrue($cache->set('k', 'value'));
        $proxy->does('refuse');
        $proxy->does('pass');
        usleep(1_100_000);
        self::assertSame('value', $cache->get('k'));
        $proxy->stop();
    }

    /** @return iterable<string, array{string}> */
    public static function redisClients(): iterable
    {
        yield 'phpredis' => ['phpredis'];
        yield 'Predis' => ['predis'];
    }

    /** Each byte arrives in time, but not the whole answer. The connection is then closed, and the failure counts. */
    #[DataProvider('redisClients')]
    public function testReplyThatTricklesInIsAFailure(string $client): void
    {
        // Repeated if the proxy stalled for a timeout, because the client then returns and the test shows nothing.
        // phpredis before version 6 then waits for missing bytes until the proxy closes the connection.
        $tries = 0;
        $hangUp = null;
        do {
            $hangUp?->kill();
            $proxy = Proxy::before(Servers::redis()->socket);
            $log = new RecordingLogger();
            $cache = Cache::open(
                \sprintf('redis://%s?timeout=0.3&namespace=dribble&client=%s', $proxy->socket, $client),
                $log,
            );
            $cache->set('k', str_repeat('x', 80));
            $proxy->does('dribble 0.025');
            $hangUp = Fork::start(static function () use ($proxy): void {
                usleep((int) (1e6 * self::HANG_UP));
                $proxy->does('refuse');
            });
            $start = microtime(true);
            self::assertNull($cache->get('k'));
            $waited = microtime(true) - $start;
        } while (($waited < 1.5 || $waited > self::HANG_UP) && ++$tries < 10);
        self::assertGreaterThan(1.5, $waited, 'the control: the client waits for all of it');
        for ($call = 0; $call < 50 && $log->entries() === []; ++$call) {
            self::assertNull($cache->get('k'));
        }
        $hangUp->kill();
        self::assertMatchesRegularExpression('~^warning: redis at \S+ is away: ~', implode("\n", $log->entries()));
        $proxy->stop();
    }

    public function testOtherProcessKnowsTheOutageAndDoesNotLogItAgain(): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $address = \sprintf('redis://%s?timeout=2&on_failure=miss', $proxy->socket);
        $proxy->does('silent');
        $log = new RecordingLogger();
        $cache = Cache::open($address, $log);
        $cache->get('k');
        $cache->get('k');
        self::assertCount(1, $log->entries());
        // Shorter than the timeout, unless the machine stands still.
        self::within(1.0, static function () use ($address): void {
            self::assertSame([], Fork::run(static function () use ($address): array {
                $log = new RecordingLogger();
                Cache::open($address, $log)->get('k');

                return $log->entries();
            }));
        });
        $proxy->stop();
    }

    public function testOneServersOutageLeavesTheOthersKeys(): void
    {
        $other = RedisServer::start(Servers::directory('away-other' . bin2hex(random_bytes(4))));
        $proxy = Proxy::before(Servers::redis()->socket);
        $cache = Cache::open(
            \sprintf(
                'redis://%s,%s?timeout=2&namespace=away%s',
                $proxy->socket,
                $other->socket,
                bin2hex(random_bytes(4)),
            ),
            $log = new RecordingLogger(),
        );
        $values = array_combine(array_map(static fn(int $n): string => 'key' . $n, range(1, 40)), range(1, 40));
        self::assertTrue($cache->setMany($values));
        $proxy->does('silent');
        foreach ([1, 2, 3] as $round) {
            $there = array_filter($cache->getMany(array_keys($values)), \is_int(...));
            self::assertGreaterThan(0, \count($there));
            self::assertLessThan(40, \count($there));
            self::assertSame(array_intersect_key($values, $there), $there);
        }
        self::assertCount(1, $log->entries());
        self::assertStringContainsString($proxy->socket, $log->entries()[0]);
        $other->stop();
        $proxy->stop();
    }

    public function testInvalidArgumentsAreRefusedDuringAnOutage(): void
    {
        $cache = Cache::open('redis:///nowhere/redis.sock?on_failure=miss');
        self::assertNull($cache->get('k'));
        self::assertNull($cache->get('k'));
        self::assertNull($cache->lock('k', 60));
        self::assertFalse($cache->increment('n'));
        self::assertSame([], [...$cache->keys()]);
        self::assertSame(['7' => 0, 'k' => 0], $cache->getMany(['7', 'k'], 0));
        $wrong = [
            static fn(): mixed => $cache->get(''),
            static fn(): bool => $cache->set('k', 1, -1),
            static fn(): mixed => $cache->increment(''),
        ];
        foreach ($wrong as $call) {
            self::assertStringStartsWith(
                'Larder\Exception\Invalid',
                self::assertThrows(\ValueError::class, $call)::class,
            );
        }
    }

    public function testOpenDoesNotContactTheServer(): void
    {
        foreach (['', 'throw', 'miss'] as $mode) {
            $socket = \sprintf('/nowhere/redis%s.sock', bin2hex(random_bytes(4)));
            $address = "redis://$socket" . ($mode === '' ? '' : '?on_failure=' . $mode);

            $log = new RecordingLogger();
            $cache = Cache::open($address, $log);

            try {
                $cache->get('k');
                $cache->get('k');
                self::assertNotSame('throw', $mode);
            } catch (CacheException $failure) {
                self::assertInstanceOf(StoreFailed::class, $failure);
                self::assertSame('throw', $mode);
                self::assertStringContainsString('apt-get install redis-server', $failure->getMessage());
            }

            $unavailable = self::assertThrows(
                StoreUnavailable::class,
                $cache->reach(...),
                'apt-get install redis-server',
            );
            self::assertStringContainsString($unavailable->what, (string) $cache->explain()[0]);
            $told = implode("\n", $log->entries());
            self::assertMatchesRegularExpression(
                '~^(warning: redis at /nowhere/redis\w+\.sock is away: '
                    . 'no connection to /nowhere/redis\w+\.sock \(.+)?$~D',
                $told,
            );
            self::assertCount($mode === 'throw' ? 0 : 1, $log->entries(), 'one failure is no outage');
        }
    }

    /** @return iterable<string, array{string}> */
    public static function addresses(): iterable
    {
        yield 'phpredis' => ['redis://%s?timeout=0.3'];
        yield 'Predis' => ['redis://%s?timeout=0.3&client=predis'];
        yield 'memcached' => ['memcached://%s?timeout=0.3'];
        yield 'memcache' => ['memcache://%s?timeout=1'];
        yield 'MySQL' => ['mysql://user:password@%s/database?timeout=1'];
    }

    /** The backlog is full and no program accepts, so a client sees a host that is disconnected. */
    #[DataProvider('addresses')]
    public function testConnectTimeoutIsKept(string $address): void
    {
        $context = stream_context_create(['socket' => ['backlog' => 1]]);
        $nobody = stream_socket_server(
            'tcp://127.0.0.1:0',
            $code,
            $message,
            \STREAM_SERVER_BIND | \STREAM_SERVER_LISTEN,
            $context,
        );
        self::assertNotFalse($nobody);
        $where = (string) stream_socket_get_name($nobody, false);
        $queue = [];
        do {
            $queue[] = $waiting = @stream_socket_client('tcp://' . $where, $code, $message, 0.2);
        } while ($waiting !== false);
        $start = microtime(true);

        self::assertThrows(
            StoreUnavailable::class,
            static fn() => Cache::open(\sprintf($address, $where))->reach(),
            $where,
        );
        self::assertGreaterThan(0.25, microtime(true) - $start);
        self::assertLessThan(30.0, microtime(true) - $start);
        self::assertGreaterThan(1, \count($queue));
    }

    /**
     * On a timeout, the clients take ":62" for the number 62; Predis also does if the server closes the connection
     * early.
     */
    #[TestWith(['phpredis', 'half 3'])]
    #[TestWith(['predis', 'half 3'])]
    #[TestWith(['predis', 'drop 3'])]
    public function testPartOfANumberIsNoNumber(string $client, string $trouble): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $cache = Cache::open(
            \sprintf('redis://%s?client=%s&timeout=0.3&namespace=part&on_failure=throw', $proxy->socket, $client),
        );
        self::assertTrue($cache->set('n', 6279));
        $proxy->does($trouble);
        self::assertThrows(StoreFailed::class, static fn(): int|false => $cache->increment('n'));
        $proxy->does('pass');
        $proxy->stop();
    }

    public function testMissingExtensionThrowsInEveryMode(): void
    {
        foreach (['redis://127.0.0.1', 'mysql://127.0.0.1/database'] as $address) {
            $said = PhpProcess::run(
                \sprintf(
                    'try { Larder\Cache::open("%s?on_failure=miss"); } catch (Larder\Exception\StoreUnavailable $e) { '
                        . 'echo $e->getMessage(); }',
                    $address,
                ),
                ['-n'],
            );
            self::assertMatchesRegularExpression('/^\w+: the PHP extension \w+ is not loaded. To add it: /', $said);
        }
    }

    public function testExceptionTellsTheNextProbe(): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $cache = Cache::open(\sprintf('redis://%s?timeout=0.1&on_failure=throw', $proxy->socket));
        self::assertTrue(Servers::await(static function () use ($cache): bool {
            try {
                $cache->reach();
            } catch (StoreUnavailable) { // it took too long
                return false;
            }

            return true;
        }));
        $proxy->does('silent');
        $message = static fn(): string
            => self::assertThrows(StoreFailed::class, static fn() => $cache->get('k'))->getMessage();
        self::assertStringStartsWith('redis: no proper answer from ' . $proxy->socket, $message());
        $message();
        // If the machine stands still, a call may be a probe.
        self::assertTrue(Servers::await(static fn(): bool => preg_match(
            '~^redis: .+ has been away for [\d.]+ seconds, and is asked again in [\d.]+$~',
            $message(),
        ) === 1));
        $proxy->stop();
    }

    /** Like the time limit of a job: the handler throws while Predis waits for an answer, which arrives later. */
    public function testExceptionDuringAReplyLeavesNoReplyBehind(): void
    {
        $proxy = Proxy::before(Servers::redis()->socket);
        $cache = Cache::open(
            \sprintf('redis://%s?client=predis&namespace=signal', $proxy->socket) . Servers::PATIENTLY,
        );
        $cache->setMany(['a' => 'value of a', 'b' => 'value of b']);
        pcntl_async_signals(true);
        pcntl_signal(\SIGALRM, static fn() => throw new \DomainException('the time is over'));

        try {
            $proxy->does('hold');
            pcntl_alarm(1);
            self::assertNull($cache->get('a'));
            self::fail('not interrupted');
        } catch (\DomainException) {
            $proxy->does('pass'); // and then the answer arrives
            self::assertSame('value of b', $cache->get('b'));
        } finally {
            pcntl_signal(\SIGALRM, \SIG_DFL);
            pcntl_async_signals(false);
            $proxy->stop();
        }
    }
}
