<?php

declare(strict_types=1);

namespace Larder\Tests\Session;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Contract\LockingStore;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;
use Larder\Exception\SessionFailed;
use Larder\Exception\StoreFailed;
use Larder\Session\Handler;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** PHP's calls one after the other, over real stores. Two handlers simulate two requests. */
final class HandlerTest extends TestCase
{
    private const ID = '0123456789abcdef0123456789abcdef';

    /** @return iterable<string, array{string}> */
    public static function stores(): iterable
    {
        yield 'array' => ['array:'];
        yield 'file' => ['file://' . Servers::directory('sessions') . '?namespace=%s'];
        yield 'php-file' => ['php-file://' . Servers::directory('sessions') . '?namespace=%s'];
        yield 'sqlite' => ['sqlite://' . Servers::directory('sessions') . '/sessions.sqlite?namespace=%s'];
        yield 'larder' => ['larder:?namespace=%s'];
        yield 'apcu' => ['apcu:?namespace=%s'];
        yield 'shmop' => ['shmop:?namespace=%s'];
        yield 'redis' => ['redis'];
        yield 'memcached' => ['memcached'];
    }

    #[DataProvider('stores')]
    public function testNewSessionIsEmpty(string $store): void
    {
        $handler = new Handler(self::cache($store), allowEviction: true);

        self::assertFalse($handler->validateId(self::ID));
        self::assertSame('', $handler->read(self::ID));
    }

    #[DataProvider('stores')]
    public function testNextRequestReadsWhatWasWritten(string $store): void
    {
        $cache = self::cache($store);
        foreach (['', 'a|i:1;', 'b|i:2;', ''] as $data) {
            self::write($cache, $data);
            $next = new Handler($cache, allowEviction: true);
            self::assertTrue($next->validateId(self::ID));
            self::assertSame($data, $next->read(self::ID));
            $next->close();
        }
    }

    #[DataProvider('stores')]
    public function testSessionIsLockedFromReadToClose(string $store): void
    {
        $cache = self::cache($store);
        $first = new Handler($cache, allowEviction: true);
        $second = new Handler($cache, wait: 0.05, allowEviction: true);
        $first->read(self::ID);
        self::assertMatchesRegularExpression(
            '/another request holds it/',
            self::failure(static fn(): string => $second->read(self::ID)),
        );
        $first->write(self::ID, 'a|i:1;');
        self::assertMatchesRegularExpression(
            '/within 0\.05 s/',
            self::failure(static fn(): string => $second->read(self::ID)),
        );
        $first->close();
        self::assertSame('a|i:1;', $second->read(self::ID));
    }

    #[DataProvider('stores')]
    public function testRequestThatLostItsLockDoesNotWrite(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $stopped = new Handler($cache, allowEviction: true);
        $stopped->read(self::ID);
        self::endLock($cache);
        self::write($cache, 'n|i:2;');

        self::assertMatchesRegularExpression(
            '/its lock had ended/',
            self::failure(static fn(): bool => $stopped->write(self::ID, 'n|i:3;')),
        );
        self::assertSame('n|i:2;', (new Handler($cache, allowEviction: true))->read(self::ID));
    }

    /** Simulates a lock that ends between the two steps of a write. */
    #[DataProvider('stores')]
    public function testOnlyTheVersionThatWasReadIsReplaced(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $late = new Handler($cache, allowEviction: true);
        self::assertSame('n|i:1;', $late->read(self::ID));
        $cache->set('session:' . hash('sha256', self::ID), ['another', 'n|i:2;']);

        self::assertMatchesRegularExpression(
            '/changed without its lock/',
            self::failure(static fn(): bool => $late->write(self::ID, 'n|i:3;')),
        );
        self::assertSame('n|i:2;', (new Handler($cache, allowEviction: true))->read(self::ID));
    }

    #[DataProvider('stores')]
    public function testUnchangedSessionOnlyExpiresLater(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $key = 'session:' . hash('sha256', self::ID);
        $before = $cache->get($key);
        $handler = new Handler($cache, allowEviction: true);
        $lifetime = ini_set('session.gc_maxlifetime', '100000');

        try {
            self::assertTrue($handler->updateTimestamp(self::ID, $handler->read(self::ID)));
        } finally {
            ini_set('session.gc_maxlifetime', (string) $lifetime);
        }
        self::assertSame($before, $cache->get($key));
        self::assertEqualsWithDelta(microtime(true) + 100_000, $cache->expiry($key), 60.0);
    }

    /** Control of the test before it: a write replaces what is stored. */
    public function testControlWriteChangesTheVersion(): void
    {
        $cache = self::cache('array:');
        self::write($cache, 'n|i:1;');
        $before = $cache->get('session:' . hash('sha256', self::ID));
        self::write($cache, 'n|i:1;');

        self::assertNotSame($before, $cache->get('session:' . hash('sha256', self::ID)));
    }

    #[DataProvider('stores')]
    public function testSessionThatExpiredDuringItsRequestIsWritten(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $handler = new Handler($cache, allowEviction: true);
        $data = $handler->read(self::ID);
        $cache->delete('session:' . hash('sha256', self::ID));
        self::assertTrue($handler->updateTimestamp(self::ID, $data));
        $handler->close();
        self::assertSame('n|i:1;', (new Handler($cache, allowEviction: true))->read(self::ID));
    }

    #[DataProvider('stores')]
    public function testDestroyedSessionIsGone(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $handler = new Handler($cache, allowEviction: true);
        $handler->read(self::ID);
        self::assertTrue($handler->destroy(self::ID));
        $handler->close();
        self::assertFalse($handler->validateId(self::ID));
    }

    #[DataProvider('stores')]
    public function testNobodyDestroysASessionThatAnotherRequestHasOpen(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $first = new Handler($cache, allowEviction: true);
        $second = new Handler($cache, wait: 0.05, allowEviction: true);
        $first->read(self::ID);
        self::assertMatchesRegularExpression(
            '/another request holds it/',
            self::failure(static fn(): bool => $second->destroy(self::ID)),
        );
        $first->write(self::ID, 'n|i:2;');
        $first->close();
        self::assertTrue($second->destroy(self::ID));
        $second->close();
        self::assertFalse($first->validateId(self::ID));
    }

    /** session_create_id() does this, and an application that logs out another visitor. */
    #[DataProvider('stores')]
    public function testOpenSessionStaysLockedWhenAnotherIdIsAskedForOrDestroyed(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $first = new Handler($cache, allowEviction: true);
        $second = new Handler($cache, wait: 0.05, allowEviction: true);
        $second->read('another');
        $second->write('another', 'n|i:3;');
        $second->close();
        $first->read(self::ID);

        self::assertFalse($first->validateId('none'));
        self::assertTrue($first->validateId('another'));
        self::assertMatchesRegularExpression(
            '/another request holds it/',
            self::failure(static fn(): string => $second->read(self::ID)),
        );
        self::assertTrue($first->destroy('another'));
        self::assertFalse($first->validateId('another'));
        self::assertMatchesRegularExpression(
            '/another request holds it/',
            self::failure(static fn(): string => $second->read(self::ID)),
        );
        self::assertSame('', $second->read('another'), 'the other one is not locked any more');
        $second->close();
        $first->close();
        self::assertSame('n|i:1;', $second->read(self::ID));
        $second->close();
    }

    #[DataProvider('stores')]
    public function testForkedChildLeavesTheSessionOfItsParentAlone(string $store): void
    {
        $cache = self::cache($store);
        self::write($cache, 'n|i:1;');
        $handler = new Handler($cache, wait: 0.05, allowEviction: true);
        $handler->read(self::ID);
        $child = Fork::start(static fn(): array => [
            $handler->write(self::ID, 'n|i:7;'),
            $handler->updateTimestamp(self::ID, 'n|i:7;'),
            $handler->destroy(self::ID),
            $handler->close(),
            $store === 'array' ? null : self::failure(static fn(): string => $handler->read(self::ID)),
        ])->result();
        self::assertIsArray($child);
        self::assertSame([true, true, false, true], \array_slice($child, 0, 4));
        if (\is_string($child[4])) {
            self::assertStringContainsString('another request holds it', $child[4]);
        }
        self::assertTrue($handler->write(self::ID, 'n|i:2;'));
        $handler->close();
        self::assertSame('n|i:2;', $handler->read(self::ID));
    }

    #[TestWith([''])]
    #[TestWith(['../passwd'])]
    #[TestWith(["a\0b"])]
    #[TestWith(["abc\n"])]
    #[TestWith(['<script>'])]
    public function testInvalidIdIsRefused(string $id): void
    {
        $handler = new Handler(self::cache('array:'));

        self::assertFalse($handler->validateId($id));
        self::assertStringContainsString('A session id has', self::failure(static fn(): string => $handler->read($id)));
    }

    public function testIdsAreNewAndValid(): void
    {
        $handler = new Handler(self::cache('array:'));
        $ids = array_map(static fn(): string => $handler->create_sid(), range(1, 1000));

        self::assertSame($ids, array_unique($ids));
        self::assertSame([], preg_grep('/^[A-Za-z0-9,-]{22,256}$/D', $ids, \PREG_GREP_INVERT));
    }

    public function testNeitherKeysNorErrorsNameASession(): void
    {
        $cache = self::cache('array:');
        self::write($cache, 'n|i:1;');
        $handler = new Handler($cache);
        $handler->read(self::ID);
        $error = self::failure(static fn(): string => (new Handler($cache, wait: 0))->read(self::ID), true);

        self::assertStringNotContainsString(
            substr(self::ID, 0, 8),
            implode(' ', iterator_to_array($cache->keys())) . $error,
        );
    }

    /** @return iterable<string, array{string}> */
    public static function evicting(): iterable
    {
        yield 'engine' => ['larder:'];
        yield 'engine with a namespace' => ['larder:?namespace=sessions'];
        yield 'APCu' => ['apcu:'];
        yield 'shmop' => ['shmop:'];
        yield 'Memcached' => ['memcached://127.0.0.1:11211'];
        yield 'SQLite' => ['sqlite://' . Servers::directory('sessions') . '/sessions.sqlite'];
        yield 'limited files' => ['file://' . Servers::directory('sessions') . '?max_size=2000000'];
        yield 'limited opcached files' => ['php-file://' . Servers::directory('sessions') . '?max_size=2000000'];
    }

    #[DataProvider('evicting')]
    public function testStoreThatEvictsIsRefusedUnlessAllowed(string $dsn): void
    {
        $cache = Cache::open($dsn);
        new Handler($cache, allowEviction: true);

        $this->expectException(NotSupported::class);
        $this->expectExceptionMessage('drops values when it is full');
        new Handler($cache);
    }

    #[TestWith(['none:', 'cannot change a value in one step'])]
    #[TestWith(['yac:', 'cannot change a value in one step'])]
    public function testStoreWithoutLocksIsRefused(string $dsn, string $message): void
    {
        if (str_starts_with($dsn, 'yac') && !\extension_loaded('yac')) {
            self::markTestSkipped('needs the extension yac');
        }
        $this->expectException(NotSupported::class);
        $this->expectExceptionMessage($message);
        new Handler(Cache::open($dsn));
    }

    /** @return iterable<string, array{\Closure(): Cache}> */
    public static function staleReads(): iterable
    {
        yield 'a tier' => [static fn(): Cache => Cache::open(
            'tier:(array:)(sqlite://' . Servers::directory('sessions') . '/tier.sqlite)',
        )];
        yield 'a tier over a client' => [
            static fn(): Cache => Cache::over(new \PDO('sqlite::memory:'), local: 'array:'),
        ];
        yield 'a tier over a client that is made later' => [
            static fn(): Cache => Cache::over(static fn(): \Redis => new \Redis(), local: 'array:'),
        ];
        yield 'replicas of a master' => [
            static fn(): Cache => Cache::open('redis+sentinel://127.0.0.1/shop?read=replica'),
        ];
        yield 'replicas of a cluster, sampled' => [
            static fn(): Cache => Cache::open('redis+cluster://127.0.0.1?read=replica&sample=10'),
        ];
    }

    /** @param \Closure(): Cache $open */
    #[DataProvider('staleReads')]
    public function testStoreWithStaleReadsIsRefused(\Closure $open): void
    {
        $cache = $open();
        $this->expectException(NotSupported::class);
        $this->expectExceptionMessage('returns old values for a while');
        new Handler($cache);
    }

    public function testMastersAreAccepted(): void
    {
        $this->expectNotToPerformAssertions();
        new Handler(Cache::open('redis+sentinel://127.0.0.1/shop?read=master'));
    }

    #[TestWith([-1, 30])]
    #[TestWith([\NAN, 30])]
    #[TestWith([10, 0])]
    #[TestWith([10, \INF])]
    public function testTimesAreChecked(int|float $wait, int|float $lockSeconds): void
    {
        $this->expectException(InvalidTtl::class);
        new Handler(self::cache('array:'), $wait, $lockSeconds);
    }

    /** Otherwise PHP would replace the visitor's cookie by that of an empty session. */
    #[TestWith([''])]
    #[TestWith(['&on_failure=throw'])]
    public function testUnreachableServerIsNotAnEmptySession(string $option): void
    {
        $server = Servers::another('redis');
        $cache = Cache::open('redis://' . $server->socket . '?timeout=5' . $option);
        self::write($cache, 'n|i:1;');
        $server->stop();
        $handler = new Handler($cache, wait: 0.05);

        self::assertTrue($handler->validateId(self::ID));
        self::assertNotSame('', self::failure(static fn(): string => $handler->read(self::ID)));
    }

    /** Without a check of the lock, it would be taken for an empty session. */
    public function testSessionThatCannotBeReadIsNotEmpty(): void
    {
        $server = RedisServer::start(Servers::directory('unreadable-sessions'));
        $cache = Cache::open('redis://' . $server->socket . '?timeout=30');
        self::write($cache, 'n|i:1;');
        $redis = new \Redis();
        $redis->connect($server->socket);
        $redis->rawcommand('ACL', 'SETUSER', 'default', '-get');
        $handler = new Handler($cache, wait: 0.05);
        self::assertStringContainsString(
            'could not be locked or read',
            self::failure(static fn(): string => $handler->read(self::ID)),
        );
        $server->stop();
    }

    public function testFullServerRefusesAndLosesNoSession(): void
    {
        $server = RedisServer::start(Servers::directory('full-sessions'), ['--maxmemory', '4mb']);
        $cache = Cache::open('redis://' . $server->socket . '?namespace=sessions&timeout=30');
        self::write($cache, 'n|i:1;');
        $others = Cache::open('redis://' . $server->socket . '?namespace=others&timeout=30');
        for ($number = 0; $others->set("k$number", str_repeat('x', 10_000)); ++$number);
        $handler = new Handler($cache, wait: 0.05);
        self::assertStringContainsString('full or unreachable', self::failure(static function () use ($handler): void {
            $handler->write(self::ID, $handler->read(self::ID) . str_repeat('y', 100_000));
        }));
        $handler->close();
        $others->clear();
        self::assertSame('n|i:1;', $handler->read(self::ID));
        $server->stop();
    }

    private static function cache(string $store): Cache
    {
        $namespace = 's' . bin2hex(random_bytes(6));

        return Cache::open(match ($store) {
            'redis' => \sprintf('redis://%s?namespace=%s%s', Servers::redis()->socket, $namespace, Servers::PATIENTLY),
            'memcached' => \sprintf(
                'memcached://%s?namespace=%s%s',
                Servers::memcached()->socket,
                $namespace,
                Servers::PATIENTLY,
            ),
            default => \sprintf($store, $namespace),
        });
    }

    private static function write(Cache $cache, string $data): void
    {
        $handler = new Handler($cache, allowEviction: true);
        $handler->read(self::ID);
        self::assertTrue($handler->write(self::ID, $data));
        self::assertTrue($handler->close());
        self::assertSame(0, $handler->gc(1));
    }

    private static function endLock(Cache $cache): void
    {
        $store = $cache->store();
        self::assertInstanceOf(LockingStore::class, $store);
        $key = 'session:' . hash('sha256', self::ID);
        $token = $store->holder($key);
        self::assertIsString($token);
        self::assertTrue($store->release($key, $token));
    }

    /** @param \Closure(): mixed $call */
    private static function failure(\Closure $call, bool $isWhole = false): string
    {
        try {
            $call();
        } catch (SessionFailed|StoreFailed $failure) {
            return $isWhole ? (string) $failure . print_r($failure->getTrace(), true) : $failure->getMessage();
        }
        self::fail('nothing was thrown');
    }
}
