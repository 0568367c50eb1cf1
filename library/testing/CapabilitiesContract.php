<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;
use PHPUnit\Framework\TestCase;

/**
 * What a store promises of what only some stores can do, also while many processes do it at once. A store's test inherits
 * it and says how the store is opened and what it can do; of the rest the same tests check that it is refused. It forks, so
 * it needs the extensions pcntl and posix.
 */
abstract class CapabilitiesContract extends TestCase
{
    use Timely;

    private const PROCESSES = 4;
    private const TIMES = 1000;
    private const FEW_TIMES = 250;

    private string $namespace;
    private Cache $cache;

    /**
     * Opens a store with that namespace. One that was opened and filled before with the same namespace is found again,
     * unless isOnlyInItsObject().
     *
     * @param string $namespace letters and digits
     */
    abstract protected function open(string $namespace): Store;

    /** @return list<Capability> */
    protected function capabilities(): array
    {
        return \array_slice(Capability::cases(), 0, -1); // but the last, Prune
    }

    /** True for a store in which what has expired is there until it is removed. */
    protected function prunes(): bool
    {
        return false;
    }

    /** True for a store whose values are in the object and nowhere else, so that processes do not meet in it. */
    protected function isOnlyInItsObject(): bool
    {
        return false;
    }

    /** False for a store that other machines may share, where it is not to be seen whether a process lives. */
    protected function isOnThisMachine(): bool
    {
        return true;
    }

    /** The longest key that is listed, in bytes. */
    protected function longestListed(): int
    {
        return 65_535;
    }

    /** True for a store that says false, too, of what it has done, and cannot tell to others. */
    protected function mayHaveDoneWhatItRefused(): bool
    {
        return false;
    }

    /** A value over the limit of the store; null when it has none but memory or disk. */
    protected function tooLarge(): ?string
    {
        return null;
    }

    protected function setUp(): void
    {
        $this->namespace = 'capability' . bin2hex(random_bytes(4));
        $this->cache = new Cache($this->open($this->namespace));
    }

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    public function testItCanWhatItSays(): void
    {
        $expected = [...$this->capabilities(), ...($this->prunes() ? [Capability::Prune] : [])];
        self::assertSame($expected, array_values(array_filter(Capability::cases(), $this->cache->can(...))));
    }

    public function testWhatItCannotIsRefusedWithTheStoresThatCan(): void
    {
        $calls = [
            [Capability::Atomic, fn(): bool => $this->cache->add('k', 1)],
            [Capability::Atomic, fn(): bool => $this->cache->replace('k', 1)],
            [Capability::Atomic, fn(): int|false => $this->cache->increment('k')],
            [Capability::Atomic, fn(): bool => $this->cache->touch('k', 1)],
            [Capability::Atomic, fn(): bool => $this->cache->swap('k', 1, 2)],
            [Capability::Atomic, fn(): bool => $this->setIf('k', static fn(): bool => true, 1)],
            [Capability::Lock, fn(): mixed => $this->cache->lock('k', 1)],
            [Capability::Keys, fn(): iterable => $this->cache->keys()],
            [Capability::Expiry, fn(): mixed => $this->cache->expiry('k')],
            [Capability::Prune, fn(): int => $this->cache->prune()],
        ];
        foreach ($calls as [$capability, $call]) {
            $message = '';

            try {
                $call();
            } catch (NotSupported $refusal) {
                $message = $refusal->getMessage();
            }
            $expected = \sprintf('%s cannot %s. Stores that can: %s', Capability::nameOf($this->cache->store()), $capability->words(), implode(', ', $capability->stores()));
            self::assertSame($this->cache->can($capability) ? '' : $expected, $message);
        }
    }

    public function testAddStoresWhereThereIsNothing(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            foreach ($this->keys() as $key) {
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

    public function testReplaceStoresWhereThereIsSomething(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            foreach ($this->keys() as $key) {
                self::assertFalse($this->cache->replace($key, 'nothing there'));
                self::assertFalse($this->cache->has($key));
                $this->cache->set($key, null);
                self::assertTrue($this->cache->replace($key, ['new']));
                self::assertSame(['new'], $this->cache->get($key));
            }
            self::within(0.2, function (): void {
                $this->cache->set('for ever', 1, 0.2);
                self::assertTrue($this->cache->replace('for ever', 2));
            });
            $this->cache->set('short', 1, 0.2);
            $this->cache->set('shorter', 1);
            self::assertTrue($this->cache->replace('shorter', 2, 0.2));
            usleep(250_000);
            self::assertFalse($this->cache->replace('short', 2), 'what has expired is not there');
            self::assertSame(2, $this->cache->get('for ever'));
            self::assertFalse($this->cache->has('shorter'));
        });
    }

    public function testIncrementCounts(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            foreach ($this->keys() as $key) {
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

    public function testIntegersOfAnySizeAreExact(): void
    {
        $this->needs(Capability::Atomic, function (): void {
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

    public function testWhatIsNoIntegerIsNotCounted(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            foreach (['5', 5.0, null, true, [5], (object) ['n' => 5], ''] as $value) {
                $this->cache->set('k', $value);
                self::assertFalse($this->cache->increment('k'));
                self::assertFalse($this->cache->increment('k', first: 3));
                self::assertSame(serialize($value), serialize($this->cache->get('k', 'miss')), 'it stays');
            }
        });
    }

    public function testACounterKeepsItsExpiry(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            $this->cache->increment('for ever');
            $this->cache->increment('for ever', ttl: 0.3);
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
            self::assertSame(2, $this->cache->get('for ever'));
            self::assertSame(1, $this->cache->increment('short'), 'and begins again');
        });
    }

    public function testTouchChangesTheExpiryAlone(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            foreach ($this->keys() as $key) {
                self::assertFalse($this->cache->touch($key, 60));
                self::assertFalse($this->cache->has($key));
                self::within(0.3, function () use ($key): void {
                    $this->cache->set($key, ['value' => new \ArrayObject([1])], 0.3);
                    self::assertTrue($this->cache->touch($key, 60));
                });
            }
            self::within(0.3, function (): void {
                $this->cache->set('for ever', 1, 0.3);
                self::assertTrue($this->cache->touch('for ever', 0));
            });
            self::assertTrue($this->cache->touch('for ever', 0), 'once more');
            $this->cache->set('short', 1);
            $this->cache->set('gone', 1, 0.3);
            self::assertTrue($this->cache->touch('short', 0.3));
            usleep(350_000);
            foreach ($this->keys() as $key) {
                self::assertEquals(['value' => new \ArrayObject([1])], $this->cache->get($key));
            }
            self::assertSame(1, $this->cache->get('for ever'));
            self::assertFalse($this->cache->has('short'));
            self::assertFalse($this->cache->touch('gone', 60), 'what has expired is not there');
            self::assertFalse($this->cache->has('gone'));
        });
    }

    public function testSwapNeedsTheOldInteger(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            foreach ($this->keys() as $key) {
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

    public function testSettingIfStoresOverWhatIsExpected(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            foreach ($this->keys() as $key) {
                self::assertFalse($this->setIf($key, static fn(): bool => self::fail('there is nothing'), 'new'));
                self::assertFalse($this->cache->has($key));
                $this->cache->set($key, ['old', null]);
                self::assertFalse($this->setIf($key, static fn(mixed $there): bool => $there !== ['old', null], 'new'));
                self::assertSame(['old', null], $this->cache->get($key));
                self::assertTrue($this->setIf($key, static fn(mixed $there): bool => $there === ['old', null], new \ArrayObject([1])));
                self::assertEquals(new \ArrayObject([1]), $this->cache->get($key));
                self::assertTrue($this->setIf($key, static fn(mixed $there): bool => $there instanceof \ArrayObject, null));
                self::assertNull($this->cache->get($key, 'default'));
            }
            [$key] = $this->keys();
            $large = str_repeat('large ', 20_000);
            self::assertTrue($this->setIf($key, static fn(mixed $there): bool => $there === null, $large), 'longer');
            self::assertSame($large, $this->cache->get($key));
            self::assertTrue($this->setIf($key, static fn(mixed $there): bool => $there === $large, 'short'), 'shorter');
            self::assertSame('short', $this->cache->get($key));
        });
    }

    public function testSettingIfGivesATtl(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            self::within(0.3, function (): void {
                $this->cache->set('for ever', 1, 0.3);
                self::assertTrue($this->setIf('for ever', static fn(mixed $there): bool => $there === 1, 2));
            });
            $this->cache->set('short', 1);
            self::assertTrue($this->setIf('short', static fn(mixed $there): bool => $there === 1, 2, 0.3));
            usleep(350_000);
            self::assertSame([2, null], array_map($this->cache->get(...), ['for ever', 'short']));
            self::assertFalse($this->setIf('short', static fn(): bool => true, 3), 'what has expired is not there');
        });
    }

    /** Each adds what it has to a list, if the list is as it was read: nothing is lost. */
    public function testOfProcessesThatSetIfNoneWritesOverAnother(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            $this->cache->set('list', []);
            $work = function (int $process): int {
                $cache = new Cache($this->isOnlyInItsObject() ? $this->cache->store() : $this->open($this->namespace));
                $i = 0;
                while ($i < 50) {
                    $list = $cache->get('list');
                    usleep(random_int(0, 200));
                    $i += \is_array($list) && Capability::of($cache->store(), AtomicStore::class)->setIf('list', static fn(mixed $there): bool => $there === $list, [...$list, [$process, $i]]) ? 1 : 0;
                }

                return $i;
            };
            if ($this->isOnlyInItsObject()) {
                $work(0);
            } else {
                foreach (array_map(static fn(int $process): Fork => Fork::start(static fn(): int => $work($process)), [0, 1, 2]) as $fork) {
                    self::assertSame(50, $fork->result());
                }
            }
            $list = $this->cache->get('list');
            self::assertIsArray($list);
            self::assertCount($this->isOnlyInItsObject() ? 50 : 150, array_unique($list, \SORT_REGULAR));
        });
    }

    public function testALockIsHadOnceUntilItIsReleased(): void
    {
        $this->needs(Capability::Lock, function (): void {
            $this->cache->set('k', 'value');
            $lock = $this->cache->lock('k', 60);
            self::assertNotNull($lock);
            self::assertNull($this->cache->lock('k', 60));
            self::assertNotNull($this->cache->lock(str_repeat('long', 16_383), 60), 'another lock');
            self::assertSame('value', $this->cache->get('k'), 'locks and values do not meet');
            $start = microtime(true);
            self::assertNull($this->cache->lock('k', 60, wait: 0.1));
            self::assertGreaterThan(0.09, microtime(true) - $start);
            self::assertTrue($lock->release());
            self::assertFalse($lock->release(), 'once');
            $next = $this->cache->lock('k', 60);
            self::assertNotNull($next);
            self::assertNotSame($lock->token, $next->token);
            self::assertFalse($lock->release());
            self::assertNull($this->cache->lock('k', 60), 'the old owner has not released the new lock');
            self::assertTrue($next->release());
        });
    }

    public function testALockFallsWhenItsTimeIsOver(): void
    {
        $this->needs(Capability::Lock, function (): void {
            [$start, $old, $left] = [0.0, null, null];
            self::within(0.3, function () use (&$start, &$old, &$left): void {
                $this->cache->clear();
                $start = microtime(true);
                $old = $this->cache->lock('k', 0.3);
                $left = $this->cache->lock('left', 0.1);
                self::assertNull($this->cache->lock('k', 60));
            });
            self::assertNotNull($old);
            $new = $this->cache->lock('k', 60, wait: 10);
            self::assertWaited(0.3, $start);
            self::assertNotNull($new);
            self::assertFalse($old->release());
            self::assertFalse($left?->release(), 'also when nobody has taken it');
            self::assertNull($this->cache->lock('k', 60));
            self::assertTrue($new->release());
        });
    }

    public function testKeysAreListed(): void
    {
        $this->needs(Capability::Keys, function (): void {
            $keys = ['a', 'b:1', 'b:2', '7', ...$this->keys()];
            foreach ($keys as $key) {
                $this->cache->set($key, 'value of ' . $key);
            }
            $this->cache->set('with ttl', 1, 60);
            $this->cache->set('gone', 1, 0.05);
            $this->cache->set('deleted', 1);
            $this->cache->delete('deleted');
            $other = $this->isOnlyInItsObject() ? $this->cache : new Cache($this->open($this->namespace . 'x'));
            $other->set('a', 'of another namespace');
            if ($this->cache->can(Capability::Lock)) {
                $this->cache->lock('a lock is no value', 60);
            }
            usleep(60_000);
            $keys = array_values(array_filter([...$keys, 'with ttl'], fn(string $key): bool => \strlen($key) <= $this->longestListed()));
            sort($keys, \SORT_STRING);
            $listed = [...$this->cache->keys()];
            sort($listed, \SORT_STRING);
            self::assertSame($keys, $listed);
            self::assertEqualsCanonicalizing(['b:1', 'b:2'], [...$this->cache->keys('b:')]);
            $other->clear();
        });
    }

    public function testTheExpiryIsTold(): void
    {
        $this->needs(Capability::Expiry, function (): void {
            $before = microtime(true);
            foreach ($this->keys() as $key) {
                self::assertNull($this->cache->expiry($key));
                $this->cache->set($key, null);
                self::assertSame(0.0, $this->cache->expiry($key), 'never');
                $this->cache->set($key, ['value'], 100);
                self::assertEqualsWithDelta($before + 100, $this->cache->expiry($key), 10.0);
                self::assertSame(['value'], $this->cache->get($key), 'asking changes nothing');
            }
            $this->cache->set('gone', 1, 0.05);
            $this->cache->set('7', 'seven', 50);
            usleep(60_000);
            self::assertNull($this->cache->expiry('gone'));
            $store = $this->cache->store();
            if ($store instanceof ExpiryAwareStore) {
                $entries = $store->entries(['gone', '7', ...$this->keys()]);
                self::assertEqualsCanonicalizing(['7', ...$this->keys()], array_map(strval(...), array_keys($entries)));
                self::assertSame('seven', $entries['7']->stored);
                self::assertSame([], $store->entries([]));
            }
            $this->cache->touch('7', 1000);
            self::assertEqualsWithDelta(microtime(true) + 1000, $this->cache->expiry('7'), 10.0);
        });
    }

    public function testPruneRemovesWhatHasExpired(): void
    {
        $this->needs(Capability::Prune, function (): void {
            $this->cache->prune();
            $this->cache->set('for ever', 1);
            $this->cache->set('long', 1, 1000);
            foreach (range(1, 5) as $i) {
                $this->cache->set("short $i", 1, 0.05);
            }
            $other = new Cache($this->open($this->namespace . 'x'));
            $other->set('of another namespace', 1, 0.05);
            usleep(60_000);
            // Writes may have removed some.
            self::assertLessThanOrEqual(5, $this->cache->prune());
            self::assertSame(0, $this->cache->prune());
            self::assertSame([1, 1], [$this->cache->get('for ever'), $this->cache->get('long')]);
            self::assertLessThanOrEqual(1, $other->prune());
            $other->clear();
        });
    }

    public function testBadKeysAndLifetimesAreRefused(): void
    {
        $calls = [
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->add($key, 1, $ttl), true],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->replace($key, 1, $ttl), true],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->increment($key, ttl: $ttl), true],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->increment($key, first: 1, ttl: $ttl), true],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->touch($key, $ttl), true],
            [Capability::Atomic, fn(string $key): mixed => $this->cache->swap($key, 1, 2), false],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->setIf($key, static fn(): bool => true, 1, $ttl), true],
            [Capability::Expiry, fn(string $key): mixed => $this->cache->expiry($key), false],
            [Capability::Lock, fn(string $key, float $ttl): mixed => $this->cache->lock($key, $ttl), true],
            [Capability::Lock, fn(string $key, float $ttl): mixed => $this->cache->lock($key, 1, wait: $ttl), true],
        ];
        foreach ($calls as [$capability, $call, $takesTtl]) {
            $this->assertThrows($this->cache->can($capability) ? InvalidKey::class : NotSupported::class, static fn(): mixed => $call('', 1.0));
            $this->assertThrows($this->cache->can($capability) ? InvalidKey::class : NotSupported::class, static fn(): mixed => $call(str_repeat('x', 65_536), 1.0));
            foreach ($takesTtl ? [-1.0, \NAN] : [] as $ttl) {
                $this->assertThrows($this->cache->can($capability) ? InvalidTtl::class : NotSupported::class, static fn(): mixed => $call('k', $ttl));
            }
        }
        if ($this->cache->can(Capability::Lock)) {
            $this->assertThrows(InvalidTtl::class, fn(): mixed => $this->cache->lock('k', 0));
            $this->assertThrows(InvalidTtl::class, fn(): mixed => $this->cache->lock('k', \INF));
        }
    }

    public function testWhatCannotBeSerializedThrowsAndLeavesAllAsItWas(): void
    {
        $closure = static fn(): int => 1;
        if ($this->cache->can(Capability::Atomic)) {
            $this->assertThrows(\Exception::class, fn(): mixed => $this->cache->add('k', $closure));
            self::assertFalse($this->cache->has('k'));
        }
        $this->cache->set('k', 'old');
        if ($this->cache->can(Capability::Atomic)) {
            $this->assertThrows(\Exception::class, fn(): mixed => $this->cache->replace('k', $closure));
            self::assertTrue($this->cache->replace('k', 'new'), 'nothing is left locked');
        }
        self::assertSame($this->cache->can(Capability::Atomic) ? 'new' : 'old', $this->cache->get('k', 'old'));
    }

    public function testWhatIsTooLargeIsNotAdded(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            $value = $this->tooLarge() ?? random_bytes(2 << 20);
            self::assertSame($this->tooLarge() === null, $this->cache->add('k', $value));
            self::assertSame($this->tooLarge() === null ? $value : null, $this->cache->get('k'));
        });
    }

    public function testEveryAdditionOfManyProcessesArrives(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            $sums = $this->inProcesses(self::PROCESSES, static function (Cache $cache): array {
                $refused = 0;
                // Tried again where it was refused: nobody waits long for a process that was stopped while it had a lock.
                $add = static function (string $key, int $first) use ($cache, &$refused): int|false {
                    $end = microtime(true) + 30;
                    do {
                        $sum = $cache->increment($key, first: $first);
                        $refused += $sum === false ? 1 : 0;
                    } while ($sum === false && microtime(true) < $end);

                    return $sum;
                };
                $sums = [];
                for ($i = 0; $i < self::TIMES; ++$i) {
                    $sums[] = $add('sum', 0);
                    if ($i % 4 === 0) {
                        $add('from 1000', 1000);
                    }
                }

                return [$sums, $refused];
            });
            if ($this->isOnlyInItsObject()) {
                self::assertSame([null, null], [$this->cache->get('sum'), $this->cache->get('from 1000')]);

                return;
            }
            $all = array_merge(...array_column($sums, 0));
            sort($all);
            $refused = $this->mayHaveDoneWhatItRefused() ? array_sum(array_column($sums, 1)) : 0;
            $counted = self::TIMES * self::PROCESSES;
            $this->assertBetween($counted, $counted + $refused, $this->cache->get('sum'));
            $this->assertBetween(1000 + intdiv($counted, 4), 1000 + intdiv($counted, 4) + $refused, $this->cache->get('from 1000'));
            if ($refused === 0) {
                self::assertSame(range(1, $counted), $all, 'no sum is given twice');
            } else {
                self::assertCount($counted, array_unique($all), 'no sum is given twice');
            }
        });
    }

    /** The control: counting by get() and set() loses some. */
    public function testWithoutIncrementSomeAreLost(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            $this->cache->set('sum', 0);
            $this->inProcesses(self::PROCESSES, static function (Cache $cache): bool {
                for ($i = 0; $i < self::FEW_TIMES; ++$i) {
                    $sum = $cache->get('sum');
                    if ($i % 10 === 0) {
                        usleep(1);
                    }
                    $cache->set('sum', (\is_int($sum) ? $sum : 0) + 1);
                }

                return true;
            });
            self::assertLessThan(self::PROCESSES * self::FEW_TIMES, $this->cache->get('sum'));
        });
    }

    public function testOfManyProcessesOneAdds(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            $won = $this->inProcesses(self::PROCESSES, static function (Cache $cache, int $process): array {
                $won = [];
                for ($i = 0; $i < 200; ++$i) {
                    if ($cache->add('key ' . $i, [$process])) {
                        $won[$i] = $process;
                    }
                }

                return $won;
            });
            if ($this->isOnlyInItsObject()) {
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

    public function testOfManyProcessesOneSwaps(): void
    {
        $this->needs(Capability::Atomic, function (): void {
            for ($i = 0; $i < 200; ++$i) {
                $this->cache->set('key ' . $i, 0);
            }
            $won = $this->inProcesses(self::PROCESSES, static function (Cache $cache, int $process): int {
                $won = 0;
                for ($i = 0; $i < 200; ++$i) {
                    $won += $cache->swap('key ' . $i, 0, $process + 1) ? 1 : 0;
                }

                return $won;
            });
            self::assertSame($this->isOnlyInItsObject() ? 0 : 200, array_sum($won));
        });
    }

    /** Each enters, marks, looks whether it is alone and leaves, many times. */
    public function testALockIsHeldByOneProcessAtATime(): void
    {
        $this->needs(Capability::Lock, function (): void {
            $file = (string) tempnam(sys_get_temp_dir(), 'larder-lock-');
            $entered = $this->inProcesses(self::PROCESSES, static function (Cache $cache, int $process) use ($file): array {
                [$entered, $met, $released] = [0, 0, 0];
                for ($i = 0; $i < 25; ++$i) {
                    $lock = $cache->lock('one at a time', 20, wait: 20);
                    if ($lock !== null) {
                        ++$entered;
                        file_put_contents($file, $process);
                        usleep(50);
                        $met += file_get_contents($file) !== (string) $process ? 1 : 0;
                        $released += $lock->release() ? 1 : 0;
                    }
                }

                return [$entered, $met, $released];
            });
            unlink($file);
            self::assertSame(array_fill(0, self::PROCESSES, 25), array_column($entered, 0));
            if (!$this->isOnlyInItsObject()) {
                self::assertSame(array_fill(0, self::PROCESSES, [25, 0, 25]), $entered);
            }
        });
    }

    public function testAKilledOwnerOfALockIsSucceeded(): void
    {
        $this->needsProcesses(Capability::Lock, function (): void {
            $start = 0.0;
            self::within(1.0, function () use (&$start): void {
                $this->cache->clear();
                $start = microtime(true);
                // A fork ends by SIGKILL.
                self::assertTrue(Fork::run(fn(): bool => (new Cache($this->open($this->namespace)))->lock('k', 1) !== null));
                if (!$this->isOnThisMachine()) {
                    self::assertNull($this->cache->lock('k', 60));
                }
            });
            if (!$this->isOnThisMachine()) {
                self::assertNotNull($this->cache->lock('k', 60, wait: 10));
                self::assertWaited(1.0, $start);

                return;
            }
            self::assertTrue(Fork::run(fn(): bool => (new Cache($this->open($this->namespace)))->lock('k', 60) !== null));
            self::assertNotNull($this->cache->lock('k', 60, wait: 10), 'long before its time');
        });
    }

    /** The control: a lock that names no owner is waited for. */
    public function testALockByTtlStaysWhenItsProcessEnds(): void
    {
        $this->needsProcesses(Capability::Lock, function (): void {
            $start = 0.0;
            $take = fn(): ?string => (new Cache($this->open($this->namespace)))->lock('k', 1, ends: LockLifetime::Ttl)?->token;
            self::within(1.0, function () use (&$start, $take): void {
                $this->cache->clear();
                $start = microtime(true);
                self::assertNotNull(Fork::run($take));
                self::assertNull($this->cache->lock('k', 60));
            });
            self::assertNotNull($this->cache->lock('k', 60, wait: 10));
            self::assertWaited(1.0, $start);
        });
    }

    public function testALockMayBeReleasedInAnotherProcess(): void
    {
        $this->needsProcesses(Capability::Lock, function (): void {
            $store = $this->locks();
            $token = Fork::run(static fn(): string|false|null => $store->acquire('k', 60, LockLifetime::Ttl));
            self::assertIsString($token);
            self::assertFalse($store->release('k', 'x' . $token));
            self::assertNull($store->acquire('k', 60));
            self::assertTrue($store->release('k', $token));
            self::assertIsString($store->acquire('k', 60));
        });
    }

    public function testALockMayHaveATokenOfTheCallersOwn(): void
    {
        $this->needs(Capability::Lock, function (): void {
            $store = $this->locks();
            self::assertNull($store->holder('k'));
            self::assertSame('mine', $store->acquire('k', 60, token: 'mine'));
            self::assertSame('mine', $store->holder('k'));
            self::assertNull($store->acquire('k', 60, token: 'mine'), 'once, whoever asks');
            self::assertNull($store->holder('other'));
            self::assertFalse($store->release('k', 'theirs'));
            self::assertTrue($store->renew('k', 'mine', 30));
            self::assertSame('mine', $store->holder('k'));
            self::assertTrue($store->release('k', 'mine'));
            self::assertNull($store->holder('k'));
            $token = $store->acquire('k', 60);
            self::assertSame($token, $store->holder('k'));
        });
    }

    public function testALivingOwnerKeepsALockThatEndsWithIt(): void
    {
        $this->needsProcesses(Capability::Lock, function (): void {
            $store = $this->locks();
            $owner = null;
            self::within(0.6, function () use ($store, &$owner): void {
                $owner?->kill();
                $this->cache->clear();
                $owner = Fork::start(function (): void {
                    $this->locks()->acquire('k', 0.6, LockLifetime::Process);
                    $this->cache->set('taken', true);
                    usleep(30_000_000);
                });
                for ($end = microtime(true) + 60; $this->cache->get('taken') !== true && microtime(true) < $end;) {
                    usleep(1000);
                }
                self::assertNull($store->acquire('k', 60), 'its time is not over');
            });
            usleep(700_000);
            $token = $store->acquire('k', 60);
            $owner?->kill();
            if (!$this->isOnThisMachine()) {
                self::assertIsString($token, 'a server goes by time');

                return;
            }
            self::assertNull($token, 'its time is over, and its owner lives');
            self::assertIsString($store->acquire('k', 60), 'its owner was killed');
        });
    }

    public function testALockCanBeRenewed(): void
    {
        $this->needs(Capability::Lock, function (): void {
            $lock = null;
            self::within(0.3, function () use (&$lock): void {
                $lock?->release();
                $lock = $this->cache->lock('k', 0.3);
                self::assertTrue($lock?->renew(60));
            });
            self::assertNotNull($lock);
            usleep(400_000);
            self::assertNull($this->cache->lock('k', 60));
            self::assertTrue($lock->renew(0.1));
            usleep(150_000);
            self::assertFalse($lock->renew(60), 'it has fallen');
            $next = $this->cache->lock('k', 60);
            self::assertNotNull($next);
            self::assertFalse($lock->renew(60), 'another has it');
            self::assertTrue($next->release());
            self::assertFalse($next->renew(60));
        });
    }

    public function testALockFallsWhenAllIsCleared(): void
    {
        $this->needs(Capability::Lock, function (): void {
            $lock = $this->cache->lock('k', 60);
            $this->cache->clear();
            self::assertNotNull($this->cache->lock('k', 60));
            self::assertFalse($lock?->release());
        });
    }

    /**
     * @template T
     * @param \Closure(Cache, int): T $work
     * @return list<T>
     */
    private function inProcesses(int $count, \Closure $work): array
    {
        $start = microtime(true) + 0.1;
        $forks = [];
        for ($process = 0; $process < $count; ++$process) {
            $forks[] = Fork::start(function () use ($start, $work, $process): mixed {
                $cache = new Cache($this->open($this->namespace));
                usleep((int) max(0, 1e6 * ($start - microtime(true))));

                return $work($cache, $process);
            });
        }

        return array_map(static function (Fork $fork): mixed {
            /** @var T $result */
            $result = $fork->result();

            return $result;
        }, $forks);
    }

    private function locks(): LockingStore
    {
        return Capability::of($this->open($this->namespace), LockingStore::class);
    }

    /** @param \Closure(): void $test of what processes do together */
    private function needsProcesses(Capability $capability, \Closure $test): void
    {
        if ($this->isOnlyInItsObject()) {
            self::assertNotSame($this->open($this->namespace), $this->open($this->namespace), 'no other process has it');
        } else {
            $this->needs($capability, $test);
        }
    }

    /** @param \Closure(): void $test */
    private function needs(Capability $capability, \Closure $test): void
    {
        if (\in_array($capability, $this->capabilities(), true) || ($capability === Capability::Prune && $this->prunes())) {
            $test();
        } else {
            self::assertFalse($this->cache->can($capability));
        }
    }

    private function assertBetween(int $least, int $most, mixed $number): void
    {
        self::assertIsInt($number);
        self::assertGreaterThanOrEqual($least, $number);
        self::assertLessThanOrEqual($most, $number);
    }

    /** @return list<string> short, long, of any bytes */
    private function keys(): array
    {
        return ['a key', str_repeat('long', 200), "any bytes \0 / ../ \xff", str_repeat('longest', 9362)];
    }

    /**
     * @param class-string<\Throwable> $exception
     * @param \Closure(): mixed $call
     */
    private function assertThrows(string $exception, \Closure $call): void
    {
        try {
            $call();
        } catch (\Throwable $thrown) {
            self::assertInstanceOf($exception, $thrown);

            return;
        }
        self::fail($exception . ' was not thrown');
    }

    /** @param \Closure(mixed): bool $isExpected */
    private function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return Capability::of($this->cache->store(), AtomicStore::class)->setIf($key, $isExpected, $value, $ttl);
    }
}
