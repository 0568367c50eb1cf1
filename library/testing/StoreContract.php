<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use PHPUnit\Framework\Attributes\Group;

/**
 * The behaviour of every store: values, keys, ttl, clear(), other processes.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait StoreContract
{
    public function testMissReturnsDefault(): void
    {
        self::assertNull($this->store->get('absent'));
        self::assertSame('default', $this->store->get('absent', 'default'));
        self::assertFalse($this->store->has('absent'));
        self::assertSame(['absent' => 'default'], $this->store->getMany(['absent'], 'default'));
    }

    public function testSetThenGet(): void
    {
        self::checkEach(Values::all(), function (mixed $value): void {
            self::assertTrue($this->store->set('k', $value));
            $this->assertStored($value, 'k');
            $this->assertStored($value, 'k', $this->reopened());
            self::assertSame(
                serialize(['absent' => self::MISS, 'k' => $this->keepsValues() ? $value : self::MISS]),
                serialize($this->store->getMany(['absent', 'k'], self::MISS)),
            );
        });
    }

    public function testKeyMayBeAnyBytes(): void
    {
        self::checkEach(Values::keys(), function (string $key): void {
            self::assertTrue($this->store->set($key, 'value'));
            $this->assertStored('value', $key);
            $this->assertStored('value', $key, $this->reopened());
            self::assertSame(
                [$key => $this->keepsValues() ? 'value' : self::MISS],
                $this->store->getMany([$key], self::MISS),
            );
            self::assertTrue($this->store->delete($key));
            $this->assertNotStored($key);
            self::assertTrue($this->store->setMany([$key => 'many']));
            $this->assertStored('many', $key);
        });
    }

    public function testDifferentKeysDoNotCollide(): void
    {
        $keys = array_map(static fn(array $key): string => $key[0], array_values(iterator_to_array(Values::keys())));
        $long = str_repeat('x', 65_534);
        $keys = [
            ...$keys,
            'a',
            'A',
            'ą',
            'a:b',
            'a::b',
            $long . 'a',
            $long . 'b',
            'generation',
            '=k',
            '#' . hash('xxh128', 'k'),
        ];
        foreach ($keys as $i => $key) {
            self::assertTrue($this->store->set($key, $i));
        }
        foreach ($keys as $i => $key) {
            $this->assertStored($i, $key);
        }
    }

    public function testEmptyAndOverlongKeysAreRefused(): void
    {
        $this->store->set('stays', 1);
        foreach (['', str_repeat('x', 65_536)] as $key) {
            self::assertThrows(InvalidKey::class, fn(): mixed => $this->store->get($key));
            self::assertThrows(InvalidKey::class, fn(): mixed => $this->store->getMany(['good', $key]));
            self::assertThrows(InvalidKey::class, fn(): mixed => $this->store->has($key));
            self::assertThrows(InvalidKey::class, fn(): mixed => $this->store->set($key, 1));
            self::assertThrows(InvalidKey::class, fn(): mixed => $this->store->setMany(['good' => 1, $key => 1]));
            self::assertThrows(InvalidKey::class, fn(): mixed => $this->store->delete($key));
            self::assertThrows(InvalidKey::class, fn(): mixed => $this->store->deleteMany(['stays', $key]));
        }
        $this->assertStored(1, 'stays');
        $this->assertNotStored('good');
    }

    public function testInvalidTtlIsRefused(): void
    {
        self::assertTrue($this->store->set('k', 'old'));
        foreach ([-1, -0.5, \NAN, -\INF] as $ttl) {
            self::assertThrows(InvalidTtl::class, fn(): mixed => $this->store->set('k', 'new', $ttl));
            self::assertThrows(InvalidTtl::class, fn(): mixed => $this->store->setMany(['k' => 'new'], $ttl));
        }
        $this->assertStored('old', 'k');
    }

    public function testSetOverwrites(): void
    {
        foreach (['first', str_repeat('longer', 5000), 'x', ['array'], null] as $value) {
            self::assertTrue($this->store->set('k', $value));
            $this->assertStored($value, 'k');
        }
    }

    public function testValuesOfAllSizesComeBackWhole(): void
    {
        foreach ([0, 1, 900, 985, 1000, 1024, 2000, 4096, 65_535, 65_536, 262_144] as $size) {
            $value = $size === 0 ? '' : random_bytes($size);
            self::assertTrue($this->store->set('k' . $size, $value));
            $this->assertStored($value, 'k' . $size);
        }
    }

    public function testDeleteRemovesOneKey(): void
    {
        $this->store->set('k', 'value');
        $this->store->set('other', 'stays');
        self::assertTrue($this->store->delete('k'));
        $this->assertNotStored('k');
        $this->assertNotStored('k', $this->reopened());
        self::assertTrue($this->store->delete('k'), 'deleting an absent key is no failure');
        $this->assertStored('stays', 'other');
        self::assertTrue($this->store->set('k', 'again'));
        $this->assertStored('again', 'k');
    }

    public function testDeleteManyRemovesTheseKeys(): void
    {
        self::assertTrue($this->store->deleteMany([]));
        $keys = [
            'a',
            '7',
            str_repeat('long', 100),
            ...array_map(static fn(int $n): string => 'key ' . $n, range(1, 1100)),
        ];
        $this->store->setMany(array_fill_keys($keys, 'value') + ['stays' => 1, '70' => 2]);
        self::assertTrue($this->store->deleteMany([...$keys, 'absent', 'a']));
        self::assertSame(array_fill_keys($keys, self::MISS), $this->store->getMany($keys, self::MISS));
        self::assertSame(array_fill_keys($keys, self::MISS), $this->reopened()->getMany($keys, self::MISS));
        $this->assertStored(1, 'stays');
        $this->assertStored(2, '70');
        self::assertTrue($this->store->deleteMany($keys), 'deleting absent keys is no failure');
        self::assertTrue($this->store->set('a', 'again'));
        $this->assertStored('again', 'a');
    }

    public function testClearRemovesOnlyItsNamespace(): void
    {
        $this->plantNeighbour();
        $near = $this->hasNamespaces() ? $this->open($this->namespace . 'x') : $this->reopened();
        $near->set('k', 'near');
        $this->store->setMany(['k' => 1, 'l' => 2]);
        $this->store->set(str_repeat('long', 1000), 3, 60);
        self::assertTrue($this->store->clear());
        foreach (['k', 'l', str_repeat('long', 1000)] as $key) {
            $this->assertNotStored($key);
            $this->assertNotStored($key, $this->reopened());
        }
        if ($this->hasNamespaces()) {
            $this->assertStored('near', 'k', $near);
        } else {
            $this->assertNotStored('k', $near);
        }
        self::assertTrue($this->neighbourIsThere(), 'a value of another program is gone');
        self::assertTrue($this->store->set('k', 'after'));
        $this->assertStored('after', 'k');
        self::assertTrue($near->clear());
        $this->assertNotStored('k', $near);
        if ($this->hasNamespaces()) {
            $this->assertStored('after', 'k');
        }
    }

    public function testNamespacesAreSeparate(): void
    {
        $other = $this->open($this->namespace . 'y');
        if (!$this->hasNamespaces()) {
            $this->store->set('k', 'one for all');
            $this->assertStored('one for all', 'k', $other);

            return;
        }
        $this->store->set('y:k', 'mine');
        $other->set('k', 'theirs');
        $this->assertNotStored('k');
        $this->assertNotStored('y:k', $other);
        $this->store->set('k', 'mine too');
        $this->assertStored('theirs', 'k', $other);
        $other->delete('k');
        $this->assertStored('mine too', 'k');
        $other->clear();
    }

    /**
     * Expiring and lasting values share one wait, and are checked before and after it. A check is left out if a busy
     * machine reaches it after the ttl.
     */
    #[Group('waiting')]
    public function testValuesExpire(): void
    {
        $start = microtime(true);
        $this->store->setMany(['many' => 1, '12' => 2], 0.4);
        $this->store->set('short', 'gone soon', 0.4);
        $this->store->set('then forever', 'old', 0.4);
        $this->store->set('then forever', 'new');
        $this->store->set('then short', 'old');
        $this->store->set('then short', 'new', 0.4);
        $this->store->set('long key' . str_repeat('.', 1000), 'gone soon', 0.4);
        $this->store->set('object', new \ArrayObject([1]), 0.4);
        $stay = [
            'two seconds' => 2.0, 'a minute' => 60, 'a month' => 40 * 86_400, 'a century' => 100 * 366 * 86_400,
            'ages' => 1e15, 'no end' => \INF, 'none' => 0,
        ];
        foreach ($stay as $key => $ttl) {
            self::assertTrue($this->store->set($key, $ttl, $ttl), $key);
        }
        $go = ['many', '12', 'short', 'then short', 'long key' . str_repeat('.', 1000), 'object'];
        foreach ($go as $key) {
            $isThere = $this->store->has($key);
            self::assertTrue(
                $isThere === $this->keepsValues() || microtime(true) >= $start + 0.4,
                $key . ' expired too early',
            );
        }
        $this->assertStored('new', 'then forever');

        usleep(450_000);

        foreach ($go as $key) {
            $this->assertNotStored($key);
            $this->assertNotStored($key, $this->reopened());
        }
        self::assertSame(array_fill_keys($go, self::MISS), $this->store->getMany($go, self::MISS));
        $this->assertStored('new', 'then forever');
        foreach ($stay as $key => $ttl) {
            if ($ttl === 0 || microtime(true) < $start + $ttl) {
                $this->assertStored($ttl, $key);
            }
        }
        self::assertTrue($this->store->delete('short'), 'deleting an expired key is no failure');
        self::assertTrue($this->store->set('short', 'again'));
        $this->assertStored('again', 'short');
    }

    /** A ttl around 2^31 and 2^32, as seconds and as Unix time, and up to one that counts as endless. */
    public function testLongTtlIsKept(): void
    {
        $century = 100 * 366 * 86_400;
        foreach ([2 ** 31, 2 ** 32, 2 ** 31 - time(), 2 ** 32 - time(), $century, 30 * 86_400] as $limit) {
            foreach ([-1.5, -1, -0.5, 0, 1, 60] as $difference) {
                $ttl = $limit + $difference;
                self::assertTrue($this->store->set('k', $ttl, $ttl), "set $ttl");
                $this->assertStored($ttl, 'k');
                self::assertTrue($this->store->setMany(['k' => 'many', 'l' => 'many'], $ttl), "setMany $ttl");
                $this->assertStored('many', 'l');
            }
        }
    }

    public function testGetManyAndSetMany(): void
    {
        self::assertSame([], $this->store->getMany([]));
        self::assertTrue($this->store->setMany([]));
        $long = str_repeat('long', 100);
        $values = ['a' => 1, '7' => 'seven', 'null' => null, 'false' => false, $long => [1, 2]];
        self::assertTrue($this->store->setMany($values));
        self::assertSame(
            $this->keepsValues()
                ? [$long => [1, 2], 'absent' => self::MISS, 'false' => false, 7 => 'seven', 'null' => null, 'a' => 1]
                : array_fill_keys([$long, 'absent', 'false', '7', 'null', 'a'], self::MISS),
            $this->store->getMany([$long, 'absent', 'false', '7', 'null', 'a'], self::MISS),
        );
        $this->assertStored('seven', '7');
        self::assertSame(['a', 'b'], array_keys($this->store->getMany(['a', 'b', 'a'])), 'a key is returned once');
        $hundreds = [];
        for ($i = 0; $i < 300; ++$i) {
            $hundreds['key ' . $i] = 'value ' . $i;
        }
        self::assertTrue($this->store->setMany($hundreds));
        self::assertSame(
            $this->keepsValues() ? $hundreds : array_fill_keys(array_keys($hundreds), null),
            $this->store->getMany(array_keys($hundreds)),
        );
    }

    public function testTooLargeValueIsRefusedAndRemovesOldOne(): void
    {
        $large = $this->tooLarge();
        if ($large === null) {
            $value = random_bytes(4 << 20);
            self::assertTrue($this->store->set('large', $value), 'a store without a limit takes 4 MiB');
            $this->assertStored($value, 'large');

            return;
        }
        $this->store->set('large', 'old');
        self::assertFalse($this->store->set('large', $large));
        $this->assertNotStored('large');
        $this->assertNotStored('large', $this->reopened());
        $this->store->setMany(['large' => 'old', 'small' => 'old']);
        self::assertFalse($this->store->setMany(['large' => $large, 'small' => 'new']));
        $this->assertNotStored('large');
        self::assertNotSame('old', $this->store->get('small'), 'a value is not stale after a setMany() that failed');
        self::assertTrue($this->store->set('large', 'goes again'));
        $this->assertStored('goes again', 'large');
    }

    public function testUnserializableValueThrowsAndKeepsOldOne(): void
    {
        $this->store->set('k', 'old');
        foreach ([
            static fn(): int => 1,
            ['nested' => [static fn(): int => 1]],
            new \ArrayObject([static fn(): int => 1]),
        ] as $closure) {
            if ($this->keepsValues()) {
                self::assertThrows(\Exception::class, fn(): mixed => $this->store->set('k', $closure), 'Closure');
            }
        }
        $this->assertStored('old', 'k');
    }

    public function testResourceThrowsAndKeepsOldValue(): void
    {
        $this->store->set('k', 'old');
        $closed = fopen('php://memory', 'r');
        \is_resource($closed) && fclose($closed);
        foreach ($this->keepsValues() ? [\STDIN, $closed] : [] as $resource) {
            self::assertThrows(\Exception::class, fn(): mixed => $this->store->set('k', $resource), 'resource');
            self::assertThrows(\Exception::class, fn(): mixed => $this->store->set('k', $resource, 60), 'resource');
            self::assertThrows(\Exception::class, fn(): mixed => $this->store->setMany(['k' => $resource]), 'resource');
            self::assertThrows(
                \Exception::class,
                fn(): mixed => (new Cache($this->store))->set('k', $resource, tags: ['tag']),
                'resource',
            );
        }
        $this->assertStored('old', 'k');
        self::assertTrue($this->store->set('k', 0));
        $this->assertStored(0, 'k');
    }

    public function testStoredValueIsACopy(): void
    {
        $object = (object) ['n' => 1];
        $number = 1;
        $array = ['n' => &$number, 'inner' => ['o' => $object]];
        $this->store->set('object', $object);
        $this->store->set('array', $array);
        $object->n = 2;
        $number = 2;
        $this->assertStored((object) ['n' => 1], 'object');
        $this->assertStored(['n' => 1, 'inner' => ['o' => (object) ['n' => 1]]], 'array');
        $fetched = $this->store->get('object');
        if ($fetched instanceof \stdClass) {
            $fetched->n = 3;
        }
        $this->assertStored((object) ['n' => 1], 'object');
    }

    public function testOtherProcessesSeeChanges(): void
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
        if (!$this->keepsValues() || !$this->isShared()) {
            self::assertSame(self::MISS, $seen);
            $this->assertNotStored('new');

            return;
        }
        self::assertSame('from here', $seen);
        usleep((int) (1e6 * $this->changeDelay()));
        $this->assertStored('from there', 'k');
        $this->assertStored(['from', 'there'], 'new');
        self::assertTrue(Fork::run(fn(): bool => $this->open($this->namespace)->clear()));
        usleep((int) (1e6 * max($this->clearDelay(), $this->changeDelay())));
        foreach (['k', 'new', 'cleared'] as $key) {
            $this->assertNotStored($key);
        }
    }

    /** A forked process inherits the store and must not use its parent's connection. */
    public function testForkedProcessMayUseTheStore(): void
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
                $right = $this->store->get('child ' . $i % 50) === ($this->keepsValues() ? 'child ' . $i % 50 : null)
                    && $right;
            }

            return $right;
        });
        for ($i = 0; $i < 200; ++$i) {
            $this->assertStored('parent ' . $i % 50, 'parent ' . $i % 50);
        }
        self::assertTrue($child->result());
        $this->assertStored('parent 0', 'parent 0');
    }

    /** Two processes write one key. Two others read it, and must never find a torn value. */
    public function testConcurrentWritesAreNeverTorn(): void
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
        self::assertSame($this->keepsValues(), $whole > 0, 'the reader found values');
        self::assertSame($this->keepsValues() || !$this->isShared(), $wholeThere > 0);
    }

    /** @return array{int, string} a value whose every byte follows from its number; short and long values alternate */
    private function provable(int $number): array
    {
        return [$number, str_repeat(pack('N', $number), 1 + 997 * ($number % 7) ** 2)];
    }

    private function assertStored(mixed $expected, string $key, ?Store $store = null): void
    {
        $store ??= $this->store;
        if (!$this->keepsValues()) {
            $this->assertNotStored($key, $store);

            return;
        }
        self::assertTrue($store->has($key), \sprintf('%s is there', substr($key, 0, 40)));
        self::assertSame(serialize($expected), serialize($store->get($key, self::MISS)));
    }

    private function assertNotStored(string $key, ?Store $store = null): void
    {
        $store ??= $this->store;
        self::assertSame(self::MISS, $store->get($key, self::MISS), \sprintf('%s is not there', substr($key, 0, 40)));
        self::assertFalse($store->has($key));
    }
}
