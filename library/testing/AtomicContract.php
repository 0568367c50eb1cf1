<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Internal\Key\ReservedKey;
use PHPUnit\Framework\Attributes\Group;

/**
 * add(), replace(), increment(), touch(), swap(), setIf() and pull(), also in several processes at once. If a store
 * lacks them, the test checks that the store reports that.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait AtomicContract
{
    private const INCREMENTS = 500;
    private const FEW_INCREMENTS = 250;

    #[Group('waiting')]
    public function testAddStoresOnlyAbsentKeys(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (self::sampleKeys() as $key) {
                self::assertTrue($this->cache->add($key, ['first']));
                self::assertFalse($this->cache->add($key, 'second'));
                self::assertSame(['first'], $this->cache->get($key));
                $this->cache->delete($key);
                self::assertTrue($this->cache->add($key, null), 'after delete()');
                self::assertFalse($this->cache->add($key, 'null is a value'));
                self::assertNull($this->cache->get($key, 'default'));
            }
            self::within(0.2, function (): void {
                $this->cache->set('short', 1, 0.2);
                self::assertFalse($this->cache->add('short', 2));
            });
            self::assertTrue($this->cache->add('also short', 1, 0.2));
            usleep(250_000);
            self::assertFalse($this->cache->has('also short'));
            self::assertTrue($this->cache->add('short', 2), 'what has expired is not there');
            self::assertSame(2, $this->cache->get('short'));
        });
    }

    /** The lease of a recomputation has its own key, and is deleted by that key, wherever the store keeps it. */
    public function testClaimThatIsAddedCanBeDeleted(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $store = $this->cache->store();
            self::assertInstanceOf(AtomicStore::class, $store);
            $key = ReservedKey::lease('k');
            self::assertTrue($store->add($key, ['owner'], 60));
            self::assertSame(['owner'], $store->get($key));
            $store->delete($key);
            self::assertNull($store->get($key));
            self::assertTrue($store->add($key, ['another'], 60));
        });
    }

    #[Group('waiting')]
    public function testReplaceStoresOnlyPresentKeys(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (self::sampleKeys() as $key) {
                self::assertFalse($this->cache->replace($key, 'nothing there'));
                self::assertFalse($this->cache->has($key));
                $this->cache->set($key, null);
                self::assertTrue($this->cache->replace($key, ['new']));
                self::assertSame(['new'], $this->cache->get($key));
            }
            self::within(0.2, function (): void {
                $this->cache->set('forever', 1, 0.2);
                self::assertTrue($this->cache->replace('forever', 2));
            });
            $this->cache->set('short', 1, 0.2);
            $this->cache->set('shorter', 1);
            self::assertTrue($this->cache->replace('shorter', 2, 0.2));
            usleep(250_000);
            self::assertFalse($this->cache->replace('short', 2), 'what has expired is not there');
            self::assertSame(2, $this->cache->get('forever'));
            self::assertFalse($this->cache->has('shorter'));
        });
    }

    public function testIncrementAndDecrementCount(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (self::sampleKeys() as $key) {
                self::assertSame(1, $this->cache->increment($key));
                self::assertSame(43, $this->cache->increment($key, 42, first: 1000), 'first is for what is not there');
                self::assertSame(43, $this->cache->get($key));
                self::assertSame(-7, $this->cache->decrement($key, 50), 'below 0');
                self::assertSame(-7, $this->cache->get($key));
            }
            self::assertSame(105, $this->cache->increment('from 100', 5, first: 100));
            self::assertSame(110, $this->cache->increment('from 100', 5, first: 100));
            self::assertSame(95, $this->cache->decrement('down from 100', 5, first: 100));
            $this->cache->set('stored', 5);
            self::assertSame(6, $this->cache->increment('stored'));
            self::assertTrue($this->cache->set('stored', 'no integer any more'));
        });
    }

    public function testIncrementIsExactForAnyInteger(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach ([0, -1, 2 ** 53, 2 ** 53 + 1, -(2 ** 53) - 1, \PHP_INT_MAX - 1, \PHP_INT_MIN] as $first) {
                self::assertSame($first + 1, $this->cache->increment('k' . $first, first: $first));
                self::assertSame($first + 1, $this->cache->get('k' . $first));
                $this->cache->set('set' . $first, $first);
                self::assertSame($first + 1, $this->cache->increment('set' . $first));
            }
            self::assertFalse($this->cache->increment('k' . (\PHP_INT_MAX - 1)), 'over the range of int');
            self::assertSame(\PHP_INT_MAX, $this->cache->get('k' . (\PHP_INT_MAX - 1)), 'and nothing has changed');
            $this->cache->set('least', \PHP_INT_MIN);
            self::assertFalse($this->cache->decrement('least'));
            self::assertSame(\PHP_INT_MIN, $this->cache->get('least'));
        });
    }

    public function testIncrementRefusesNonIntegers(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (['5', 5.0, null, true, [5], (object) ['n' => 5], ''] as $value) {
                $this->cache->set('k', $value);
                self::assertFalse($this->cache->increment('k'));
                self::assertFalse($this->cache->increment('k', first: 3));
                self::assertSame(serialize($value), serialize($this->cache->get('k', 'miss')), 'it stays');
            }
        });
    }

    #[Group('waiting')]
    public function testIncrementKeepsExpiry(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $this->cache->increment('forever');
            $this->cache->increment('forever', ttl: 0.3);
            self::within(0.3, function (): void {
                $this->cache->delete('short');
                $this->cache->increment('short', ttl: 0.3);
                $this->cache->increment('short', ttl: 60);
                $this->cache->set('set short', 5, 0.3);
                $this->cache->increment('set short');
            });
            usleep(350_000);
            self::assertFalse($this->cache->has('short'));
            self::assertFalse($this->cache->has('set short'));
            self::assertSame(2, $this->cache->get('forever'));
            self::assertSame(1, $this->cache->increment('short'), 'and begins again');
        });
    }

    #[Group('waiting')]
    public function testTouchChangesOnlyExpiry(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (self::sampleKeys() as $key) {
                self::assertFalse($this->cache->touch($key, 60));
                self::assertFalse($this->cache->has($key));
                self::within(0.3, function () use ($key): void {
                    $this->cache->set($key, ['value' => new \ArrayObject([1])], 0.3);
                    self::assertTrue($this->cache->touch($key, 60));
                });
            }
            self::within(0.3, function (): void {
                $this->cache->set('forever', 1, 0.3);
                self::assertTrue($this->cache->touch('forever', 0));
            });
            self::assertTrue($this->cache->touch('forever', 0), 'once more');
            $this->cache->set('short', 1);
            $this->cache->set('gone', 1, 0.3);
            self::assertTrue($this->cache->touch('short', 0.3));
            usleep(350_000);
            foreach (self::sampleKeys() as $key) {
                self::assertEquals(['value' => new \ArrayObject([1])], $this->cache->get($key));
            }
            self::assertSame(1, $this->cache->get('forever'));
            self::assertFalse($this->cache->has('short'));
            self::assertFalse($this->cache->touch('gone', 60), 'what has expired is not there');
            self::assertFalse($this->cache->has('gone'));
        });
    }

    #[Group('waiting')]
    public function testSwapRequiresExpectedInteger(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (self::sampleKeys() as $key) {
                self::assertFalse($this->cache->swap($key, 0, 1));
                self::assertFalse($this->cache->has($key));
                $this->cache->set($key, 1);
                self::assertFalse($this->cache->swap($key, 2, 3));
                self::assertSame(1, $this->cache->get($key));
                self::assertTrue($this->cache->swap($key, 1, \PHP_INT_MIN));
                self::assertTrue($this->cache->swap($key, \PHP_INT_MIN, \PHP_INT_MIN));
                self::assertSame(\PHP_INT_MIN, $this->cache->get($key));
            }
            foreach (['1', true, 1.0, [1]] as $value) {
                $this->cache->set('k', $value);
                self::assertFalse($this->cache->swap('k', 1, 2));
                self::assertSame($value, $this->cache->get('k'));
            }
            self::within(0.3, function (): void {
                $this->cache->set('short', 1, 0.3);
                self::assertTrue($this->cache->swap('short', 1, 2));
            });
            usleep(350_000);
            self::assertFalse($this->cache->has('short'), 'the expiry stays');
            self::assertFalse($this->cache->swap('short', 2, 3));
        });
    }

    public function testSetIfReplacesExpectedValue(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (self::sampleKeys() as $key) {
                self::assertFalse($this->setIf($key, static fn(): bool => self::fail('there is nothing'), 'new'));
                self::assertFalse($this->cache->has($key));
                $this->cache->set($key, ['old', null]);
                self::assertFalse($this->setIf($key, static fn(mixed $there): bool => $there !== ['old', null], 'new'));
                self::assertSame(['old', null], $this->cache->get($key));
                self::assertTrue($this->setIf(
                    $key,
                    static fn(mixed $there): bool => $there === ['old', null],
                    new \ArrayObject([1]),
                ));
                self::assertEquals(new \ArrayObject([1]), $this->cache->get($key));
                self::assertTrue(
                    $this->setIf($key, static fn(mixed $there): bool => $there instanceof \ArrayObject, null),
                );
                self::assertNull($this->cache->get($key, 'default'));
            }
            [$key] = self::sampleKeys();
            $large = str_repeat('large ', 20_000);
            self::assertTrue($this->setIf($key, static fn(mixed $there): bool => $there === null, $large), 'longer');
            self::assertSame($large, $this->cache->get($key));
            self::assertTrue(
                $this->setIf($key, static fn(mixed $there): bool => $there === $large, 'short'),
                'shorter',
            );
            self::assertSame('short', $this->cache->get($key));
        });
    }

    #[Group('waiting')]
    public function testSetIfSetsTtl(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            self::within(0.3, function (): void {
                $this->cache->set('forever', 1, 0.3);
                self::assertTrue($this->setIf('forever', static fn(mixed $there): bool => $there === 1, 2));
            });
            $this->cache->set('short', 1);
            self::assertTrue($this->setIf('short', static fn(mixed $there): bool => $there === 1, 2, 0.3));
            usleep(350_000);
            self::assertSame([2, null], array_map($this->cache->get(...), ['forever', 'short']));
            self::assertFalse($this->setIf('short', static fn(): bool => true, 3), 'what has expired is not there');
        });
    }

    /** Each process appends to a list if the list has not changed since it was read. */
    public function testConcurrentSetIfLosesNoWrite(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $this->cache->set('list', []);
            $work = function (int $process): int {
                $cache = $this->reopenedCache();
                $i = 0;
                while ($i < 50) {
                    $list = $cache->get('list');
                    usleep(random_int(0, 200));
                    $i += \is_array($list) && Capability::of($cache->store(), AtomicStore::class)
                        ->setIf('list', static fn(mixed $there): bool => $there === $list, [...$list, [$process, $i]])
                        ? 1
                        : 0;
                }

                return $i;
            };
            if (!$this->isShared()) {
                $work(0);
            } else {
                foreach (array_map(
                    static fn(int $process): Fork => Fork::start(static fn(): int => $work($process)),
                    [0, 1, 2],
                ) as $fork) {
                    self::assertSame(50, $fork->result());
                }
            }
            $list = $this->cache->get('list');
            self::assertIsArray($list);
            self::assertCount(!$this->isShared() ? 50 : 150, array_unique($list, \SORT_REGULAR));
        });
    }

    public function testSetIfUnchangedRequiresTheValueOfTheToken(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            self::assertSame('default', $this->cache->getWithToken('k', 'default', $token));
            self::assertNull($token);
            $previous = str_repeat('0', 64);
            foreach ([['value', 1.5], null, new \ArrayObject([1]), 'text', 7] as $value) {
                $this->cache->set('k', $value);
                self::assertEquals($value, $this->cache->getWithToken('k', 'default', $token));
                self::assertIsString($token);
                self::assertFalse($this->cache->setIfUnchanged('k', $previous, 'new'));
                self::assertTrue($this->reopenedCache()->setIfUnchanged('k', $token, ['new'], 60));
                self::assertFalse($this->cache->setIfUnchanged('k', $token, 'again'));
                self::assertSame(['new'], $this->cache->get('k'));
                $previous = $token;
            }
            $this->cache->getWithToken('k', null, $token);
            $this->cache->delete('k');
            self::assertFalse($this->cache->setIfUnchanged('k', (string) $token, 'new'));
            self::assertFalse($this->cache->has('k'));
        });
    }

    public function testSetIfUnchangedKnowsTags(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $this->cache->set('k', 1, tags: ['a']);
            $this->cache->getWithToken('k', null, $token);
            self::assertIsString($token);
            self::assertTrue($this->cache->setIfUnchanged('k', $token, 2, tags: ['b']));
            self::assertSame(2, $this->cache->getWithToken('k', null, $token));
            self::assertIsString($token);
            $this->cache->invalidateTags(['b']);
            self::assertFalse($this->cache->setIfUnchanged('k', $token, 3));
            self::assertSame('default', $this->cache->getWithToken('k', 'default', $token));
            self::assertNull($token);
            $this->cache->delete('k');
        });
    }

    public function testPullGetsAndDeletes(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            foreach (self::sampleKeys() as $key) {
                self::assertSame('default', $this->cache->pull($key, 'default'));
                foreach ([['value', null], null, false, new \ArrayObject([1])] as $value) {
                    self::assertTrue($this->cache->set($key, $value));
                    self::assertEquals($value, $this->cache->pull($key, 'default'));
                    self::assertSame('default', $this->cache->pull($key, 'default'));
                    self::assertSame('default', $this->cache->get($key, 'default'));
                    self::assertFalse($this->cache->replace($key, 'there is nothing'));
                }
                self::assertTrue($this->cache->add($key, 'new'));
                self::assertSame('new', $this->cache->pull($key));
                $this->cache->remember($key, 60, static fn(): int => 8);
                self::assertSame(8, $this->cache->pull($key));
                self::assertSame(1, $this->cache->increment($key));
                self::assertSame(1, $this->cache->pull($key));
            }
            $this->cache->set('tagged', 'value', tags: ['a']);
            self::assertSame('value', $this->cache->pull('tagged'));
            $this->cache->set('tagged', 'out of date', tags: ['a']);
            $this->cache->invalidateTags(['a']);
            self::assertSame('default', $this->cache->pull('tagged', 'default'));
            $this->cache->set('read before', 'value');
            $this->cache->get('read before');
            self::assertSame('value', $this->elsewhere(static fn(Cache $cache): mixed => $cache->pull('read before')));
            self::assertNull($this->cache->get('read before'));
        });
        $this->ifCan(Capability::Keys, function (): void {
            if ($this->cache->can(Capability::Atomic)) {
                $this->cache->set('pulled', 1);
                $this->cache->pull('pulled');
                self::assertNotContains('pulled', iterator_to_array($this->cache->keys(), false));
            }
        });
    }

    public function testConcurrentPullHasOneWinner(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $work = function (int $process): array {
                $cache = $this->reopenedCache();
                $pulled = [];
                for ($key = 0; $key < 50; ++$key) {
                    $pulled[] = $cache->pull("k$key");
                }

                return array_filter($pulled, is_int(...));
            };
            $this->cache->setMany(array_combine(
                array_map(static fn(int $key): string => "k$key", range(0, 49)),
                range(0, 49),
            ));
            $pulled = $this->isShared()
                ? array_merge(...array_map(
                    static fn(Fork $fork): array => (array) $fork->result(),
                    Fork::several(3, static fn(int $process): array => $work($process)),
                ))
                : $work(0);
            self::assertCount(\count($pulled), array_unique($pulled, \SORT_REGULAR), 'none twice');
            if (!$this->mayApplyWhatItRefuses()) {
                self::assertGreaterThanOrEqual(50 - $this->expectedLosses(), \count($pulled));
            }
        });
    }

    public function testUnserializableValueIsNeitherAddedNorReplaced(): void
    {
        $closure = static fn(): int => 1;
        if ($this->cache->can(Capability::Atomic)) {
            self::assertThrows(\Exception::class, fn(): mixed => $this->cache->add('k', $closure));
            self::assertFalse($this->cache->has('k'));
        }
        $this->cache->set('k', 'old');
        if ($this->cache->can(Capability::Atomic)) {
            self::assertThrows(\Exception::class, fn(): mixed => $this->cache->replace('k', $closure));
            self::assertTrue($this->cache->replace('k', 'new'), 'nothing is left locked');
        }
        self::assertSame($this->cache->can(Capability::Atomic) ? 'new' : 'old', $this->cache->get('k', 'old'));
    }

    public function testTooLargeValueIsNotAdded(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $tooLarge = $this->tooLargeToAdd();
            $value = $tooLarge ?? random_bytes(2 << 20);
            self::assertSame($tooLarge === null, $this->cache->add('k', $value));
            self::assertSame($tooLarge === null ? $value : null, $this->cache->get('k'));
        });
    }

    public function testConcurrentIncrementsLoseNone(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $sums = $this->inProcesses(static function (Cache $cache): array {
                $refused = 0;
                // Retried if refused, because a store waits only briefly for a stopped process that holds a lock.
                $add = static function (string $key, int $first) use ($cache, &$refused): int|false {
                    $end = microtime(true) + 30;
                    do {
                        $sum = $cache->increment($key, first: $first);
                        $refused += $sum === false ? 1 : 0;
                    } while ($sum === false && microtime(true) < $end);

                    return $sum;
                };
                $sums = [];
                for ($i = 0; $i < self::INCREMENTS; ++$i) {
                    $sums[] = $add('sum', 0);
                    if ($i % 4 === 0) {
                        $add('from 1000', 1000);
                    }
                }

                return [$sums, $refused];
            });
            if (!$this->isShared()) {
                self::assertSame([null, null], [$this->cache->get('sum'), $this->cache->get('from 1000')]);

                return;
            }
            $all = array_merge(...array_column($sums, 0));
            sort($all);
            $refused = $this->mayApplyWhatItRefuses() ? array_sum(array_column($sums, 1)) : 0;
            $counted = self::INCREMENTS * self::PROCESSES;
            $this->assertBetween($counted, $counted + $refused, $this->cache->get('sum'));
            $this->assertBetween(
                1000 + intdiv($counted, 4),
                1000 + intdiv($counted, 4) + $refused,
                $this->cache->get('from 1000'),
            );
            if ($refused === 0) {
                self::assertSame(range(1, $counted), $all, 'no sum is given twice');
            } else {
                self::assertCount($counted, array_unique($all), 'no sum is given twice');
            }
        });
    }

    /** The control: counting by get() and set() loses increments. */
    public function testConcurrentGetAndSetLoseIncrements(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $this->cache->set('sum', 0);
            $this->inProcesses(static function (Cache $cache): bool {
                for ($i = 0; $i < self::FEW_INCREMENTS; ++$i) {
                    $sum = $cache->get('sum');
                    if ($i % 10 === 0) {
                        usleep(1);
                    }
                    $cache->set('sum', (\is_int($sum) ? $sum : 0) + 1);
                }

                return true;
            });
            self::assertLessThan(self::PROCESSES * self::FEW_INCREMENTS, $this->cache->get('sum'));
        });
    }

    public function testConcurrentAddHasOneWinner(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            $won = $this->inProcesses(static function (Cache $cache, int $process): array {
                $won = [];
                for ($i = 0; $i < 200; ++$i) {
                    if (self::isWon(
                        static fn(): bool => $cache->add('key ' . $i, [$process]),
                        static fn(): bool => $cache->has('key ' . $i),
                    )) {
                        $won[$i] = $process;
                    }
                }

                return $won;
            });
            if (!$this->isShared()) {
                self::assertSame(200 * self::PROCESSES, array_sum(array_map(count(...), $won)));

                return;
            }
            self::assertSame(200, array_sum(array_map(count(...), $won)));
            foreach ($won as $process => $keys) {
                foreach (array_keys($keys) as $i) {
                    self::assertSame([$process], $this->cache->get('key ' . $i), 'who was told so did add');
                }
            }
        });
    }

    /**
     * Tries until it wins or the outcome is decided: a store with locks refuses changes while a lock's holder is
     * stopped.
     *
     * @param \Closure(): bool $try
     * @param \Closure(): bool $isDecided
     */
    private static function isWon(\Closure $try, \Closure $isDecided): bool
    {
        for ($end = microtime(true) + 60.0; !$try();) {
            if ($isDecided() || microtime(true) > $end) {
                return false;
            }
        }

        return true;
    }

    public function testConcurrentSwapHasOneWinner(): void
    {
        $this->ifCan(Capability::Atomic, function (): void {
            for ($i = 0; $i < 200; ++$i) {
                // A stalled machine may refuse a set(), and no process could win a missing key.
                self::assertTrue(self::isWon(
                    fn(): bool => $this->cache->set('key ' . $i, 0),
                    static fn(): bool => false,
                ));
            }
            $won = $this->inProcesses(static function (Cache $cache, int $process): int {
                $won = 0;
                for ($i = 0; $i < 200; ++$i) {
                    $isWon = self::isWon(
                        static fn(): bool => $cache->swap('key ' . $i, 0, $process + 1),
                        static fn(): bool => $cache->get('key ' . $i) !== 0,
                    );
                    $won += $isWon ? 1 : 0;
                }

                return $won;
            });
            self::assertSame($this->isShared() ? 200 : 200 * self::PROCESSES, array_sum($won));
        });
    }

    private function assertBetween(int $least, int $most, mixed $number): void
    {
        self::assertIsInt($number);
        self::assertGreaterThanOrEqual($least, $number);
        self::assertLessThanOrEqual($most, $number);
    }
}
