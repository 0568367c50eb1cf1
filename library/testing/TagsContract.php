<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\ListableStore;
use Larder\Exception\InvalidKey;
use Larder\Internal\Key\ReservedKey;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use PHPUnit\Framework\Attributes\Group;

/**
 * Tags of a cache, also in several processes at once.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait TagsContract
{
    #[Group('waiting')]
    public function testTaggedValueIsServedUntilATagIsInvalidated(): void
    {
        foreach (['first', 'second'] as $invalidated) {
            self::assertTrue($this->cache->set('both', ['page'], tags: ['first', 'second']));
            self::assertTrue($this->cache->set('other', 'stays', 60, ['third']));
            self::assertTrue($this->cache->set('untagged', 'stays'));
            $this->assertServed(['page'], 'both');
            self::assertTrue($this->cache->invalidateTags([$invalidated]));
            $this->assertNotServed('both');
            $this->assertServed('stays', 'other');
            $this->assertServed('stays', 'untagged');
        }
        $this->cache->set('both', 'again', tags: ['first', 'second']);
        $this->assertServed('again', 'both');
    }

    #[Group('waiting')]
    public function testTaggedValueComesBackUnchanged(): void
    {
        foreach ([null, false, 0, 1.5, '', "\0", [], ['a' => [1]], str_repeat('long', 20_000)] as $value) {
            self::assertTrue($this->cache->set('k', $value, tags: ['tag']));
            $this->assertServed($value, 'k');
        }
        $object = new \ArrayObject([1, 2]);
        $this->cache->set('k', $object, tags: ['tag']);
        self::assertEquals($object, $this->cache->get('k'));
    }

    #[Group('waiting')]
    public function testTagMayBeAnyBytes(): void
    {
        $tags = [
            'post:7',
            '7',
            'post:70',
            ' ',
            "any \0 /../ \xff",
            str_repeat('long', 300),
            str_repeat('long', 300) . 'er',
            str_repeat('x', 65_535),
        ];
        foreach ($tags as $i => $tag) {
            self::assertTrue($this->cache->set('value ' . $i, $i, tags: [$tag]));
        }
        foreach ($tags as $i => $tag) {
            self::assertTrue($this->cache->invalidateTags([$tag]));
            $this->assertNotServed('value ' . $i);
            foreach (\array_slice($tags, $i + 1, preserve_keys: true) as $later => $other) {
                $this->assertServed($later, 'value ' . $later);
            }
        }
    }

    public function testTagsAreReadWithTheValues(): void
    {
        $this->cache->set('tagged', null, tags: ['post:7', '7', 'post:7']);
        $this->cache->setMany(['7' => 'tagged too', 'gone' => 'old'], tags: ['7']);
        $this->cache->set('gone', 'old', tags: ['7', 'invalid']);
        $this->cache->set('untagged', 'plain');
        $this->cache->invalidateTags(['invalid']);
        $found = $this->cache->getManyWithTags(['untagged', 7, 'absent', 'tagged', 'gone']);
        self::assertSame(['untagged', 7, 'tagged'], array_keys($found));
        self::assertSame(['plain', 'tagged too', null], array_column($found, 'value'));
        self::assertSame([[], ['7'], ['post:7', '7']], array_column($found, 'tags'));
        self::assertSame([], $this->cache->getManyWithTags([]));
        self::assertThrows(InvalidKey::class, fn(): array => $this->cache->getManyWithTags(['']));
    }

    #[Group('waiting')]
    public function testTagsMayComeFromAGenerator(): void
    {
        foreach (['a', 'b', '7'] as $key) {
            $this->cache->set($key, $key, tags: [$key, $key]);
        }
        self::assertTrue($this->cache->invalidateTags((static function (): \Generator {
            yield 'a';
            yield '7';
        })()));
        self::assertTrue($this->cache->invalidateTags([]));
        self::assertSame(
            ['a' => self::MISS, 'b' => 'b', '7' => self::MISS],
            $this->cache->getMany(['a', 'b', '7'], self::MISS),
        );
    }

    #[Group('waiting')]
    public function testInvalidTagIsRefusedBeforeAnyChange(): void
    {
        $this->cache->set('k', 'old', tags: ['good']);
        foreach (['', str_repeat('x', 65_536)] as $bad) {
            foreach ([
                fn(): bool => $this->cache->set('k', 'new', tags: ['good', $bad]),
                fn(): bool => $this->cache->setMany(['k' => 'new'], tags: [$bad]),
                fn(): bool => $this->cache->invalidateTags(['good', $bad]),
                fn(): object => $this->cache->tagVersions([$bad]),
            ] as $call) {
                self::assertStringStartsWith(
                    'A tag must not be ',
                    self::assertThrows(InvalidKey::class, $call)->getMessage(),
                );
                $this->assertServed('old', 'k');
            }
        }
    }

    #[Group('waiting')]
    public function testGetManyAndSetManyWithTags(): void
    {
        self::assertTrue($this->cache->setMany(['a' => 1, '7' => 2], tags: ['x']));
        self::assertTrue($this->cache->setMany(['b' => 3, 'c' => null], tags: ['x', 'y']));
        $this->cache->set('plain', 4);
        $keys = ['c', 'gone', '7', 'plain', 'a', 'b'];
        self::assertSame(
            ['c' => null, 'gone' => self::MISS, '7' => 2, 'plain' => 4, 'a' => 1, 'b' => 3],
            $this->cache->getMany($keys, self::MISS),
        );
        $this->cache->invalidateTags(['y']);
        self::assertSame(
            ['c' => self::MISS, 'gone' => self::MISS, '7' => 2, 'plain' => 4, 'a' => 1, 'b' => self::MISS],
            $this->cache->getMany($keys, self::MISS),
        );
    }

    #[Group('waiting')]
    public function testInvalidatedValueIsAMissThroughBothPsrs(): void
    {
        $simple = new SimpleCache($this->cache);
        $pool = new ItemPool($this->cache);
        $this->cache->set('k', 'value', tags: ['tag']);
        self::assertSame('value', $simple->get('k'));
        self::assertSame('value', $pool->getItem('k')->get());
        self::assertSame([true, true], [$simple->has('k'), $pool->hasItem('k')]);
        $this->cache->invalidateTags(['tag']);
        self::assertSame(self::MISS, $simple->get('k', self::MISS));
        self::assertSame(['k' => self::MISS], iterator_to_array($simple->getMultiple(['k'], self::MISS)));
        self::assertSame([false, false, false], [$simple->has('k'), $pool->hasItem('k'), $pool->getItem('k')->isHit()]);
    }

    /** A writer computes from old data. It stores the result after the data has changed and the tag was invalidated. */
    #[Group('waiting')]
    public function testValueComputedBeforeInvalidationIsNotServed(): void
    {
        self::assertSame(
            self::MISS,
            $this->servedAfterALateWriter(static function (Cache $cache, \Closure $compute): bool {
                $before = $cache->tagVersions(['data']);

                return $cache->set('k', $compute(), 60, $before);
            }),
        );
        self::assertSame(self::MISS, $this->servedAfterALateWriter(
            static fn(Cache $cache, \Closure $compute): bool
                => $cache->remember('k', 60, $compute, tags: ['data']) === 'old data',
        ));
    }

    /** The control: a writer that reads the tag versions only after its computation. */
    #[Group('waiting')]
    public function testValueComputedBeforeInvalidationIsServedWithoutEarlierVersions(): void
    {
        self::assertSame('old data', $this->servedAfterALateWriter(
            static fn(Cache $cache, \Closure $compute): bool => $cache->set('k', $compute(), 60, ['data']),
        ));
    }

    #[Group('waiting')]
    public function testInvalidationByAnotherProcessIsSeen(): void
    {
        $this->cache->set('k', 'value', tags: ['tag']);
        $before = $this->cache->tagVersions(['tag']);
        self::assertTrue($this->elsewhere(static fn(Cache $cache): bool => $cache->invalidateTags(['tag'])));
        $this->assertNotServed('k');
        self::assertTrue($this->cache->set('k', 'late', tags: $before));
        $this->assertNotServed('k');
        self::assertTrue($this->elsewhere(static fn(Cache $cache): bool => $cache->set('k', 'new', tags: ['tag'])));
        $this->assertServed('new', 'k');
    }

    #[Group('waiting')]
    public function testLostTagVersionInvalidatesTheTag(): void
    {
        $this->cache->set('k', 'value', tags: ['kept', 'lost']);
        $this->cache->set('other', 'stays', tags: ['kept']);
        $before = $this->cache->tagVersions(['lost']);
        $this->cache->store()->delete(ReservedKey::tag('lost'));
        $this->assertNotServed('k');
        $this->cache->set('new', 'value', tags: ['lost']);
        $this->assertNotServed('k');
        $this->cache->set('late', 'value', tags: $before);
        $this->assertNotServed('late');
        $this->assertServed('value', 'new');
        $this->assertServed('stays', 'other');
    }

    #[Group('waiting')]
    public function testClearInvalidatesEarlierTagVersions(): void
    {
        $before = $this->cache->tagVersions(['tag']);
        $this->cache->clear();
        $this->cache->set('new', 'value', tags: ['tag']);
        $this->cache->set('late', 'value', tags: $before);
        $this->assertNotServed('late');
        $this->assertServed('value', 'new');
    }

    #[Group('waiting')]
    public function testTagVersionOutlivesExpiredValues(): void
    {
        $this->cache->set('short', 'value', 0.05, ['tag']);
        $this->cache->set('long', 'value', 60, ['tag']);
        usleep(100_000);
        $this->assertNotServed('short');
        $this->assertServed('value', 'long');
    }

    #[Group('waiting')]
    public function testProcessesAgreeOnTheVersionOfNewTags(): void
    {
        $captured = $this->inProcesses(static function (Cache $cache, int $process): array {
            $captured = [];
            for ($i = 0; $i < 100; ++$i) {
                $generations = $cache->tagVersions(["tag $i"]);
                $captured[$i] = $generations->byTag["tag $i"] ?? null;
                $cache->set("value $i of $process", $i, tags: $generations);
            }

            return $captured;
        });
        $lost = 0;
        for ($i = 0; $i < 100; ++$i) {
            $numbers = array_column($captured, $i);
            $lost += \count($numbers) - \count(array_filter($numbers, \is_int(...))); // null: no version was available
            $current = $this->cache->tagVersions(["tag $i"])->byTag["tag $i"] ?? null;
            if ($this->cache->can(Capability::Atomic) && $this->isShared()) {
                self::assertSame(array_fill(0, self::PROCESSES, $current), $numbers);
            }
            foreach ($numbers as $process => $number) {
                $isThere = $this->cache->has("value $i of $process");
                if (\is_int($number) && $number === $current && $this->isShared()) {
                    $lost += $isThere ? 0 : 1;
                } else {
                    self::assertFalse($isThere);
                }
            }
        }
        self::assertLessThanOrEqual($this->expectedLosses(), $lost);
    }

    #[Group('waiting')]
    public function testInvalidatedValueIsNeverServedAgain(): void
    {
        // Other processes keep storing with the tag, but a value with an earlier tag version must not come back.
        $this->cache->set('old', 'value', tags: ['tag']);
        $this->cache->invalidateTags(['tag']);
        $seen = $this->inProcesses(static function (Cache $cache, int $process): int {
            $seen = 0;
            for ($i = 0; $i < 100; ++$i) {
                $cache->set("value of $process", $i, tags: ['tag']);
                $seen += $cache->has('old') ? 1 : 0;
                if ($i % 10 === $process) {
                    $cache->invalidateTags(['tag']);
                }
            }

            return $seen;
        });
        self::assertSame(array_fill(0, self::PROCESSES, 0), $seen);
    }

    #[Group('waiting')]
    public function testTagsLeaveNoKeysBehind(): void
    {
        $expected = [];
        for ($i = 0; $i < 100; ++$i) {
            // 10,000 writes in all, to the same 100 keys.
            $values = array_combine(array_map(static fn(int $n): string => "value $n", range(0, 99)), range(0, 99));
            self::assertTrue($this->cache->setMany($values, tags: ['tag ' . $i % 20, 'all']));
            $expected = array_keys($values);
        }
        if (!$this->cache->can(Capability::Keys)) {
            self::assertCount(100, array_filter($this->cache->getMany($expected, self::MISS), is_int(...)));

            return;
        }
        $this->assertListed([
            ...$expected,
            ReservedKey::tag('all'),
            ...array_map(static fn(int $n): string => ReservedKey::tag("tag $n"), range(0, 19)),
        ]);
        $this->cache->invalidateTags(
            ['all', 'never used', ...array_map(static fn(int $n): string => "tag $n", range(0, 19))],
        );
        $this->assertListed($expected);
    }

    #[Group('waiting')]
    public function testAddReplacesInvalidatedValue(): void
    {
        if (!$this->cache->can(Capability::Atomic)) {
            self::assertFalse($this->cache->can(Capability::Atomic));

            return;
        }
        $this->cache->set('k', 'old', tags: ['tag']);
        self::assertFalse($this->cache->add('k', 'new'));
        $this->assertServed('old', 'k');
        $this->cache->invalidateTags(['tag']);
        self::assertTrue($this->cache->add('k', 'new'));
        self::assertFalse($this->cache->add('k', 'newer'));
        $this->assertServed('new', 'k');
        $this->cache->invalidateTags(['tag']);
        $this->assertServed('new', 'k');
    }

    #[Group('waiting')]
    public function testConcurrentAddOverInvalidatedValueHasOneWinner(): void
    {
        if (!$this->cache->can(Capability::Atomic)) {
            self::assertFalse($this->cache->can(Capability::Atomic));

            return;
        }
        $keys = array_map(static fn(int $n): string => "value $n", range(0, 24));
        $this->cache->setMany(array_fill_keys($keys, 'old'), tags: ['tag']);
        $this->cache->invalidateTags(['tag']);
        $won = $this->inProcesses(static fn(Cache $cache, int $process): array => array_filter(
            $keys,
            static fn(string $key): bool => $cache->add($key, $process),
        ));
        if (!$this->isShared()) {
            self::assertSame(array_fill(0, self::PROCESSES, $keys), $won);

            return;
        }
        self::assertEqualsCanonicalizing($keys, array_merge(...$won));
        foreach ($won as $process => $its) {
            foreach ($its as $key) {
                $this->assertServed($process, $key);
            }
        }
    }

    #[Group('waiting')]
    public function testReplaceAndTouchIgnoreInvalidatedValues(): void
    {
        $this->cache->set('k', 'old', 60, ['tag']);
        $this->cache->set('touched', 'kept', 60, ['tag']);
        if ($this->cache->can(Capability::Atomic)) {
            self::within(0.7, function (): void {
                $this->cache->set('touched', 'kept', 0.7, ['tag']);
                self::assertTrue($this->cache->touch('touched', 60));
            });
            usleep(750_000);
            $this->assertServed('kept', 'touched');
        }
        $this->cache->invalidateTags(['tag']);
        if ($this->cache->can(Capability::Atomic)) {
            self::assertFalse($this->cache->touch('touched', 60));
        }
        $this->assertNotServed('touched');
        if ($this->cache->can(Capability::Atomic)) {
            self::assertFalse($this->cache->replace('k', 'new'));
        }
        $this->assertNotServed('k');
    }

    #[Group('waiting')]
    public function testInvalidatedValueHasNoExpiry(): void
    {
        if (!$this->cache->can(Capability::Expiry)) {
            self::assertFalse($this->cache->can(Capability::Expiry));

            return;
        }
        $this->cache->set('k', 'value', 60, ['tag']);
        $this->cache->set('ever', 'value', tags: ['tag']);
        self::assertEqualsWithDelta(microtime(true) + 60, $this->cache->expiry('k'), 5);
        self::assertSame(0.0, $this->cache->expiry('ever'));
        $this->cache->invalidateTags(['tag']);
        self::assertSame([null, null], [$this->cache->expiry('k'), $this->cache->expiry('ever')]);
        // Stored for ten minutes, fresh for one.
        $this->cache->remember('k', 60, static fn(): string => 'value', stale: 540);
        self::assertEqualsWithDelta(microtime(true) + 60, $this->cache->expiry('k'), 10);
    }

    #[Group('waiting')]
    public function testTaggedIntegerIsNotACounter(): void
    {
        $this->cache->set('n', 7, tags: ['tag']);
        if ($this->cache->can(Capability::Atomic)) {
            self::assertFalse($this->cache->increment('n'));
        }
        if ($this->cache->can(Capability::Atomic)) {
            self::assertFalse($this->cache->swap('n', 7, 8));
        }
        $this->assertServed(7, 'n');
        $this->cache->invalidateTags(['tag']);
        if ($this->cache->can(Capability::Atomic)) {
            self::assertFalse($this->cache->swap('n', 7, 8));
        }
        if ($this->cache->can(Capability::Atomic)) {
            self::assertSame(11, $this->cache->increment('n', first: 10));
            self::assertSame(12, $this->cache->increment('n', first: 10));
        }
    }

    /**
     * @param \Closure(Cache, \Closure(): mixed): bool $write computes a value by its second argument, and stores it as
     *         k
     * @return mixed the value of k afterwards
     */
    private function servedAfterALateWriter(\Closure $write): mixed
    {
        $data = (string) tempnam(sys_get_temp_dir(), 'larder-data-');
        file_put_contents($data, 'old data');
        $this->cache->delete('k');
        $change = function () use ($data): void {
            file_put_contents($data, 'new data');
            self::assertTrue($this->cache->invalidateTags(['data']));
        };

        try {
            if (!$this->isShared()) {
                self::assertTrue($write($this->cache, static function () use ($data, $change): mixed {
                    $computed = file_get_contents($data);
                    $change();

                    return $computed;
                }));

                return $this->cache->get('k', self::MISS);
            }
            $writer = Fork::start(fn(): bool => $write($this->reopenedCache(), static function () use ($data): mixed {
                $computed = file_get_contents($data);
                touch("$data.computed");
                self::waitForFile("$data.changed");

                return $computed;
            }));
            self::waitForFile("$data.computed");
            $change();
            touch("$data.changed");
            self::assertTrue($writer->result());
            usleep((int) (1e6 * $this->changeDelay()));

            return $this->cache->get('k', self::MISS);
        } finally {
            array_map(unlink(...), array_filter([$data, "$data.computed", "$data.changed"], file_exists(...)));
        }
    }

    private static function waitForFile(string $file): void
    {
        for ($end = microtime(true) + 60; !file_exists($file) && microtime(true) < $end; usleep(500)) {
            clearstatcache();
        }
    }

    /** @param list<string> $expected */
    private function assertListed(array $expected): void
    {
        $all = [...Capability::of($this->cache->store(), ListableStore::class)->keys()];
        $keys = array_values(array_filter($all, fn(string $key): bool => !$this->isInternalKey($key)));
        sort($keys, \SORT_STRING);
        sort($expected, \SORT_STRING);
        self::assertSame($expected, $keys);
    }

    private function assertServed(mixed $value, string $key): void
    {
        self::assertSame($value, $this->cache->get($key, self::MISS));
        self::assertSame([$key => $value], $this->cache->getMany([$key], self::MISS));
        self::assertTrue($this->cache->has($key));
        self::assertSame($value, $this->cache->getManyWithTags([$key])[$key]->value);
    }

    private function assertNotServed(string $key): void
    {
        self::assertSame(self::MISS, $this->cache->get($key, self::MISS));
        self::assertSame([$key => self::MISS], $this->cache->getMany([$key], self::MISS));
        self::assertFalse($this->cache->has($key));
        self::assertSame([], $this->cache->getManyWithTags([$key]));
    }
}
