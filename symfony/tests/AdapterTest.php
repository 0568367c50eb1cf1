<?php

declare(strict_types=1);

namespace Larder\Symfony\Tests;

use Larder\Cache;
use Larder\Driver\Memory\ArrayStore;
use Larder\Exception\InvalidDsn;
use Larder\Symfony\Adapter;
use Larder\Symfony\Provider;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use Larder\Tests\Driver\Engine\NamespacedEngineTest;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\Redis\RedisTest;
use Larder\Tests\Driver\TestedStore;
use Larder\Tests\Psr\SerializedOnce;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Cache\CacheItemInterface;
use Psr\Cache\InvalidArgumentException;
use Symfony\Component\Cache\Adapter\ArrayAdapter;
use Symfony\Component\Cache\Adapter\ChainAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\Marshaller\DefaultMarshaller;
use Symfony\Component\Cache\Marshaller\DeflateMarshaller;
use Symfony\Component\Cache\Marshaller\MarshallerInterface;
use Symfony\Contracts\Cache\CallbackInterface;
use Symfony\Contracts\Cache\ItemInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/** What Symfony requires of a pool, over some stores; lab/cache-tests runs Symfony's own tests over all. */
final class AdapterTest extends TestCase
{
    use AssertsThrows;

    private Cache $cache;
    private Adapter $symfony;
    private int $computed = 0;

    protected function setUp(): void
    {
        $this->use(new TestedStore(ArrayTest::class));
    }

    /** @return iterable<string, array{TestedStore}> */
    public static function stores(): iterable
    {
        foreach ([ArrayTest::class, NamespacedEngineTest::class, FileTest::class, RedisTest::class] as $test) {
            yield (new TestedStore($test))->name => [new TestedStore($test)];
        }
    }

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    #[DataProvider('stores')]
    public function testValueIsComputedOnceUntilDeleted(TestedStore $store): void
    {
        $this->use($store);
        self::assertSame(1, $this->get());
        self::assertSame(1, $this->get());
        self::assertTrue($this->symfony->delete('key'));
        self::assertSame(2, $this->get());
        self::assertSame(2, $this->cache->get('key'));
    }

    #[DataProvider('stores')]
    public function testTagsInvalidateValues(TestedStore $store): void
    {
        $this->use($store);
        self::assertSame(1, $this->get(static fn(ItemInterface $item): mixed => $item->tag('a')->tag(['b', 'c'])));
        self::assertTrue($this->symfony->invalidateTags(['other']));
        self::assertSame(1, $this->get());
        self::assertTrue($this->symfony->invalidateTags(['c']));
        self::assertSame(2, $this->get());
    }

    public function testExpiredItemIsNotStored(): void
    {
        $this->get();
        self::assertSame(2, $this->get(static fn(ItemInterface $item): mixed => $item->expiresAfter(0), \INF));
        self::assertNull($this->cache->get('key'), 'the old value is gone too');
        self::assertSame(
            3,
            $this->get(static fn(ItemInterface $item): mixed => $item->expiresAt(new \DateTimeImmutable('-1 second'))),
        );
        self::assertSame(
            4,
            $this->get(static fn(ItemInterface $item): mixed => $item->expiresAfter(60)->expiresAfter(null)),
        );
        self::assertSame(4, $this->get());
    }

    public function testUnsavedItemIsNotStored(): void
    {
        $value = $this->symfony->get('key', function (ItemInterface $item, bool &$save): int {
            $save = false;

            return ++$this->computed;
        });
        self::assertSame($this->computed, $value);
        self::assertNull($this->cache->get('key'));
    }

    public function testInfiniteBetaRecomputes(): void
    {
        self::assertSame(1, $this->get());
        self::assertSame(2, $this->get(beta: \INF));
        self::assertSame(2, $this->get());
    }

    public function testItemReportsKeyAndMetadata(): void
    {
        $metadata = null;
        $this->symfony->get('key', static function (ItemInterface $item): int {
            self::assertSame('key', $item->getKey());
            self::assertFalse($item->isHit());
            self::assertSame('set', $item->set('set')->get());
            $item->expiresAfter(60)->tag('a');

            return 1;
        }, null, $metadata);
        self::assertEqualsWithDelta(time() + 60, $metadata[ItemInterface::METADATA_EXPIRY] ?? null, 5);
        self::assertSame(['a' => 'a'], $metadata[ItemInterface::METADATA_TAGS] ?? null);
        self::assertIsInt($metadata[ItemInterface::METADATA_CTIME] ?? null);
        self::assertSame(['a' => 'a'], $this->symfony->getItem('key')->getMetadata()[ItemInterface::METADATA_TAGS]);
        $this->symfony->delete('key');
        $this->symfony->get('key', static fn(): int => 2, null, $metadata);
        $this->symfony->get('key', static fn(): int => 3, null, $metadata);
        self::assertSame([], $metadata, 'nothing is known of it');
    }

    public function testContractCallbacksAreAccepted(): void
    {
        $callback = new /** @implements CallbackInterface<string> */ class implements CallbackInterface {
            public function __invoke(CacheItemInterface $item, bool &$save): string
            {
                return $item->getKey();
            }
        };
        self::assertSame('key', $this->symfony->get('key', $callback));
    }

    /** The same calls on symfony/cache itself and on ours. */
    public function testBehavesLikeSymfonysAdapter(): void
    {
        self::assertSame($this->transcript(new TagAwareAdapter(new ArrayAdapter())), $this->transcript($this->symfony));
    }

    /** @return list<mixed> result of each call */
    private function transcript(TagAwareCacheInterface $cache): array
    {
        $this->computed = 0;
        $get = function (?\Closure $about = null, ?float $beta = null) use ($cache): int {
            return $cache->get('key', function (ItemInterface $item) use ($about): int {
                $about?->__invoke($item);

                return ++$this->computed;
            }, $beta);
        };
        $metadata = null;
        $previous = static fn(ItemInterface $item): array => [
            $item->isHit(),
            $item->get(),
            (array) ($item->getMetadata()[ItemInterface::METADATA_TAGS] ?? []),
            $item->expiresAfter(60)->getKey(),
        ];

        return [
            $get(),
            $get(static fn(ItemInterface $item): mixed => $item->tag('never asked')),
            $cache->delete('key'),
            $get(static fn(ItemInterface $item): mixed => $item->tag('a')->expiresAfter(60)),
            $cache->invalidateTags(['b']),
            $get(),
            $cache->invalidateTags(['a', 'b']),
            $get(),
            $get(beta: \INF),
            $get(beta: 0.0),
            $get(static fn(ItemInterface $item): mixed => $item->expiresAfter(0), \INF),
            $get(),
            $get(
                static fn(ItemInterface $item): mixed
                    => $item->expiresAfter(new \DateInterval('PT1M'))->expiresAt(null),
                \INF,
            ),
            $get(),
            $cache->get('unsaved', static function (ItemInterface $item, bool &$save): string {
                $save = false;

                return 'value';
            }),
            $cache->get('unsaved', static fn(): string => 'another'),
            $cache->get('null', static fn(): mixed => null),
            $cache->get('null', static fn(): string => 'null is a value'),
            $cache->get(
                'tagged',
                static fn(ItemInterface $item): string => implode($item->tag(['x', 'y'])->isHit() ? ['hit'] : ['miss']),
                null,
                $metadata,
            ),
            $cache->get('tagged', static fn(): string => 'not computed', 0.0, $metadata),
            $metadata[ItemInterface::METADATA_TAGS] ?? null,
            isset($metadata[ItemInterface::METADATA_EXPIRY]),
            $cache->get('tagged', $previous, \INF, $metadata),
            isset($metadata[ItemInterface::METADATA_EXPIRY]),
            $cache->get('tagged', static fn(): string => 'not computed', 0.0, $metadata),
            \is_numeric($metadata[ItemInterface::METADATA_EXPIRY] ?? null)
                && abs($metadata[ItemInterface::METADATA_EXPIRY] - time() - 60.0) < 5.0,
            $cache->get('tagged', $previous, \INF),
            $cache->delete('tagged'),
            $cache->get('tagged', $previous),
        ];
    }

    /** @return iterable<string, array{\Closure(): mixed}> values that no serializer takes */
    public static function unserializable(): iterable
    {
        yield 'a closure' => [static fn(): array => ['f' => static fn(): int => 1]];
        yield 'a connection' => [static fn(): \PDO => new \PDO('sqlite::memory:')];
        yield 'an object of no class' => [static fn(): object => new class {}];
        yield 'a generator' => [self::numbers(...)];
        yield 'an object that refuses' => [static fn(): mixed => unserialize(serialize(new SerializedOnce()))];
    }

    /** @param \Closure(): mixed $make */
    #[DataProvider('unserializable')]
    public function testValueThatCannotBeStoredIsReturned(\Closure $make): void
    {
        foreach (self::stores() as [$store]) {
            $this->use($store);
            $log = new RecordingLogger();
            $this->symfony->setLogger($log);
            $made = [];
            $compute = static function () use (&$made, $make): mixed {
                return $made[] = $make();
            };
            $got = [$this->symfony->get('key', $compute), $this->symfony->get('key', $compute)];
            self::assertSame($made, $got, $store->name);
            self::assertCount(2, $log->entries());
            self::assertStringStartsWith('warning: Failed to save key "key": ', $log->entries()[0]);
            $this->symfony->get('key', static fn(): string => 'stored');
            self::assertTrue($this->symfony->delete('key'));
        }
    }

    public function testExceptionOfTheCallbackIsThrown(): void
    {
        self::assertThrows(
            \DomainException::class,
            fn(): mixed => $this->symfony->get('key', static fn(): never => throw new \DomainException()),
        );
        self::assertSame(1, $this->get(), 'and nothing waits');
    }

    #[DataProvider('stores')]
    public function testItemsKeepValuesAndTags(TestedStore $store): void
    {
        $this->use($store);
        foreach (['7' => [1, ['a']], 'b' => [null, ['a', 'b']], 'c' => ['plain', []]] as $key => [$value, $tags]) {
            $item = $this->symfony->getItem((string) $key)->set($value);
            self::assertFalse($item->isHit());
            self::assertTrue($this->symfony->saveDeferred($item->tag($tags)));
        }
        $items = [];
        foreach ($this->symfony->getItems(['7', 'b', 'c', 'd']) as $key => $item) {
            $items[] = [$key, $item->isHit(), $item->get(), $item->getMetadata()];
        }
        self::assertSame([
            ['7', true, 1, ['tags' => ['a' => 'a']]],
            ['b', true, null, ['tags' => ['a' => 'a', 'b' => 'b']]],
            ['c', true, 'plain', []],
            ['d', false, null, []],
        ], $items);
        self::assertTrue($this->symfony->invalidateTags(['b']));
        self::assertSame([true, false, true], array_map($this->symfony->hasItem(...), ['7', 'b', 'c']));
        self::assertSame(1, self::value($this->symfony, '7', 'not computed'));
    }

    #[DataProvider('stores')]
    public function testClearingAPoolLeavesTheOthers(TestedStore $store): void
    {
        $this->use($store);
        $names = ['a+b', 'a_b', 'a-b', str_repeat('long', 10), str_repeat('long', 10) . '+'];
        $pools = [];
        foreach ($names as $name) {
            $pools[$name] = new Adapter($this->cache, $name);
            $pools[$name]->get('key', static fn(): string => $name);
            $pools[$name]->withSubNamespace('eu')->get('key', static fn(): string => "$name eu");
            $pools[$name]->withSubNamespace('us')->get('key', static fn(): string => "$name us");
        }
        self::assertTrue($pools['a+b']->withSubNamespace('eu')->clear());
        self::assertTrue($pools['a_b']->clear());
        $left = [];
        foreach ($pools as $name => $pool) {
            foreach ([$pool, $pool->withSubNamespace('eu'), $pool->withSubNamespace('us')] as $each) {
                $left[$name][] = $each->getItem('key')->isHit();
            }
        }
        self::assertSame([
            'a+b' => [true, false, true],
            'a_b' => [false, false, false],
            'a-b' => [true, true, true],
            $names[3] => [true, true, true],
            $names[4] => [true, true, true],
        ], $left);
        array_map(static fn(Adapter $pool): bool => $pool->clear(), $pools);
    }

    public function testNamespaceOfTheDsnMayBeTooLong(): void
    {
        $open = static fn(int $length): Adapter
            => new Adapter('larder:?namespace=' . str_repeat('a', $length), str_repeat('a', 10));
        self::assertSame(1, self::value($open(21), 'key', 1));
        self::assertTrue($open(21)->clear());
        self::assertThrows(
            InvalidDsn::class,
            static fn(): mixed => self::value($open(22), 'key', 1),
            'of the 32, use at most 21',
        );
    }

    #[DataProvider('stores')]
    public function testPrunes(TestedStore $store): void
    {
        $this->use($store);
        self::assertTrue($this->symfony->prune(), 'also where nothing needs it');
    }

    public function testMissingStoreIsLoggedOnceAndWritesFail(): void
    {
        $log = new RecordingLogger();
        $pool = new Adapter('larder:no-such-segment', 'shop');
        $pool->setLogger($log);
        self::assertSame('computed', self::value($pool, 'key', 'computed'));
        self::assertFalse($pool->getItem('key')->isHit());
        self::assertSame([false, false, false, false, false], [
            $pool->save($pool->getItem('key')->set(1)),
            $pool->deleteItem('key'),
            $pool->clear(),
            $pool->invalidateTags(['a']),
            $pool->prune(),
        ]);
        $reason = 'warning: The pool keeps nothing: larder: this process has the segment';
        self::assertCount(1, (array) preg_grep("/^$reason/", $log->entries()));
    }

    public function testMissingStoreIsTriedAgainInTheNextRequest(): void
    {
        $folder = Servers::directory('symfony') . '/' . bin2hex(random_bytes(4));
        touch($folder); // a file in its place
        $dsn = "file://$folder/cache";
        $pools = [new Adapter($dsn, 'shop'), new Adapter(new Provider($dsn))];
        foreach ($pools as $pool) {
            $pool->setLogger(new RecordingLogger());
            self::assertSame([1, 2], [self::value($pool, 'key', 1), self::value($pool, 'key', 2)]);
        }
        unlink($folder);
        foreach ($pools as $pool) {
            self::assertSame(3, self::value($pool, 'key', 3));
            $pool->reset();
            self::assertSame([4, 4], [self::value($pool, 'key', 4), self::value($pool, 'key', 5)]);
            $pool->clear();
        }
    }

    public function testMarshallerMakesBytes(): void
    {
        $marshaller = new class implements MarshallerInterface {
            /**
             * @param array<mixed> $values
             * @param array<mixed>|null $failed
             * @return array<string>
             */
            public function marshall(array $values, ?array &$failed): array
            {
                return array_map(static fn(mixed $value): string => strrev(serialize($value)), $values);
            }

            public function unmarshall(string $value): mixed
            {
                return unserialize(strrev($value));
            }
        };
        $pool = new Adapter($this->cache, '', 0, $marshaller);
        self::assertSame([1], self::value($pool, 'key', [1]));
        self::assertSame([1], self::value($pool, 'key', [2]));
        self::assertSame([1], $pool->getItem('key')->get());
        self::assertTrue($pool->save($pool->getItem('other')->set('x')->tag('a')));
        self::assertSame('x', $pool->getItem('other')->get());
        self::assertSame(["\0marshalled" => '};1:i;0:i{:1:a'], $this->cache->get('key'));
        self::assertSame([3], self::value(new Adapter($this->cache, '', 0, new DefaultMarshaller()), 'plain', [3]));
        self::assertSame([3], $this->cache->get('plain'), "the stores' own form");
    }

    /** Old and new releases side by side, with and without a marshaller, or with its old and its new key. */
    #[DataProvider('stores')]
    public function testMarshallersMayDiffer(TestedStore $store): void
    {
        $this->use($store);
        $old = self::marshaller('old');
        $marshallers = [null, $old, self::marshaller('new'), new DeflateMarshaller($old)];
        foreach (['shop', ''] as $name) {
            foreach ([['a list'], 'bytes'] as $value) {
                foreach ($marshallers as $i => $marshaller) {
                    $pool = new Adapter($this->cache, $name, 0, $marshaller);
                    $pool->setLogger(new RecordingLogger());
                    if ($i > 0) { // what the one before has stored
                        self::assertFalse($pool->getItem('key')->isHit());
                    }
                    self::assertSame($value, self::value($pool, 'key', $value), "by marshaller $i");
                    self::assertSame($value, self::value($pool, 'key', 'not computed'));
                    self::assertSame($value, $pool->getItem('key')->get());
                    $all = iterator_to_array($pool->getItems(['key', 'other']));
                    self::assertSame([$value, null], [$all['key']->get(), $all['other']->get()]);
                }
                $last = new Adapter($this->cache, $name, 0, $marshallers[3]);
                $plain = new Adapter($this->cache, $name);
                self::assertFalse($plain->getItem('key')->isHit());
                self::assertFalse(iterator_to_array($plain->getItems(['key']))['key']->isHit());
                self::assertTrue($plain->deleteItem('key'));
                if (!$this->cache->store() instanceof ArrayStore) { // there each pool has an array of its own
                    self::assertFalse($last->getItem('key')->isHit(), 'another release deletes it, too');
                }
                $last->clear();
            }
        }
    }

    public function testWrongDsnIsThrownWithoutItsPassword(): void
    {
        foreach (['redis://shop:secret@h?nonsense=1', 'no-such://shop:secret@h', 'redis://a:secret@h:x'] as $dsn) {
            foreach ([
                static fn(Adapter $pool): mixed => $pool->getItem('key'),
                static fn(Adapter $pool): mixed => $pool->getItems(['key']),
                static fn(Adapter $pool): mixed => self::value($pool, 'key', 1),
            ] as $call) {
                $thrown = self::assertThrows(InvalidDsn::class, static fn(): mixed => $call(new Adapter($dsn, 'shop')));
                self::assertStringNotContainsString('secret', (string) $thrown);
            }
            $pool = new Adapter($dsn, 'shop');
            $pool->setLogger($log = new RecordingLogger());
            self::assertFalse($pool->hasItem('key'));
            self::assertFalse($pool->clear());
            self::assertStringNotContainsString('secret', implode($log->entries()));
        }
    }

    public function testWrapperOfCallbacksIsCalled(): void
    {
        $called = 0;
        $before = $this->symfony->setCallbackWrapper(
            static function (callable $callback, ItemInterface $item, bool &$save) use (&$called): mixed {
                ++$called;

                return $callback($item, $save);
            },
        );
        self::assertSame(1, $this->get());
        $this->symfony->setCallbackWrapper($before);
        self::assertSame(2, $this->get(beta: \INF));
        self::assertSame([1], [$called]);
    }

    public function testComputationMayNeedItself(): void
    {
        $inner = fn(): string => 'outer ' . $this->symfony->get('key', static fn(): string => 'inner');
        $this->symfony->get('key', $inner);
        self::assertSame('outer inner', $this->cache->get('key'));
    }

    /** In front of ours, a chain's first pool must learn when a value expires. */
    public function testChainKnowsTheExpiry(): void
    {
        $chain = new ChainAdapter([new ArrayAdapter(), $this->symfony]);
        $chain->get('key', static function (ItemInterface $item): int {
            $item->expiresAfter(60);

            return 1;
        });
        $metadata = $this->symfony->getItem('key')->getMetadata();
        self::assertEqualsWithDelta(time() + 60, $metadata[ItemInterface::METADATA_EXPIRY] ?? null, 5);
        self::assertSame(1, self::value($this->symfony, 'key', 2));
    }

    /** As `tags: other_pool` makes one, or `tags: true` around a chain. It keeps the versions of tags with values. */
    #[DataProvider('stores')]
    public function testSymfonysTagsMayBeAround(TestedStore $store): void
    {
        $this->use($store);
        $first = new ArrayAdapter();
        $tags = new Adapter($this->cache, 'tags');
        foreach ([
            'alone' => static fn(Adapter $pool): TagAwareAdapter => new TagAwareAdapter($pool),
            'other pool' => static fn(Adapter $pool): TagAwareAdapter => new TagAwareAdapter($pool, $tags, 0),
            'chain' => static fn(Adapter $pool): TagAwareAdapter
                => new TagAwareAdapter(new ChainAdapter([$first, $pool]), null, 0),
            'new chain' => static fn(Adapter $pool): TagAwareAdapter
                => new TagAwareAdapter(new ChainAdapter([new ArrayAdapter(), $pool]), null, 0),
        ] as $name => $around) {
            $pool = new Adapter($this->cache, $name);
            $open = static fn(): TagAwareAdapter => $around($pool);
            $computed = ['tagged' => 0, 'expiring' => 0, 'plain' => 0, '7' => 0];
            $get = static function (string $key, ?int $seconds, string ...$tags) use ($open, &$computed): mixed {
                $make = static function (ItemInterface $item) use ($seconds, $tags, &$computed): string {
                    $key = $item->expiresAfter($seconds)->tag($tags)->getKey();

                    return $key . ++$computed[$key];
                };

                return $open()->get($key, $make);
            };
            for ($i = 0; $i < 2; ++$i) { // each time by a new pool, as in another process
                self::assertSame('tagged1', $get('tagged', null, 'a', '7'), $name);
                self::assertSame('expiring1', $get('expiring', 60, 'a', 'b'), $name);
                self::assertSame('plain1', $get('plain', null), $name);
                self::assertSame('71', $get('7', null, '7'), $name);
            }
            $known = $open()->getItem('tagged')->getMetadata()[ItemInterface::METADATA_TAGS] ?? [];
            self::assertEquals(['a' => 'a', '7' => '7'], $known, $name);
            self::assertTrue($open()->invalidateTags(['a']), $name);
            self::assertSame('tagged2', $get('tagged', null, 'a'), $name);
            self::assertSame('expiring2', $get('expiring', 60, 'a'), $name);
            self::assertSame('plain1', $get('plain', null), $name);
            self::assertTrue($open()->clear());
        }
    }

    /** As Messenger's handler of early expirations does. */
    #[DataProvider('stores')]
    public function testSavedItemWithItsCostIsRecomputedEarly(TestedStore $store): void
    {
        $this->use($store);
        $save = \Closure::bind(static function (Adapter $pool): void {
            $item = $pool->getItem('key')->set('saved')->expiresAfter(60);
            $item->newMetadata = [CacheItem::METADATA_EXPIRY => $item->expiry, CacheItem::METADATA_CTIME => 10];
            $pool->save($item);
        }, null, CacheItem::class);
        $save($this->symfony);
        $seen = [];
        $wrapper = static function (callable $callback, ItemInterface $item, bool &$isSaved, mixed ...$more): mixed {
            return $callback($item->set([$item->get(), array_pop($more)]), $isSaved);
        };
        $this->symfony->setCallbackWrapper($wrapper);
        $make = static function (ItemInterface $item, bool &$isSaved) use (&$seen): string {
            $seen[] = $item->get();
            $isSaved = false;

            return $item->getKey() . ' not kept';
        };
        $values = [];
        foreach ([0.0, 0.001, 1e9, 0.0] as $beta) {
            $values[] = $this->symfony->get('key', $make, $beta);
        }
        self::assertSame(['saved', 'saved', 'key not kept', 'saved'], $values);
        self::assertSame([['saved', 1e9]], $seen);
        $this->symfony->get('key', $make, 0.0, $metadata);
        self::assertSame(10, $metadata[ItemInterface::METADATA_CTIME] ?? null);
        self::assertSame('new', self::value($this->symfony, 'key', 'new', 1e9));
        self::assertSame('new', self::value($this->symfony, 'key', 'not computed'));
    }

    public function testTagsMayBeObjectsThatAreStrings(): void
    {
        $tag = new class {
            public function __toString(): string
            {
                return 'a';
            }
        };
        foreach ([$tag, [$tag], ['b', $tag], new \ArrayIterator([$tag])] as $tags) {
            foreach ([$this->symfony, new TagAwareAdapter(new ArrayAdapter())] as $cache) {
                $cache->get('key', static fn(ItemInterface $item): mixed => self::tag($item, $tags));
                self::assertTrue($cache->invalidateTags(['a']));
                $isCalled = false;
                $cache->get('key', static function () use (&$isCalled): bool {
                    return $isCalled = true;
                });
                self::assertTrue($isCalled);
                self::assertTrue($cache->delete('key'));
            }
        }
        self::assertThrows(
            InvalidArgumentException::class,
            fn(): mixed => $this->symfony->get('key', static fn(ItemInterface $item): mixed => self::tag($item, [1])),
        );
    }

    public function testForbiddenKeysAreRefused(): void
    {
        foreach ([
            fn(): mixed => $this->symfony->get('a:b', static fn(): int => 1),
            fn(): mixed => $this->symfony->get('', static fn(): int => 1),
            fn(): mixed => $this->symfony->get('key', static fn(): int => 1, -0.1),
            fn(): mixed => $this->symfony->get('key', static fn(ItemInterface $item): mixed => $item->tag('a{b')),
            fn(): mixed => $this->symfony->delete('a/b'),
            fn(): mixed => $this->symfony->invalidateTags(['good', 'a@b']),
        ] as $i => $call) {
            self::assertThrows(InvalidArgumentException::class, $call);
            self::assertNull($this->cache->get('key'), "after call $i");
        }
    }

    /** Array keys are such. Assertions refuse them; without these, Symfony's pools take them. */
    public function testIntegerKeysAreTakenWithoutAssertions(): void
    {
        $this->symfony->get('7', static fn(): string => 'seven');
        $before = (string) ini_set('zend.assertions', '0');

        try {
            $items = [];
            foreach ([7, '7', 8] as $key) {
                $item = self::call($this->symfony, 'getItem', $key);
                self::assertInstanceOf(CacheItem::class, $item);
                $items[] = [$item->getKey(), $item->get()];
            }
            $found = self::call($this->symfony, 'getItems', [7, 8]);
            self::assertIsIterable($found);
            foreach ($found as $item) {
                self::assertInstanceOf(CacheItem::class, $item);
                $items[] = [$item->getKey(), $item->get()];
            }
        } finally {
            ini_set('zend.assertions', $before);
        }
        self::assertSame([['7', 'seven'], ['7', 'seven'], ['8', null], ['7', 'seven'], ['8', null]], $items);
    }

    public function testOneOfSeveralProcessesComputes(): void
    {
        $this->use(new TestedStore(FileTest::class));
        $forks = Fork::several(5, function (int $process, \Closure $awaitOthers): string {
            $awaitOthers();

            return $this->symfony->get('key', static function (): string {
                usleep(100_000);

                return 'computed by ' . getmypid();
            });
        });
        $answers = array_map(static fn(Fork $fork): mixed => $fork->result(), $forks);
        self::assertSame(array_fill(0, 5, $answers[0]), $answers);
    }

    /** Its bytes begin with a key: other ones are refused, as by one that encrypts. */
    private static function marshaller(string $key): MarshallerInterface
    {
        return new class ($key) implements MarshallerInterface {
            public function __construct(private readonly string $key) {}

            /**
             * @param array<mixed> $values
             * @param array<mixed>|null $failed
             * @return array<string>
             */
            public function marshall(array $values, ?array &$failed): array
            {
                return array_map(fn(mixed $value): string => $this->key . serialize($value), $values);
            }

            public function unmarshall(string $value): mixed
            {
                return str_starts_with($value, $this->key) ? unserialize(substr($value, \strlen($this->key)))
                    : throw new \DomainException('Another key made it');
            }
        };
    }

    private static function value(Adapter $pool, string $key, mixed $computed, ?float $beta = null): mixed
    {
        return $pool->get($key, static fn(): mixed => $computed, $beta);
    }

    /** @return \Generator<int> */
    private static function numbers(): \Generator
    {
        yield 1;
    }

    private static function tag(ItemInterface $item, mixed $tags): mixed
    {
        return self::call($item, 'tag', $tags) === $item;
    }

    /** With what the types of its docblock do not allow. */
    private static function call(object $object, string $method, mixed $argument): mixed
    {
        return (new \ReflectionMethod($object, $method))->invoke($object, $argument);
    }

    /** @param (\Closure(ItemInterface): mixed)|null $about what is said of the value */
    private function get(?\Closure $about = null, ?float $beta = null): int
    {
        return $this->symfony->get('key', function (ItemInterface $item) use ($about): int {
            $about?->__invoke($item);

            return ++$this->computed;
        }, $beta);
    }

    private function use(TestedStore $store): void
    {
        $this->cache = $store->openNew();
        $this->symfony = new Adapter($this->cache);
    }
}
