<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Psr\Item;
use Larder\Psr\ItemPool;
use PHPUnit\Framework\Attributes\Before;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use Psr\Cache\CacheItemInterface;

/**
 * The requirements of PSR-6 for an ItemPool over a store.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait ItemPoolContract
{
    use AssertsRefusal;

    private SetClock $clock;
    private ItemPool $pool;

    #[Before(-1)]
    protected function openPool(): void
    {
        // A time long ago, so that a test fails if the pool uses the machine's clock.
        $this->clock = new SetClock(new \DateTimeImmutable('2001-01-31 12:00:00.25 Europe/Riga'));
        $this->pool = $this->anotherPool();
    }

    public function testItemPoolMissIsAnItemWithoutValue(): void
    {
        $item = $this->pool->getItem('absent');
        self::assertSame(['absent', false, null], [$item->getKey(), $item->isHit(), $item->get()]);
        self::assertFalse($this->pool->hasItem('absent'));
        self::assertFalse($this->pool->hasItem('absent'), 'asking stores nothing');
    }

    public function testItemPoolSaveThenGet(): void
    {
        self::checkEach(Values::all(), function (mixed $value): void {
            self::assertTrue($this->pool->save($this->pool->getItem('saved')->set($value)));
            self::assertTrue($this->pool->saveDeferred($this->pool->getItem('deferred')->set($value)));
            foreach (['saved', 'deferred', 'deferred'] as $key) {
                $item = $this->pool->getItem($key);
                self::assertTrue($item->isHit(), 'null and false too');
                self::assertTrue($this->pool->hasItem($key));
                self::assertSame(serialize($value), serialize($item->get()));
                self::assertSame(
                    serialize($value),
                    serialize($this->itemList($this->pool->getItems([$key]))[0]->get()),
                );
                self::assertTrue($this->pool->commit());
            }
        });
    }

    public function testItemPoolAcceptsAllowedKey(): void
    {
        self::checkEach(PsrKeys::allowed(), function (string $key): void {
            foreach ([$this->pool->save(...), $this->pool->saveDeferred(...)] as $save) {
                self::assertTrue($save($this->pool->getItem($key)->set('value')));
                foreach ([1, 2] as $time) {
                    self::assertTrue($this->pool->hasItem($key));
                    self::assertSame($key, $this->pool->getItem($key)->getKey());
                    self::assertSame('value', $this->pool->getItem($key)->get());
                    foreach ($this->pool->getItems([$key]) as $index => $item) {
                        self::assertSame([$key, $key, 'value'], [$index, $item->getKey(), $item->get()]);
                    }
                    self::assertTrue($this->pool->commit());
                }
                self::assertTrue($this->pool->deleteItem($key));
                self::assertFalse($this->pool->hasItem($key));
            }
        });
    }

    public function testItemPoolRefusesForbiddenKeyBeforeAnyChange(): void
    {
        self::checkEach([...PsrKeys::forbidden(), ...PsrKeys::noStrings()], function (mixed $key): void {
            $this->pool->save($this->pool->getItem('kept')->set('old'));
            $this->pool->saveDeferred($this->pool->getItem('deferred')->set('old'));
            if (\is_string($key)) {
                $this->assertRefuses(fn(): mixed => $this->pool->getItem($key));
                $this->assertRefuses(fn(): mixed => $this->pool->hasItem($key));
                $this->assertRefuses(fn(): mixed => $this->pool->deleteItem($key));
            }
            $this->assertRefuses(fn(): mixed => $this->pool->getItems(['kept', $key]));
            $this->assertRefuses(fn(): mixed => $this->pool->deleteItems(['kept', 'deferred', $key]));
            self::assertTrue($this->pool->hasItem('kept'));
            self::assertTrue($this->pool->hasItem('deferred'));
        });
    }

    public function testItemPoolReturnsItemsInTheOrderOfTheKeys(): void
    {
        foreach (['7' => 'seven', 'b' => 'bee'] as $key => $value) {
            $this->pool->save($this->pool->getItem((string) $key)->set($value));
        }
        $this->pool->saveDeferred($this->pool->getItem('8')->set('eight'));
        $items = $this->pool->getItems(['b', '8', 'absent', '7']);
        foreach ([1, 2] as $walk) {
            $found = [];
            foreach ($items as $key => $item) {
                self::assertSame($key, $item->getKey());
                $found[] = [$key, $item->isHit(), $item->get()];
            }
            self::assertSame(
                [['b', true, 'bee'], ['8', true, 'eight'], ['absent', false, null], ['7', true, 'seven']],
                $found,
            );
        }
        self::assertSame([], $this->itemList($this->pool->getItems()));
    }

    public function testItemSettersReturnTheItem(): void
    {
        $item = $this->pool->getItem('key');
        self::assertSame($item, $item->set('value'));
        self::assertSame($item, $item->expiresAfter(60));
        self::assertSame($item, $item->expiresAt(new \DateTime('+1 hour')));
        self::assertSame($item, $item->expiresAt(null));
        self::assertSame($item, $item->expiresAfter(null));
    }

    public function testItemReturnsTheValueSetAfterAMiss(): void
    {
        $item = $this->pool->getItem('key')->set('computed');
        self::assertSame('computed', $item->get());
        self::assertFalse($item->isHit(), 'the look-up was a miss all the same');
        self::assertFalse($this->pool->hasItem('key'), 'nothing is stored before save()');
    }

    public function testItemHoldsACopy(): void
    {
        $object = (object) ['n' => 1];
        $item = $this->pool->getItem('saved')->set($object);
        $this->pool->save($item);
        $copy = clone $item;
        $this->pool->saveDeferred($this->pool->getItem('deferred')->set($object)->expiresAfter(60));
        $object->n = 2;
        $item->set('changed');
        self::assertSame($object, $copy->get());
        foreach (['saved', 'deferred', 'deferred'] as $key) {
            $found = $this->pool->getItem($key)->get();
            self::assertEquals((object) ['n' => 1], $found);
            \assert($found instanceof \stdClass);
            $found->n = 3;
            self::assertEquals((object) ['n' => 1], $this->pool->getItem($key)->get());
            $this->pool->commit();
        }
    }

    public function testDeferredItemIsACopyOfTheItem(): void
    {
        $item = $this->pool->getItem('key')->set('value');
        $this->pool->saveDeferred($item);
        $item->set('changed')->expiresAfter(-1);
        $this->pool->getItem('key')->set('changed');
        self::assertSame('value', $this->pool->getItem('key')->get());
        $this->pool->commit();
        self::assertSame('value', $this->pool->getItem('key')->get());
    }

    public function testDeferredItemsAreVisibleToOthersAfterCommit(): void
    {
        $this->pool->save($this->pool->getItem('key')->set('old'));
        self::assertTrue($this->pool->saveDeferred($this->pool->getItem('key')->set('first')));
        self::assertTrue($this->pool->saveDeferred($this->pool->getItem('key')->set('last')));
        self::assertSame('last', $this->pool->getItem('key')->get());
        self::assertSame('old', $this->anotherPool()->getItem('key')->get());
        self::assertTrue($this->pool->commit());
        self::assertSame('last', $this->anotherPool()->getItem('key')->get());
        self::assertTrue($this->anotherPool()->deleteItem('key'));
        self::assertTrue($this->pool->commit(), 'nothing deferred');
        self::assertFalse($this->pool->hasItem('key'), 'what was committed is not committed again');
    }

    public function testManyDeferredItemsAreCommitted(): void
    {
        $keys = [];
        foreach ([null, 60, 120, -1] as $lifetime) {
            for ($i = 0; $i < 20; ++$i) {
                $keys[] = $key = $lifetime === null ? (string) $i : 'key' . $lifetime . '.' . $i;
                $this->pool->save($this->pool->getItem($key)->set('old'));
                $this->pool->saveDeferred($this->pool->getItem($key)->set('new ' . $key)->expiresAfter($lifetime));
            }
        }
        self::assertTrue($this->pool->commit());
        foreach ($this->anotherPool()->getItems($keys) as $key => $item) {
            self::assertSame(str_starts_with($key, 'key-1') ? null : 'new ' . $key, $item->get());
        }
    }

    public function testDeferredItemsAreCommittedByTheDestructor(): void
    {
        $pool = $this->anotherPool();
        $pool->saveDeferred($pool->getItem('key')->set('value'));
        self::assertFalse($this->pool->hasItem('key'));
        unset($pool);
        self::assertSame('value', $this->pool->getItem('key')->get());
    }

    public function testClonedItemPoolHasNoDeferredItems(): void
    {
        $this->pool->saveDeferred($this->pool->getItem('key')->set('value'));
        $clone = clone $this->pool;
        self::assertFalse($clone->hasItem('key'));
        $clone->saveDeferred($clone->getItem('other')->set('value'));
        self::assertFalse($this->pool->hasItem('other'));
        unset($clone);
        self::assertFalse($this->anotherPool()->hasItem('key'));
        self::assertTrue($this->pool->hasItem('other'));
    }

    public function testForkedProcessDoesNotCommitItemsDeferredByItsParent(): void
    {
        $pool = $this->anotherPool();
        $pool->saveDeferred($pool->getItem('parent')->set('value'));
        $seen = Fork::run(static function () use ($pool): bool {
            $seen = $pool->hasItem('parent');
            $pool->__destruct();
            $pool->saveDeferred($pool->getItem('child')->set('value'));
            $pool->__destruct();

            return $seen;
        });
        self::assertTrue($seen);
        self::assertFalse($this->pool->hasItem('parent'));
        self::assertSame($this->isShared(), $this->pool->hasItem('child'));
        unset($pool);
        self::assertTrue($this->pool->hasItem('parent'));
    }

    public function testSaveOverridesEarlierDeferredItem(): void
    {
        $this->pool->saveDeferred($this->pool->getItem('key')->set('deferred'));
        $this->pool->save($this->pool->getItem('key')->set('saved'));
        self::assertSame('saved', $this->pool->getItem('key')->get());
        $this->pool->commit();
        self::assertSame('saved', $this->pool->getItem('key')->get());
    }

    public function testDeletedAndClearedItemsAreNotCommitted(): void
    {
        $gone = [
            'deleted' => fn(): bool => $this->pool->deleteItem('deleted'),
            'deleted with others' => fn(): bool => $this->pool->deleteItems(['absent', 'deleted with others']),
            'saved as expired' => fn(): bool
                => $this->pool->save($this->pool->getItem('saved as expired')->expiresAfter(0)),
            'cleared' => fn(): bool => $this->pool->clear(),
        ];
        foreach ($gone as $key => $remove) {
            $this->pool->save($this->pool->getItem($key)->set('saved'));
            $this->pool->saveDeferred($this->pool->getItem($key)->set('deferred'));
            self::assertTrue($this->pool->hasItem($key));
            self::assertTrue($remove());
            foreach ([1, 2] as $time) {
                self::assertFalse($this->pool->hasItem($key));
                self::assertFalse($this->pool->getItem($key)->isHit());
                self::assertTrue($this->pool->commit());
            }
        }
    }

    public function testItemPoolDeletesOnlyTheGivenKeys(): void
    {
        foreach (['a', 'b', 'c', '7'] as $key) {
            $this->pool->save($this->pool->getItem($key)->set($key));
        }
        self::assertTrue($this->pool->deleteItem('a'));
        self::assertTrue($this->pool->deleteItem('a'), 'deleting what is not there is no failure');
        self::assertTrue($this->pool->deleteItems(['b', '7', 'absent']));
        self::assertTrue($this->pool->deleteItems([]));
        self::assertSame(
            [null, null, 'c', null],
            array_map(
                static fn(Item $item): mixed => $item->get(),
                $this->itemList($this->pool->getItems(['a', 'b', 'c', '7'])),
            ),
        );
    }

    /** @return iterable<string, array{\Closure(Item, SetClock): Item}> */
    public static function expirations(): iterable
    {
        $past = new \DateInterval('PT1S');
        $past->invert = 1;
        yield 'after 0' => [static fn(Item $item): Item => $item->expiresAfter(0)];
        yield 'after less than 0' => [static fn(Item $item): Item => $item->expiresAfter(-5)];
        yield 'after the smallest' => [static fn(Item $item): Item => $item->expiresAfter(\PHP_INT_MIN)];
        yield 'after no interval' => [static fn(Item $item): Item => $item->expiresAfter(new \DateInterval('PT0S'))];
        yield 'after an interval back' => [static fn(Item $item): Item => $item->expiresAfter($past)];
        yield 'at a moment in the past' => [
            static fn(Item $item, SetClock $clock): Item => $item->expiresAt($clock->now()->modify('-1 second')),
        ];
        yield 'now' => [static fn(Item $item, SetClock $clock): Item => $item->expiresAt($clock->now())];
        yield 'at the beginning of time' => [static fn(Item $item): Item => $item->expiresAt(new \DateTime('@0'))];
        yield 'while it waits to be saved' => [static function (Item $item, SetClock $clock): Item {
            $item->expiresAfter(60);
            $clock->move(60);

            return $item;
        }];
    }

    /** @param \Closure(Item, SetClock): Item $expire */
    #[DataProvider('expirations')]
    public function testSavingAnExpiredItemDeletesIt(\Closure $expire): void
    {
        foreach ([$this->pool->save(...), $this->pool->saveDeferred(...)] as $save) {
            $this->pool->save($this->pool->getItem('key')->set('old'));
            self::assertTrue($save($expire($this->pool->getItem('key')->set('new'), $this->clock)));
            foreach ([1, 2] as $time) {
                self::assertFalse($this->pool->hasItem('key'));
                self::assertFalse($this->pool->getItem('key')->isHit());
                self::assertNull($this->pool->getItem('key')->get());
                self::assertTrue($this->pool->commit());
            }
        }
    }

    public function testDeferredItemExpiresByTheClockOfThePool(): void
    {
        $this->pool->saveDeferred($this->pool->getItem('key')->set('value')->expiresAfter(10));
        $this->clock->move(9.9);
        self::assertTrue($this->pool->hasItem('key'));
        $this->clock->move(0.1);
        self::assertFalse($this->pool->hasItem('key'));
        self::assertFalse($this->pool->getItem('key')->isHit());
    }

    /** The minute starts with expiresAfter() or expiresAt(): an item that is saved 59.6 s later lives for 0.4 s. */
    #[Group('waiting')]
    public function testItemsExpire(): void
    {
        $now = $this->clock->now();
        $moment = \DateTime::createFromImmutable($now)->modify('+60 seconds');
        $go = [
            'seconds' => $this->pool->getItem('seconds')->set('short')->expiresAfter(60),
            'interval' => $this->pool->getItem('interval')->set('short')->expiresAfter(new \DateInterval('PT1M')),
            'moment' => $this->pool->getItem('moment')->set('short')->expiresAt($moment),
            'moment elsewhere' => $this->pool->getItem(
                'moment elsewhere',
            )->set('short')->expiresAt($now->modify('+60 seconds')->setTimezone(new \DateTimeZone('Asia/Tokyo'))),
        ];
        $moment->modify('+1 day');
        $stay = [
            'without' => $this->pool->getItem('without')->set('long'),
            'null at' => $this->pool->getItem('null at')->set('long')->expiresAfter(60)->expiresAt(null),
            'null after' => $this->pool->getItem('null after')->set('long')->expiresAt($moment)->expiresAfter(null),
            'month' => $this->pool->getItem('month')->set('long')->expiresAfter(new \DateInterval('P1M')),
            'ages' => $this->pool->getItem('ages')->set('long')->expiresAfter(\PHP_INT_MAX),
            'far' => $this->pool->getItem('far')->set('long')->expiresAt(new \DateTime('9999-12-31')),
        ];
        $this->clock->move(59.6);
        $start = microtime(true);
        foreach ($go as $key => $item) {
            self::assertTrue($this->pool->save($item));
            self::assertTrue($this->pool->hasItem($key) || microtime(true) >= $start + 0.4, $key . ' went too early');
        }
        foreach ($stay as $item) {
            self::assertTrue($this->pool->save($item));
        }
        $this->pool->saveDeferred($this->pool->getItem('deferred')->set('short')->expiresAt($now->modify(
            '+60 seconds',
        )));
        self::assertTrue($this->pool->commit());
        $this->pool->save($this->pool->getItem('renewed')->set('short')->expiresAt($now->modify('+60 seconds')));
        $this->pool->save($this->pool->getItem('renewed')->set('long'));
        $short = new ItemPool($this->cache, $this->clock, 0.4);
        $short->save($short->getItem('default')->set('short'));
        $short->saveDeferred($short->getItem('deferred default')->set('short'));
        $short->save($short->getItem('longer than the default')->set('long')->expiresAfter(60));
        $short->commit();

        usleep(450_000);

        foreach ([...array_keys($go), 'deferred', 'default', 'deferred default'] as $key) {
            self::assertFalse($this->pool->hasItem($key), $key . ' is there still');
            self::assertFalse($this->pool->getItem($key)->isHit());
        }
        foreach ([...array_keys($stay), 'renewed', 'longer than the default'] as $key) {
            self::assertSame('long', $this->pool->getItem($key)->get(), $key);
        }
    }

    public function testItemPoolRefusesUnserializableValueAndForeignItem(): void
    {
        $this->pool->save($this->pool->getItem('key')->set('old'));
        $this->assertRefuses(
            fn(): mixed => $this->pool->save($this->pool->getItem('key')->set(static fn(): int => 1)),
            'Closure',
        );
        $this->assertRefuses(
            fn(): mixed => $this->pool->saveDeferred($this->pool->getItem('key')->set([static fn(): int => 1])),
            'Closure',
        );
        $foreign = self::createStub(CacheItemInterface::class);
        $this->assertRefuses(fn(): mixed => $this->pool->save($foreign), $foreign::class);
        $this->assertRefuses(fn(): mixed => $this->pool->saveDeferred($foreign), $foreign::class);
        self::assertTrue($this->pool->commit());
        self::assertSame('old', $this->pool->getItem('key')->get());
    }

    private function anotherPool(): ItemPool
    {
        return new ItemPool($this->cache, $this->clock);
    }

    /**
     * @param iterable<string, Item> $items
     * @return list<Item>
     */
    private function itemList(iterable $items): array
    {
        return iterator_to_array($items, false);
    }
}
