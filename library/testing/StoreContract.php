<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

/**
 * What every store promises. A store's test inherits it and says how the store is opened; where the store is allowed to
 * differ, it says so by the methods below, and the same tests check that it does. It forks, so it needs the extensions
 * pcntl and posix.
 */
abstract class StoreContract extends TestCase
{
    private const MISS = 'nothing there';

    private string $namespace;
    private Store $store;

    /**
     * Opens a store with that namespace. One that was opened and filled before with the same namespace is found again,
     * unless isOnlyInItsObject().
     *
     * @param string $namespace letters and digits
     */
    abstract protected function open(string $namespace): Store;

    /** False for a store that keeps nothing on purpose. */
    protected function keeps(): bool
    {
        return true;
    }

    /** True for a store whose values are in the object and nowhere else. */
    protected function isOnlyInItsObject(): bool
    {
        return false;
    }

    /** False for a store that has the whole place to itself, so that clear() empties it. */
    protected function hasNamespaces(): bool
    {
        return true;
    }

    /** Seconds until a clear() is seen by other processes. */
    protected function clearDelay(): float
    {
        return 0.0;
    }

    /** Seconds until what another process has changed is seen. */
    protected function changeDelay(): float
    {
        return 0.0;
    }

    /** A value over the limit of the store; null when it has none but memory or disk. */
    protected function tooLarge(): ?string
    {
        return null;
    }

    /** Puts something of somebody else's into the place, as close to the store's own values as can be. */
    protected function plantNeighbour(): void {}

    protected function neighbourIsThere(): bool
    {
        return true;
    }

    protected function setUp(): void
    {
        $this->namespace = 'contract' . bin2hex(random_bytes(4));
        $this->store = $this->open($this->namespace);
    }

    protected function tearDown(): void
    {
        $this->store->clear();
    }

    public function testAMissGivesTheDefault(): void
    {
        self::assertNull($this->store->get('absent'));
        self::assertSame('default', $this->store->get('absent', 'default'));
        self::assertFalse($this->store->has('absent'));
        self::assertSame(['absent' => 'default'], $this->store->getMany(['absent'], 'default'));
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testValueComesBackAsItWas(mixed $value): void
    {
        self::assertTrue($this->store->set('k', $value));
        $this->assertHolds($value, 'k');
        $this->assertHolds($value, 'k', $this->openedAgain());
        self::assertSame(
            serialize(['absent' => self::MISS, 'k' => $this->keeps() ? $value : self::MISS]),
            serialize($this->store->getMany(['absent', 'k'], self::MISS)),
        );
    }

    #[DataProviderExternal(Values::class, 'keys')]
    public function testAnyBytesAreAKey(string $key): void
    {
        self::assertTrue($this->store->set($key, 'value'));
        $this->assertHolds('value', $key);
        $this->assertHolds('value', $key, $this->openedAgain());
        self::assertSame([$key => $this->keeps() ? 'value' : self::MISS], $this->store->getMany([$key], self::MISS));
        self::assertTrue($this->store->delete($key));
        $this->assertMiss($key);
        self::assertTrue($this->store->setMany([$key => 'many']));
        $this->assertHolds('many', $key);
    }

    public function testKeysAreToldApart(): void
    {
        $keys = array_map(static fn(array $key): string => $key[0], array_values(iterator_to_array(Values::keys())));
        $long = str_repeat('x', 65_534);
        $keys = [...$keys, 'a', 'A', 'ą', 'a:b', 'a::b', $long . 'a', $long . 'b', 'generation', '=k', '#' . hash('xxh128', 'k')];
        foreach ($keys as $i => $key) {
            self::assertTrue($this->store->set($key, $i));
        }
        foreach ($keys as $i => $key) {
            $this->assertHolds($i, $key);
        }
    }

    public function testEmptyAndOverlongKeysAreRefusedEverywhere(): void
    {
        foreach (['', str_repeat('x', 65_536)] as $key) {
            $this->assertRefuses(InvalidKey::class, fn(): mixed => $this->store->get($key));
            $this->assertRefuses(InvalidKey::class, fn(): mixed => $this->store->getMany(['good', $key]));
            $this->assertRefuses(InvalidKey::class, fn(): mixed => $this->store->has($key));
            $this->assertRefuses(InvalidKey::class, fn(): mixed => $this->store->set($key, 1));
            $this->assertRefuses(InvalidKey::class, fn(): mixed => $this->store->setMany(['good' => 1, $key => 1]));
            $this->assertRefuses(InvalidKey::class, fn(): mixed => $this->store->delete($key));
        }
        $this->assertMiss('good');
    }

    public function testImpossibleLifetimesAreRefused(): void
    {
        self::assertTrue($this->store->set('k', 'old'));
        foreach ([-1, -0.5, \NAN, -\INF] as $ttl) {
            $this->assertRefuses(InvalidTtl::class, fn(): mixed => $this->store->set('k', 'new', $ttl));
            $this->assertRefuses(InvalidTtl::class, fn(): mixed => $this->store->setMany(['k' => 'new'], $ttl));
        }
        $this->assertHolds('old', 'k');
    }

    public function testTheLastValueWins(): void
    {
        foreach (['first', str_repeat('longer', 5000), 'x', ['array'], null] as $value) {
            self::assertTrue($this->store->set('k', $value));
            $this->assertHolds($value, 'k');
        }
    }

    public function testSizesAroundEveryLimitComeBackWhole(): void
    {
        foreach ([0, 1, 900, 985, 1000, 1024, 2000, 4096, 65_535, 65_536, 262_144] as $size) {
            $value = $size === 0 ? '' : random_bytes($size);
            self::assertTrue($this->store->set('k' . $size, $value));
            $this->assertHolds($value, 'k' . $size);
        }
    }

    public function testDelete(): void
    {
        $this->store->set('k', 'value');
        $this->store->set('other', 'stays');
        self::assertTrue($this->store->delete('k'));
        $this->assertMiss('k');
        $this->assertMiss('k', $this->openedAgain());
        self::assertTrue($this->store->delete('k'), 'deleting what is not there is no failure');
        $this->assertHolds('stays', 'other');
        self::assertTrue($this->store->set('k', 'again'));
        $this->assertHolds('again', 'k');
    }

    public function testClearRemovesEverythingOfThisNamespaceAndNothingElse(): void
    {
        $this->plantNeighbour();
        $near = $this->hasNamespaces() ? $this->open($this->namespace . 'x') : $this->openedAgain();
        $near->set('k', 'near');
        $this->store->setMany(['k' => 1, 'l' => 2]);
        $this->store->set(str_repeat('long', 1000), 3, 60);
        self::assertTrue($this->store->clear());
        foreach (['k', 'l', str_repeat('long', 1000)] as $key) {
            $this->assertMiss($key);
            $this->assertMiss($key, $this->openedAgain());
        }
        if ($this->hasNamespaces()) {
            $this->assertHolds('near', 'k', $near);
        } else {
            $this->assertMiss('k', $near);
        }
        self::assertTrue($this->neighbourIsThere(), 'something of somebody else is gone');
        self::assertTrue($this->store->set('k', 'after'));
        $this->assertHolds('after', 'k');
        self::assertTrue($near->clear());
        $this->assertMiss('k', $near);
        if ($this->hasNamespaces()) {
            $this->assertHolds('after', 'k');
        }
    }

    public function testNamespacesDoNotMeet(): void
    {
        $other = $this->open($this->namespace . 'y');
        if (!$this->hasNamespaces()) {
            $this->store->set('k', 'one for all');
            $this->assertHolds('one for all', 'k', $other);

            return;
        }
        $this->store->set('y:k', 'mine');
        $other->set('k', 'theirs');
        $this->assertMiss('k');
        $this->assertMiss('y:k', $other);
        $this->store->set('k', 'mine too');
        $this->assertHolds('theirs', 'k', $other);
        $other->delete('k');
        $this->assertHolds('mine too', 'k');
        $other->clear();
    }

    /**
     * The waiting is shared: what must go and what must stay is looked at before and after. On a machine so busy that a
     * lifetime is over before it was looked at, that look is left out.
     */
    public function testLifetimes(): void
    {
        $start = microtime(true);
        $this->store->setMany(['many' => 1, '12' => 2], 0.4);
        $this->store->set('short', 'gone soon', 0.4);
        $this->store->set('then for ever', 'old', 0.4);
        $this->store->set('then for ever', 'new');
        $this->store->set('then short', 'old');
        $this->store->set('then short', 'new', 0.4);
        $this->store->set('long key' . str_repeat('.', 1000), 'gone soon', 0.4);
        $this->store->set('object', new \ArrayObject([1]), 0.4);
        $stay = ['two seconds' => 2.0, 'a minute' => 60, 'a month' => 40 * 86_400, 'a century' => 100 * 366 * 86_400, 'ages' => 1e15, 'no end' => \INF, 'none' => 0];
        foreach ($stay as $key => $ttl) {
            self::assertTrue($this->store->set($key, $ttl, $ttl), $key);
        }
        $go = ['many', '12', 'short', 'then short', 'long key' . str_repeat('.', 1000), 'object'];
        foreach ($go as $key) {
            $isThere = $this->store->has($key);
            self::assertTrue($isThere === $this->keeps() || microtime(true) >= $start + 0.4, $key . ' went too early');
        }
        $this->assertHolds('new', 'then for ever');

        usleep(450_000);

        foreach ($go as $key) {
            $this->assertMiss($key);
            $this->assertMiss($key, $this->openedAgain());
        }
        self::assertSame(array_fill_keys($go, self::MISS), $this->store->getMany($go, self::MISS));
        $this->assertHolds('new', 'then for ever');
        foreach ($stay as $key => $ttl) {
            if ($ttl === 0 || microtime(true) < $start + $ttl) {
                $this->assertHolds($ttl, $key);
            }
        }
        self::assertTrue($this->store->delete('short'), 'deleting what has expired is no failure');
        self::assertTrue($this->store->set('short', 'again'));
        $this->assertHolds('again', 'short');
    }

    /** Around what 31 and 32 bits hold, as seconds and as unix time, up to where a lifetime has no end any more. */
    public function testLongLifetimesAreKept(): void
    {
        $century = 100 * 366 * 86_400;
        foreach ([2 ** 31, 2 ** 32, 2 ** 31 - time(), 2 ** 32 - time(), $century, 30 * 86_400] as $limit) {
            foreach ([-1.5, -1, -0.5, 0, 1, 60] as $difference) {
                $ttl = $limit + $difference;
                self::assertTrue($this->store->set('k', $ttl, $ttl), "set $ttl");
                $this->assertHolds($ttl, 'k');
                self::assertTrue($this->store->setMany(['k' => 'many', 'l' => 'many'], $ttl), "setMany $ttl");
                $this->assertHolds('many', 'l');
            }
        }
    }

    public function testManyAtOnce(): void
    {
        self::assertSame([], $this->store->getMany([]));
        self::assertTrue($this->store->setMany([]));
        $long = str_repeat('long', 100);
        $values = ['a' => 1, '7' => 'seven', 'null' => null, 'false' => false, $long => [1, 2]];
        self::assertTrue($this->store->setMany($values));
        self::assertSame(
            $this->keeps() ? [$long => [1, 2], 'absent' => self::MISS, 'false' => false, 7 => 'seven', 'null' => null, 'a' => 1]
                : array_fill_keys([$long, 'absent', 'false', '7', 'null', 'a'], self::MISS),
            $this->store->getMany([$long, 'absent', 'false', '7', 'null', 'a'], self::MISS),
        );
        $this->assertHolds('seven', '7');
        self::assertSame(['a', 'b'], array_keys($this->store->getMany(['a', 'b', 'a'])), 'a key asked twice');
        $hundreds = [];
        for ($i = 0; $i < 300; ++$i) {
            $hundreds['key ' . $i] = 'value ' . $i;
        }
        self::assertTrue($this->store->setMany($hundreds));
        self::assertSame($this->keeps() ? $hundreds : array_fill_keys(array_keys($hundreds), null), $this->store->getMany(array_keys($hundreds)));
    }

    public function testAValueOverTheLimitIsRefusedAndTheOldOneGone(): void
    {
        $large = $this->tooLarge();
        if ($large === null) {
            $value = random_bytes(4 << 20);
            self::assertTrue($this->store->set('large', $value), 'a store without a limit takes 4 MiB');
            $this->assertHolds($value, 'large');

            return;
        }
        $this->store->set('large', 'old');
        self::assertFalse($this->store->set('large', $large));
        $this->assertMiss('large');
        $this->assertMiss('large', $this->openedAgain());
        $this->store->setMany(['large' => 'old', 'small' => 'old']);
        self::assertFalse($this->store->setMany(['large' => $large, 'small' => 'new']));
        $this->assertMiss('large');
        self::assertNotSame('old', $this->store->get('small'), 'a value is not stale after a setMany() that failed');
        self::assertTrue($this->store->set('large', 'goes again'));
        $this->assertHolds('goes again', 'large');
    }

    public function testWhatCannotBeSerializedThrowsAndLeavesTheOldValue(): void
    {
        $this->store->set('k', 'old');
        foreach ([static fn(): int => 1, ['nested' => [static fn(): int => 1]], new \ArrayObject([static fn(): int => 1])] as $closure) {
            if ($this->keeps()) {
                $this->assertRefuses(\Exception::class, fn(): mixed => $this->store->set('k', $closure), 'Closure');
            }
        }
        $this->assertHolds('old', 'k');
    }

    public function testAResourceIsRefusedAndLeavesTheOldValue(): void
    {
        $this->store->set('k', 'old');
        $closed = fopen('php://memory', 'r');
        \is_resource($closed) && fclose($closed);
        foreach ($this->keeps() ? [\STDIN, $closed] : [] as $resource) {
            $this->assertRefuses(\Exception::class, fn(): mixed => $this->store->set('k', $resource), 'resource');
            $this->assertRefuses(\Exception::class, fn(): mixed => $this->store->set('k', $resource, 60), 'resource');
            $this->assertRefuses(\Exception::class, fn(): mixed => $this->store->setMany(['k' => $resource]), 'resource');
            $this->assertRefuses(\Exception::class, fn(): mixed => (new Cache($this->store))->set('k', $resource, tags: ['tag']), 'resource');
        }
        $this->assertHolds('old', 'k');
        self::assertTrue($this->store->set('k', 0));
        $this->assertHolds(0, 'k');
    }

    public function testWhatWasStoredDoesNotChangeWithTheCallersObjects(): void
    {
        $object = (object) ['n' => 1];
        $number = 1;
        $array = ['n' => &$number, 'inner' => ['o' => $object]];
        $this->store->set('object', $object);
        $this->store->set('array', $array);
        $object->n = 2;
        $number = 2;
        $this->assertHolds((object) ['n' => 1], 'object');
        $this->assertHolds(['n' => 1, 'inner' => ['o' => (object) ['n' => 1]]], 'array');
        $fetched = $this->store->get('object');
        if ($fetched instanceof \stdClass) {
            $fetched->n = 3;
        }
        $this->assertHolds((object) ['n' => 1], 'object');
    }

    public function testOtherProcessesSeeTheSame(): void
    {
        $this->store->set('k', 'from here');
        $this->store->set('cleared', 'from here');
        $seen = Fork::run(function (): mixed {
            $there = $this->open($this->namespace);
            $seen = $there->get('k', self::MISS);
            $there->set('k', 'from there');
            $there->set('new', ['from', 'there']);

            return $seen;
        });
        if (!$this->keeps() || $this->isOnlyInItsObject()) {
            self::assertSame(self::MISS, $seen);
            $this->assertMiss('new');

            return;
        }
        self::assertSame('from here', $seen);
        usleep((int) (1e6 * $this->changeDelay()));
        $this->assertHolds('from there', 'k');
        $this->assertHolds(['from', 'there'], 'new');
        self::assertTrue(Fork::run(fn(): bool => $this->open($this->namespace)->clear()));
        usleep((int) (1e6 * max($this->clearDelay(), $this->changeDelay())));
        foreach (['k', 'new', 'cleared'] as $key) {
            $this->assertMiss($key);
        }
    }

    /** A fork has this very store: it must not speak on its parent's connection. */
    public function testAForkMayGoOnWithTheStore(): void
    {
        $values = [];
        for ($i = 0; $i < 50; ++$i) {
            $values['parent ' . $i] = 'parent ' . $i;
        }
        self::assertTrue($this->store->setMany($values));
        $child = Fork::start(function (): bool {
            $right = true;
            for ($i = 0; $i < 200; ++$i) {
                $right = $this->store->set('child ' . $i % 50, 'child ' . $i % 50) && $right;
                $right = $this->store->get('child ' . $i % 50) === ($this->keeps() ? 'child ' . $i % 50 : null) && $right;
            }

            return $right;
        });
        for ($i = 0; $i < 200; ++$i) {
            $this->assertHolds('parent ' . $i % 50, 'parent ' . $i % 50);
        }
        self::assertTrue($child->result());
        $this->assertHolds('parent 0', 'parent 0');
    }

    /** Two processes write one key, two read it: whoever finds a value finds a whole one. */
    public function testAValueIsNeverTorn(): void
    {
        $end = microtime(true) + 0.4;
        $write = fn(int $writer): \Closure => function () use ($end, $writer): int {
            $n = 0;
            do {
                $this->store->set('torn', $this->provable($writer * 1_000_000 + ++$n));
            } while (microtime(true) < $end);

            return $n;
        };
        $read = function () use ($end): array {
            $whole = 0;
            $torn = 0;
            for ($looks = 0; $looks < 100 || microtime(true) < $end; ++$looks) {
                $value = $this->store->get('torn', self::MISS);
                if (\is_array($value) && \is_int($value[0] ?? null) && $value === $this->provable($value[0])) {
                    ++$whole;
                } elseif ($value !== self::MISS) {
                    ++$torn;
                }
            }

            return [$whole, $torn];
        };
        $this->store->set('torn', $this->provable(0));
        $others = [Fork::start($write(1)), Fork::start($write(2)), Fork::start($read)];
        [$whole, $torn] = $read();
        $writes = [$others[0]->result(), $others[1]->result()];
        [$wholeThere, $tornThere] = (array) $others[2]->result();
        self::assertGreaterThan(0, min($writes), 'both writers wrote');
        self::assertSame([0, 0], [$torn, $tornThere], 'torn values');
        self::assertSame($this->keeps(), $whole > 0, 'the reader found values');
        self::assertSame($this->keeps() && !$this->isOnlyInItsObject() || $this->isOnlyInItsObject(), $wholeThere > 0);
    }

    /** @return array{int, string} a value whose every byte follows from its number; short and long ones take turns */
    private function provable(int $number): array
    {
        return [$number, str_repeat(pack('N', $number), 1 + 997 * ($number % 7) ** 2)];
    }

    /** The same namespace opened once more, where that finds the same values. */
    private function openedAgain(): Store
    {
        return $this->isOnlyInItsObject() ? $this->store : $this->open($this->namespace);
    }

    private function assertHolds(mixed $expected, string $key, ?Store $store = null): void
    {
        $store ??= $this->store;
        if (!$this->keeps()) {
            $this->assertMiss($key, $store);

            return;
        }
        self::assertTrue($store->has($key), \sprintf('%s is there', substr($key, 0, 40)));
        self::assertSame(serialize($expected), serialize($store->get($key, self::MISS)));
    }

    private function assertMiss(string $key, ?Store $store = null): void
    {
        $store ??= $this->store;
        self::assertSame(self::MISS, $store->get($key, self::MISS), \sprintf('%s is not there', substr($key, 0, 40)));
        self::assertFalse($store->has($key));
    }

    /**
     * @param class-string<\Throwable> $exception
     * @param \Closure(): mixed $call
     */
    private function assertRefuses(string $exception, \Closure $call, string $message = ''): void
    {
        try {
            $call();
        } catch (\Throwable $thrown) {
            self::assertInstanceOf($exception, $thrown);
            self::assertStringContainsString($message, $thrown->getMessage());

            return;
        }
        self::fail('nothing was thrown');
    }
}
