<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Psr\SimpleCache;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

/** What PSR-16 asks for, of SimpleCache over a store that keeps what it is given. A test inherits it for each store. */
abstract class SimpleCacheContract extends TestCase
{
    use AssertsRefusal;

    private SimpleCache $cache;

    /** Opens the store with a namespace that no other test uses. */
    abstract protected function open(): Cache;

    protected function setUp(): void
    {
        $this->cache = new SimpleCache($this->open());
    }

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    public function testAMissGivesTheDefault(): void
    {
        self::assertNull($this->cache->get('absent'));
        self::assertSame('default', $this->cache->get('absent', 'default'));
        self::assertFalse($this->cache->has('absent'));
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testAValueComesBackAsItWas(mixed $value): void
    {
        self::assertTrue($this->cache->set('key', $value));
        self::assertTrue($this->cache->has('key'), 'null and false too');
        self::assertSame(serialize($value), serialize($this->cache->get('key', 'default')));
        self::assertTrue($this->cache->setMultiple(['many' => $value]));
        self::assertSame(serialize([['many', $value]]), serialize($this->list($this->cache->getMultiple(['many'], 'default'))));
    }

    #[DataProviderExternal(PsrKeys::class, 'allowed')]
    public function testAllowedKey(string $key): void
    {
        foreach ([fn(): bool => $this->cache->set($key, 'value'), fn(): bool => $this->cache->setMultiple([$key => 'value'])] as $store) {
            self::assertTrue($store());
            self::assertTrue($this->cache->has($key));
            self::assertSame('value', $this->cache->get($key));
            self::assertSame('value', $this->cache->get($key), 'asked again');
            self::assertSame([[$key, 'value']], $this->list($this->cache->getMultiple([$key])));
            self::assertTrue($this->cache->delete($key));
            self::assertFalse($this->cache->has($key));
        }
        $this->cache->set($key, 'value');
        self::assertTrue($this->cache->deleteMultiple([$key]));
        self::assertFalse($this->cache->has($key));
    }

    #[DataProviderExternal(PsrKeys::class, 'forbidden')]
    public function testForbiddenKeyIsRefusedBeforeAnythingChanges(string $key): void
    {
        $this->cache->set('kept', 'old');
        $this->assertRefuses(fn(): mixed => $this->cache->get($key));
        $this->assertRefuses(fn(): mixed => $this->cache->get($key));
        $this->assertRefuses(fn(): mixed => $this->cache->has($key));
        $this->assertRefuses(fn(): mixed => $this->cache->set($key, 'value'));
        $this->assertRefuses(fn(): mixed => $this->cache->set($key, 'value', 0));
        $this->assertRefuses(fn(): mixed => $this->cache->delete($key));
        $this->assertRefuses(fn(): mixed => $this->cache->getMultiple(['kept', $key]));
        $this->assertRefuses(fn(): mixed => $this->cache->setMultiple(['kept' => 'new', $key => 'new']));
        $this->assertRefuses(fn(): mixed => $this->cache->setMultiple(['kept' => 'new', $key => 'new'], -1));
        $this->assertRefuses(fn(): mixed => $this->cache->deleteMultiple(['kept', $key]));
        self::assertSame('old', $this->cache->get('kept'));
    }

    #[DataProviderExternal(PsrKeys::class, 'noStrings')]
    public function testWhatIsNoStringIsRefusedBeforeAnythingChanges(mixed $key): void
    {
        $this->cache->set('kept', 'old');
        $keys = static function () use ($key): \Generator {
            yield 'kept';
            yield $key;
        };
        foreach ([$keys, static fn(): array => ['kept', $key]] as $give) {
            $this->assertRefuses(fn(): mixed => $this->cache->getMultiple($give()));
            $this->assertRefuses(fn(): mixed => $this->cache->deleteMultiple($give()));
        }
        if (!\is_int($key)) {
            $this->assertRefuses(fn(): mixed => $this->cache->setMultiple((static function () use ($key): \Generator {
                yield 'kept' => 'new';
                yield $key => 'new';
            })()));
        }
        self::assertSame('old', $this->cache->get('kept'));
    }

    public function testKeysThatPhpMakesIntegersOfStayStrings(): void
    {
        self::assertTrue($this->cache->setMultiple(['0' => 'zero', '7' => 'seven', '-5' => 'minus five', '007' => 'agent']));
        self::assertSame('zero', $this->cache->get('0'));
        $expected = [['7', 'seven'], ['007', 'agent'], ['0', 'zero'], ['8', null], ['-5', 'minus five']];
        $found = $this->cache->getMultiple(['7', '007', '0', '8', '-5']);
        self::assertSame($expected, $this->list($found));
        self::assertSame($expected, $this->list($found), 'walked a second time');
        self::assertTrue($this->cache->setMultiple($found), 'what was found can be stored');
        $keys = array_column($this->list($found), 0);
        self::assertTrue($this->cache->deleteMultiple($keys));
        self::assertFalse($this->cache->has('7'));
    }

    public function testGeneratorsAreWalkedOnce(): void
    {
        $pairs = static function (): \Generator {
            yield 'a' => 1;
            yield '7' => 2;
            yield 'a' => 3;
        };
        // The keys of this one do not count, its values do.
        $keys = static function (): \Generator {
            yield 1 => 'a';
            yield 1 => '7';
            yield 1 => 'absent';
        };
        self::assertTrue($this->cache->setMultiple($pairs()));
        self::assertSame([['a', 3], ['7', 2], ['absent', 'default']], $this->list($this->cache->getMultiple($keys(), 'default')));
        self::assertSame([['a', 3], ['7', 2]], $this->list($this->cache->getMultiple(new \ArrayIterator(['x' => 'a', 'y' => '7']))));
        self::assertTrue($this->cache->deleteMultiple($keys()));
        self::assertFalse($this->cache->has('a'));
        self::assertFalse($this->cache->has('7'));
    }

    public function testNothingToDoSucceeds(): void
    {
        self::assertSame([], $this->list($this->cache->getMultiple([])));
        self::assertTrue($this->cache->setMultiple([]));
        self::assertTrue($this->cache->deleteMultiple([]));
        self::assertTrue($this->cache->delete('absent'));
        self::assertTrue($this->cache->deleteMultiple(['absent']));
        self::assertTrue($this->cache->clear());
        self::assertTrue($this->cache->clear(), 'clearing what is empty');
    }

    public function testClear(): void
    {
        $this->cache->setMultiple(['a' => 1, 'b' => 2]);
        self::assertTrue($this->cache->clear());
        self::assertSame([['a', null], ['b', null]], $this->list($this->cache->getMultiple(['a', 'b'])));
        self::assertTrue($this->cache->set('a', 1));
        self::assertSame(1, $this->cache->get('a'));
    }

    public function testAnExpiredLifetimeDeletes(): void
    {
        $past = new \DateInterval('PT1S');
        $past->invert = 1;
        foreach ([0, -1, \PHP_INT_MIN, new \DateInterval('PT0S'), $past] as $ttl) {
            $this->cache->setMultiple(['one' => 'old', 'two' => 'old', '7' => 'old']);
            self::assertTrue($this->cache->set('one', 'new', $ttl));
            self::assertTrue($this->cache->set('absent', 'new', $ttl));
            self::assertTrue($this->cache->setMultiple(['two' => 'new', '7' => 'new'], $ttl));
            foreach (['one', 'two', '7', 'absent'] as $key) {
                self::assertFalse($this->cache->has($key));
                self::assertNull($this->cache->get($key));
            }
        }
    }

    public function testLifetimes(): void
    {
        $short = new \DateInterval('PT0S');
        $short->f = 0.5;
        $start = microtime(true);
        $this->cache->set('second', 'short', 1);
        $this->cache->set('interval', 'short', $short);
        $this->cache->setMultiple(['many' => 'short'], 1);
        $this->cache->setMultiple(['many by interval' => 'short'], $short);
        $go = ['second', 'interval', 'many', 'many by interval'];
        $stay = ['null' => null, 'hour' => 3600, 'ages' => \PHP_INT_MAX, 'month' => new \DateInterval('P1M'), 'centuries' => new \DateInterval('P900Y')];
        foreach ($stay as $key => $ttl) {
            self::assertTrue($this->cache->set($key, 'long', $ttl));
        }
        $this->cache->set('renewed', 'short', 1);
        $this->cache->set('renewed', 'long');
        foreach ($go as $key) {
            self::assertTrue($this->cache->has($key) || microtime(true) >= $start + 0.5, $key . ' went too early');
        }

        usleep(1_100_000);

        foreach ($go as $key) {
            self::assertFalse($this->cache->has($key), $key . ' is there still');
            self::assertNull($this->cache->get($key));
        }
        foreach ([...array_keys($stay), 'renewed'] as $key) {
            self::assertSame('long', $this->cache->get($key), $key);
        }
    }

    public function testWhatWasStoredDoesNotChangeWithObjects(): void
    {
        $object = (object) ['n' => 1];
        $this->cache->set('one', $object);
        $this->cache->setMultiple(['many' => [$object]]);
        $object->n = 2;
        self::assertEquals((object) ['n' => 1], $this->cache->get('one'));
        self::assertEquals([(object) ['n' => 1]], $this->cache->get('many'));
        $found = $this->cache->get('one');
        self::assertInstanceOf(\stdClass::class, $found);
        $found->n = 3;
        self::assertEquals((object) ['n' => 1], $this->cache->get('one'));
    }

    public function testAValueThatCannotBeSerializedIsRefused(): void
    {
        $this->cache->set('key', 'old');
        $this->assertRefuses(fn(): mixed => $this->cache->set('key', static fn(): int => 1), 'Closure');
        $this->assertRefuses(fn(): mixed => $this->cache->setMultiple(['key' => [static fn(): int => 1]]), 'Closure');
        self::assertSame('old', $this->cache->get('key'));
    }

    /**
     * @param iterable<mixed, mixed> $pairs
     * @return list<array{mixed, mixed}> with keys of the type that a foreach sees
     */
    private function list(iterable $pairs): array
    {
        $list = [];
        foreach ($pairs as $key => $value) {
            $list[] = [$key, $value];
        }

        return $list;
    }
}
