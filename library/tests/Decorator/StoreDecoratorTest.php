<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\ListableStore;
use Larder\Contract\Store;
use Larder\Exception\NotSupported;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use Larder\Session\Handler;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** No value bypasses an application's decorator that changes values and only has the methods of Store. */
final class StoreDecoratorTest extends TestCase
{
    use AssertsThrows;

    private const SECRET = 'plaintext';

    private Store $store;
    private Cache $cache;

    /** @var list<string> values computed by remember() */
    private array $made = [];

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    /** @return iterable<string, array{\Closure(): string}> */
    public static function dsns(): iterable
    {
        yield 'array' => [static fn(): string => 'array:'];
        yield 'larder' => [static fn(): string => 'larder:'];
        yield 'larder with a namespace' => [static fn(): string => 'larder:?namespace=encrypted'];
        yield 'redis, which makes tokens itself' => [
            static fn(): string => 'redis://' . Servers::redis()->socket . '?namespace=encrypted',
        ];
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('dsns')]
    public function testGetAndSet(\Closure $dsn): void
    {
        $this->open($dsn());
        self::assertTrue($this->cache->set('k', self::SECRET));
        self::assertTrue($this->cache->set('tagged', self::SECRET, 60, ['tag']));
        self::assertTrue($this->cache->setMany(['a' => self::SECRET, 'b' => [self::SECRET]], 60, ['tag']));
        self::assertSame(self::SECRET, $this->cache->get('k'));
        self::assertSame(
            ['a' => self::SECRET, 'b' => [self::SECRET], 'c' => null, 'tagged' => self::SECRET],
            $this->cache->getMany(['a', 'b', 'c', 'tagged']),
        );
        self::assertSame(self::SECRET, ($this->cache->getManyWithTags(['a'])['a'] ?? null)?->value);
        $this->assertEncrypted(4);
        self::assertTrue($this->cache->invalidateTags(['tag']));
        self::assertSame([self::SECRET, null, null], array_values($this->cache->getMany(['k', 'a', 'tagged'])));
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('dsns')]
    public function testRemember(\Closure $dsn): void
    {
        $this->open($dsn());
        for ($turn = 0; $turn < 2; ++$turn) {
            self::assertSame(self::SECRET, $this->cache->remember('k', 60, $this->make(...)));
            self::assertSame(self::SECRET, $this->cache->remember('tagged', 60, $this->make(...), tags: ['tag']));
            self::assertSame(self::SECRET, $this->cache->remember('stale', 60, $this->make(...), stale: 60));
            self::assertSame(
                ['many' => self::SECRET],
                $this->cache->rememberMany(['many'], 60, static fn(): array => ['many' => self::SECRET], ['tag']),
            );
            $this->assertEncrypted(4);
        }
        self::assertCount(3, $this->made);
        $this->cache->invalidateTags(['tag']);
        self::assertSame(self::SECRET, $this->cache->remember('tagged', 60, $this->make(...), tags: ['tag']));
        self::assertSame(self::SECRET, $this->cache->remember('k', 60, $this->make(...), beta: \INF));
        $this->assertEncrypted(4);
        self::assertCount(5, $this->made);
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('dsns')]
    public function testWhatTheStoreWouldDoItselfIsRefused(\Closure $dsn): void
    {
        $this->open($dsn());
        $this->cache->set('k', self::SECRET);
        self::assertSame(self::SECRET, $this->cache->getWithToken('k', null, $token));
        self::assertIsString($token);
        foreach ([
            fn(): mixed => $this->cache->add('new', self::SECRET),
            fn(): mixed => $this->cache->replace('k', self::SECRET),
            fn(): mixed => $this->cache->setIfUnchanged('k', $token, self::SECRET),
            fn(): mixed => $this->cache->pull('k'),
            fn(): mixed => $this->cache->increment('n'),
            fn(): mixed => $this->cache->swap('n', 1, 2),
            fn(): mixed => $this->cache->touch('k', 60),
            fn(): mixed => $this->cache->expiry('k'),
            fn(): mixed => new Handler($this->cache, allowEviction: true),
        ] as $call) {
            self::assertThrows(NotSupported::class, $call, EncryptingStore::class . ' cannot ');
        }
        self::assertFalse($this->cache->can(Capability::Atomic));
        self::assertFalse($this->cache->can(Capability::Expiry));
        self::assertSame(self::SECRET, $this->cache->get('k'));
        $this->assertEncrypted(1);
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('dsns')]
    public function testPsrCaches(\Closure $dsn): void
    {
        $this->open($dsn());
        $simple = new SimpleCache($this->cache);
        self::assertTrue($simple->set('k', self::SECRET, 60));
        self::assertTrue($simple->setMultiple(['a' => self::SECRET]));
        self::assertSame(['k' => self::SECRET, 'a' => self::SECRET], [...$simple->getMultiple(['k', 'a'])]);
        $pool = new ItemPool($this->cache);
        self::assertTrue($pool->save($pool->getItem('item')->set(self::SECRET)->expiresAfter(60)));
        self::assertTrue($pool->saveDeferred($pool->getItem('deferred')->set(self::SECRET)));
        self::assertTrue($pool->commit());
        self::assertSame(
            [self::SECRET, self::SECRET],
            [$pool->getItem('item')->get(), $pool->getItem('deferred')->get()],
        );
        $this->assertEncrypted(4);
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('dsns')]
    public function testWhatCarriesNoValueIsForwarded(\Closure $dsn): void
    {
        $this->open($dsn());
        $lock = $this->cache->lock('job', 30);
        self::assertNotNull($lock);
        self::assertSame($lock->token, $this->cache->lockHolder('job'));
        self::assertTrue($lock->release());
        $this->cache->set('k', self::SECRET);
        self::assertSame(['k'], iterator_to_array($this->cache->keys(), false));
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('dsns')]
    public function testDecoratorMayHaveTheRestItself(\Closure $dsn): void
    {
        $this->open($dsn(), isAtomic: true);
        self::assertTrue($this->cache->add('k', self::SECRET, 60));
        self::assertFalse($this->cache->add('k', 'another'));
        self::assertGreaterThan(microtime(true), $this->cache->expiry('k'));
        self::assertTrue($this->cache->replace('k', [self::SECRET]));
        self::assertSame([self::SECRET], $this->cache->getWithToken('k', null, $token));
        self::assertTrue($this->cache->setIfUnchanged('k', (string) $token, self::SECRET, 60, ['tag']));
        self::assertFalse($this->cache->setIfUnchanged('k', (string) $token, 'another'));
        for ($turn = 0; $turn < 2; ++$turn) {
            self::assertSame(
                self::SECRET,
                $this->cache->remember('made', 60, $this->make(...), stale: 60, tags: ['tag']),
            );
        }
        self::assertSame([6, 8], [$this->cache->increment('n', first: 5), $this->cache->increment('n', 2)]);
        $this->assertEncrypted(3);
        self::assertSame([self::SECRET, 'none'], [$this->cache->pull('k'), $this->cache->pull('k', 'none')]);
        $this->assertEncrypted(3);
    }

    private function make(): mixed
    {
        return $this->made[] = self::SECRET;
    }

    private function open(string $dsn, bool $isAtomic = false): void
    {
        $this->store = Cache::open($dsn)->store();
        $this->cache = new Cache(
            $isAtomic ? new AtomicEncryptingStore($this->store) : new EncryptingStore($this->store),
        );
        $this->cache->clear();
    }

    /** @param int $atLeast number of values in the store */
    private function assertEncrypted(int $atLeast): void
    {
        $keys = iterator_to_array(Capability::of($this->store, ListableStore::class)->keys(), false);
        self::assertGreaterThanOrEqual($atLeast, \count($keys));
        foreach ($this->store->getMany($keys) as $key => $stored) {
            self::assertStringNotContainsString(self::SECRET, serialize($stored), "under $key");
        }
    }
}
