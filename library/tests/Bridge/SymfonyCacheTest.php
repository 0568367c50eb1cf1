<?php

declare(strict_types=1);

namespace Larder\Tests\Bridge;

use Larder\Bridge\SymfonyCache;
use Larder\Cache;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use Larder\Testing\SetClock;
use Larder\Testing\Timing;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\TestedStore;
use Larder\Tests\Psr\SerializedOnce;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Psr\Cache\CacheItemInterface;
use Psr\Cache\InvalidArgumentException;
use Symfony\Component\Cache\Adapter\ArrayAdapter;
use Symfony\Component\Cache\Adapter\FilesystemAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Contracts\Cache\CallbackInterface;
use Symfony\Contracts\Cache\ItemInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/** Checks what Symfony's contracts require, over every store. */
final class SymfonyCacheTest extends TestCase
{
    use AssertsThrows;
    use Timing;

    private Cache $cache;
    private SymfonyCache $symfony;
    private int $computed = 0;

    protected function setUp(): void
    {
        $this->use(new TestedStore(ArrayTest::class));
    }

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testValueIsComputedOnceUntilDeleted(TestedStore $store): void
    {
        $this->use($store);
        self::assertSame(1, $this->get());
        self::assertSame(1, $this->get());
        self::assertTrue($this->symfony->delete('key'));
        self::assertSame(2, $this->get());
        self::assertSame(2, $this->cache->get('key'));
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testTagsInvalidateValues(TestedStore $store): void
    {
        $this->use($store);
        self::assertSame(1, $this->get(static fn(ItemInterface $item): mixed => $item->tag('a')->tag(['b', 'c'])));
        self::assertTrue($this->symfony->invalidateTags(['other']));
        self::assertSame(1, $this->get());
        self::assertTrue($this->symfony->invalidateTags(['c']));
        self::assertSame(2, $this->get());
    }

    #[DataProviderExternal(TestedStore::class, 'each')]
    #[Group('waiting')]
    public function testValueExpires(TestedStore $store): void
    {
        $this->use($store);
        self::within(0.3, function (): void {
            $this->symfony->delete('key');
            $this->computed = 0;
            self::assertSame(
                1,
                $this->get(
                    static fn(ItemInterface $item): mixed
                        => $item->expiresAt(new \DateTimeImmutable('+300 milliseconds')),
                    0.0,
                ),
            );
            self::assertSame(1, $this->get(beta: 0.0));
        });
        usleep(330_000);
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
        $moment = new \DateTimeImmutable('2030-01-01 12:00 UTC');
        $symfony = new SymfonyCache($this->cache, new SetClock($moment));
        $symfony->get('key', static function (ItemInterface $item): int {
            self::assertSame('key', $item->getKey());
            self::assertFalse($item->isHit());
            self::assertSame('set', $item->set('set')->get());
            $item->expiresAfter(60)->tag('a');

            return 1;
        }, null, $metadata);
        self::assertSame((float) ($moment->getTimestamp() + 60), $metadata[ItemInterface::METADATA_EXPIRY]);
        self::assertSame(['a' => 'a'], $metadata[ItemInterface::METADATA_TAGS]);
        self::assertIsInt($metadata[ItemInterface::METADATA_CTIME]);
        $symfony->delete('key');
        $symfony->get('key', static fn(): int => 2, null, $metadata);
        $symfony->get('key', static fn(): int => 3, null, $metadata);
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
        $log = Servers::directory('bridge') . '/' . bin2hex(random_bytes(4));
        $before = ini_set('error_log', $log);

        try {
            foreach ([...array_values(TestedStore::all()), null] as $store) {
                if ($store !== null) {
                    $this->use($store);
                }
                $cache = $store === null
                    ? new FilesystemAdapter(directory: Servers::directory('bridge-symfony'))
                    : $this->symfony;
                $made = [];
                $compute = static function () use (&$made, $make): mixed {
                    return $made[] = $make();
                };
                self::assertSame(
                    [$cache->get('key', $compute), $cache->get('key', $compute)],
                    $made,
                    $store->name ?? 'Symfony',
                );
                $cache->get('key', static fn(): string => 'stored');
                self::assertTrue($cache->delete('key'));
            }
        } finally {
            ini_set('error_log', (string) $before);
        }
        self::assertSame(
            2 * \count(TestedStore::all()),
            preg_match_all('/ larder: the value of "key" is not stored: /', (string) file_get_contents($log)),
        );
        self::assertThrows(
            \DomainException::class,
            fn(): mixed
                => $this->symfony->get('thrown', static fn(): never => throw new \DomainException('of the callback')),
        );
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

    /** @return \Generator<int> */
    private static function numbers(): \Generator
    {
        yield 1;
    }

    /** The contract's docblock names strings only. */
    private static function tag(ItemInterface $item, mixed $tags): mixed
    {
        return (new \ReflectionMethod($item, 'tag'))->invoke($item, $tags) === $item;
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
        $this->symfony = new SymfonyCache($this->cache);
    }
}
