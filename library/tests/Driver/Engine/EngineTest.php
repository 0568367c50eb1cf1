<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Engine;

use Larder\Cache;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Engine\EngineRemember;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Remember\Freshness;
use Larder\Internal\Tag\TaggedValue;
use Larder\Remember\RememberOptions;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\PhpProcess;
use Psr\Clock\ClockInterface;

final class EngineTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'larder:';
    }

    protected function setUp(): void
    {
        parent::setUp();
        $this->cache = Cache::open('larder:'); // its store is opened when it is needed
        // If a fork creates the segment, this process notices that only 10 ms after it last found none.
        self::assertTrue($this->cache->set('segment', 'created') && $this->cache->clear());
    }

    protected function hasNamespaces(): bool
    {
        return false;
    }

    /** The engine refuses values over an eighth of its memory, which is 64 MB by default. */
    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }

    public function testUnrelatedProcessesShareValues(): void
    {
        $cache = Cache::open('larder:');
        $cache->set('unrelated', ['from' => 'here']);
        self::assertSame(
            "here\n",
            PhpProcess::run(
                '$c = Larder\Cache::open("larder:"); echo $c->get("unrelated")["from"], "\n"; '
                    . '$c->set("unrelated", "from there");',
            ),
        );
        self::assertSame('from there', $cache->get('unrelated'));
    }

    public function testOtherSegmentIsRefusedWithTheSetting(): void
    {
        $running = (string) ini_get('larder.segment');
        self::assertTrue(Cache::open('larder:' . $running)->set('k', 1));
        $this->expectException(StoreUnavailable::class);
        $this->expectExceptionMessageMatches(\sprintf(
            '~^larder: this process has the segment %s, not other\. .*php -d larder\.segment=other$~',
            preg_quote($running, '~'),
        ));
        Cache::open('larder:other');
    }

    public function testRememberCountsWhatItsCallersFind(): void
    {
        foreach ([$this->cache, Cache::open('larder:?namespace=counted')] as $i => $cache) {
            $before = self::counts();
            for ($key = 0; $key < 10_000; ++$key) {
                $cache->remember(
                    "counted $key",
                    60,
                    static fn(): int => 1,
                    stale: 60,
                    tags: $key % 2 === 0 ? [] : ['tag'],
                );
            }
            self::assertSame([0, 10_000], self::difference($before), "misses $i");
            $before = self::counts();
            for ($key = 0; $key < 100; ++$key) {
                $cache->remember("counted $key", 60, static fn(): int => 2, tags: ['tag']);
            }
            self::assertSame([100, 0], self::difference($before), "hits $i");
        }
    }

    public function testRememberedIntegerIsNoLargerThanOneThatWasSet(): void
    {
        $this->cache->set('set', 7, 60);
        $this->cache->remember('kep', 60, static fn(): int => 7, stale: 600);
        $this->cache->remember('all', 0, static fn(): int => 7);
        $size = static fn(string $key): int => \is_int($size = larder_key_info($key)['size'] ?? null) ? $size : 0;
        self::assertSame([$size('set') + 8, $size('set')], [$size('kep'), $size('all')]);
        self::assertSame(7, larder_fetch('kep'), 'as set() stores it');
    }

    /** Like next to a newer version of the code: the value is fresh for the process that recomputes it. */
    public function testUnreadableValueOfAnotherIsAwaitedAsleep(): void
    {
        $owner = Fork::start(static function (): void {
            eval('final class OfAnotherVersion {} larder_store("k", new OfAnotherVersion(), 60);');
            larder_claim('k');
            larder_store('begun', 1);
            sleep(60);
        });
        while (larder_fetch('begun') !== 1) {
            usleep(1000);
        }
        $before = self::seconds();
        $this->cache->remember('k', 60, static fn(): int => 7, wait: 1.0);
        self::assertLessThan(0.2, self::seconds() - $before, 'seconds of the processor');
        $owner->kill();
    }

    public function testKeysAreListedWithoutUse(): void
    {
        $this->cache->set('listed', str_repeat('long', 1000));
        self::assertSame(['listed'], iterator_to_array($this->cache->keys(), false));
        $isUsed = static fn(): mixed => larder_key_info('listed')['used'] ?? null;
        self::assertFalse($isUsed());
        $this->cache->get('listed');
        self::assertTrue($isUsed(), 'the control');
    }

    /** As on a busy machine, where other processes run between the engine's look at its clock and PHP's. */
    public function testStaleValueIsRecomputedAfterPauses(): void
    {
        $this->cache->remember('k', 0.05, static fn(): string => 'old', stale: 60, jitter: 0.0);
        usleep(60_000);
        $clock = new class implements ClockInterface {
            private int $calls = 0;

            public function now(): \DateTimeImmutable
            {
                return new \DateTimeImmutable('+' . 50 * ++$this->calls . ' ms');
            }
        };
        $remember = new EngineRemember(new EngineStore(), new Freshness($clock));
        self::assertSame('new', $remember->value(new RememberOptions('k', 60, static fn(): string => 'new', 60)));
    }

    /** The engine's clock decides whether a value is stale, not the reader's. */
    public function testTimesOfARememberedValueAreTold(): void
    {
        $this->cache->remember('k', 100, static function (): int {
            usleep(20_000);

            return 1;
        }, stale: 60, tags: ['t'], jitter: 0.0);
        $found = $this->cache->getManyWithTags(['k'])['k'];
        self::assertEqualsWithDelta(microtime(true) + 100, $found->freshUntil, 5.0);
        self::assertEqualsWithDelta(microtime(true) + 100, $this->cache->expiry('k'), 5.0);
        self::assertGreaterThanOrEqual(0.019, $found->cost);
        self::assertSame(['t'], $found->tags);
    }

    /** Also of one that took next to no time: a chain of pools asks when it expires. */
    public function testTimesOfAQuickValueAreTold(): void
    {
        $this->cache->remember('quick', 100, static fn(): int => 1, jitter: 0.0);
        $this->cache->set('set', 2, 100);
        $this->cache->set('about', new TaggedValue(3, ['t'], 4.0));
        $found = [];
        foreach ([['quick'], ['set'], ['about'], ['quick', 'set', 'gone', 'about']] as $keys) {
            $found = $this->cache->getManyWithTags($keys);
            self::assertSame(array_values(array_diff($keys, ['gone'])), array_keys($found));
            foreach ($found as $key => $value) {
                $until = $key === 'quick' ? microtime(true) + 100 : 0.0;
                self::assertEqualsWithDelta($until, $value->freshUntil, 5.0, "of $key");
            }
        }
        self::assertEquals(new TaggedValue(3, ['t'], 4.0), $found['about']->value);
        self::assertSame(2, $this->cache->getWithTags('set', null));
        self::assertSame('default', $this->cache->getWithTags('gone', 'default'));
    }

    /** Processor time of this process. */
    private static function seconds(): float
    {
        $used = static fn(string $name): int => \is_int($value = ((array) getrusage())[$name] ?? null)
            ? $value
            : throw new \RuntimeException('the system does not tell');

        return $used('ru_utime.tv_sec')
            + $used('ru_stime.tv_sec')
            + ($used('ru_utime.tv_usec') + $used('ru_stime.tv_usec')) / 1e6;
    }

    /** @return array{int, int} hits and misses */
    private static function counts(): array
    {
        $info = larder_info(false);

        return [\is_int($info['hits']) ? $info['hits'] : -1, \is_int($info['misses']) ? $info['misses'] : -1];
    }

    /**
     * @param array{int, int} $before
     * @return array{int, int}
     */
    private static function difference(array $before): array
    {
        $after = self::counts();

        return [$after[0] - $before[0], $after[1] - $before[1]];
    }
}
