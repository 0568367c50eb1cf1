<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Psr\SimpleCache;
use PHPUnit\Framework\Attributes\Before;
use PHPUnit\Framework\Attributes\Group;

/**
 * The requirements of PSR-16 for a SimpleCache over a store.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait SimpleCacheContract
{
    use AssertsRefusal;

    private SimpleCache $simple;

    #[Before(-1)]
    protected function openSimpleCache(): void
    {
        $this->simple = new SimpleCache($this->cache);
    }

    public function testSimpleCacheMissReturnsDefault(): void
    {
        self::assertNull($this->simple->get('absent'));
        self::assertSame('default', $this->simple->get('absent', 'default'));
        self::assertFalse($this->simple->has('absent'));
    }

    public function testSimpleCacheSetThenGet(): void
    {
        self::checkEach(Values::all(), function (mixed $value): void {
            self::assertTrue($this->simple->set('key', $value));
            self::assertTrue($this->simple->has('key'), 'null and false too');
            self::assertSame(serialize($value), serialize($this->simple->get('key', 'default')));
            self::assertTrue($this->simple->setMultiple(['many' => $value]));
            self::assertSame(
                serialize([['many', $value]]),
                serialize($this->pairs($this->simple->getMultiple(['many'], 'default'))),
            );
        });
    }

    public function testSimpleCacheAcceptsAllowedKey(): void
    {
        self::checkEach(PsrKeys::allowed(), function (string $key): void {
            foreach ([
                fn(): bool => $this->simple->set($key, 'value'),
                fn(): bool => $this->simple->setMultiple([$key => 'value']),
            ] as $store) {
                self::assertTrue($store());
                self::assertTrue($this->simple->has($key));
                self::assertSame('value', $this->simple->get($key));
                self::assertSame('value', $this->simple->get($key), 'asked again');
                self::assertSame([[$key, 'value']], $this->pairs($this->simple->getMultiple([$key])));
                self::assertTrue($this->simple->delete($key));
                self::assertFalse($this->simple->has($key));
            }
            $this->simple->set($key, 'value');
            self::assertTrue($this->simple->deleteMultiple([$key]));
            self::assertFalse($this->simple->has($key));
        });
    }

    public function testSimpleCacheRefusesForbiddenKeyBeforeAnyChange(): void
    {
        self::checkEach(PsrKeys::forbidden(), function (string $key): void {
            $this->simple->set('kept', 'old');
            $this->assertRefuses(fn(): mixed => $this->simple->get($key));
            $this->assertRefuses(fn(): mixed => $this->simple->get($key));
            $this->assertRefuses(fn(): mixed => $this->simple->has($key));
            $this->assertRefuses(fn(): mixed => $this->simple->set($key, 'value'));
            $this->assertRefuses(fn(): mixed => $this->simple->set($key, 'value', 0));
            $this->assertRefuses(fn(): mixed => $this->simple->delete($key));
            $this->assertRefuses(fn(): mixed => $this->simple->getMultiple(['kept', $key]));
            $this->assertRefuses(fn(): mixed => $this->simple->setMultiple(['kept' => 'new', $key => 'new']));
            $this->assertRefuses(fn(): mixed => $this->simple->setMultiple(['kept' => 'new', $key => 'new'], -1));
            $this->assertRefuses(fn(): mixed => $this->simple->deleteMultiple(['kept', $key]));
            self::assertSame('old', $this->simple->get('kept'));
        });
    }

    public function testSimpleCacheRefusesNonStringKeyBeforeAnyChange(): void
    {
        self::checkEach(PsrKeys::noStrings(), function (mixed $key): void {
            $this->simple->set('kept', 'old');
            $keys = static function () use ($key): \Generator {
                yield 'kept';
                yield $key;
            };
            foreach ([$keys, static fn(): array => ['kept', $key]] as $give) {
                $this->assertRefuses(fn(): mixed => $this->simple->getMultiple($give()));
                $this->assertRefuses(fn(): mixed => $this->simple->deleteMultiple($give()));
            }
            if (!\is_int($key)) {
                $this->assertRefuses(
                    fn(): mixed => $this->simple->setMultiple((static function () use ($key): \Generator {
                        yield 'kept' => 'new';
                        yield $key => 'new';
                    })()),
                );
            }
            self::assertSame('old', $this->simple->get('kept'));
        });
    }

    public function testSimpleCacheReturnsAnArray(): void
    {
        self::assertTrue(
            $this->simple->setMultiple(['0' => 'zero', '7' => 'seven', '-5' => 'minus five', '007' => 'agent']),
        );
        self::assertSame('zero', $this->simple->get('0'));
        $found = $this->simple->getMultiple(['7', '007', '0', '8', '-5']);
        self::assertSame(['7' => 'seven', '007' => 'agent', '0' => 'zero', '8' => null, '-5' => 'minus five'], $found);
        self::assertTrue($this->simple->setMultiple($found), 'what was found can be stored');
        self::assertTrue($this->simple->deleteMultiple(array_map(strval(...), array_keys($found))));
        self::assertFalse($this->simple->has('7'));
    }

    public function testSimpleCacheReadsGeneratorsOnce(): void
    {
        $pairs = static function (): \Generator {
            yield 'a' => 1;
            yield '7' => 2;
            yield 'a' => 3;
        };
        // PSR-16 uses the values of this generator, not its keys.
        $keys = static function (): \Generator {
            yield 1 => 'a';
            yield 1 => '7';
            yield 1 => 'absent';
        };
        self::assertTrue($this->simple->setMultiple($pairs()));
        self::assertSame(
            [['a', 3], ['7', 2], ['absent', 'default']],
            $this->pairs($this->simple->getMultiple($keys(), 'default')),
        );
        self::assertSame(
            [['a', 3], ['7', 2]],
            $this->pairs($this->simple->getMultiple(new \ArrayIterator(['x' => 'a', 'y' => '7']))),
        );
        self::assertTrue($this->simple->deleteMultiple($keys()));
        self::assertFalse($this->simple->has('a'));
        self::assertFalse($this->simple->has('7'));
    }

    public function testSimpleCacheAcceptsEmptyListsAndAbsentKeys(): void
    {
        self::assertSame([], $this->pairs($this->simple->getMultiple([])));
        self::assertTrue($this->simple->setMultiple([]));
        self::assertTrue($this->simple->deleteMultiple([]));
        self::assertTrue($this->simple->delete('absent'));
        self::assertTrue($this->simple->deleteMultiple(['absent']));
        self::assertTrue($this->simple->clear());
        self::assertTrue($this->simple->clear(), 'clearing what is empty');
    }

    public function testSimpleCacheClearRemovesAllValues(): void
    {
        $this->simple->setMultiple(['a' => 1, 'b' => 2]);
        self::assertTrue($this->simple->clear());
        self::assertSame([['a', null], ['b', null]], $this->pairs($this->simple->getMultiple(['a', 'b'])));
        self::assertTrue($this->simple->set('a', 1));
        self::assertSame(1, $this->simple->get('a'));
    }

    public function testSimpleCacheDeletesWhenTtlIsNotPositive(): void
    {
        $past = new \DateInterval('PT1S');
        $past->invert = 1;
        foreach ([0, -1, \PHP_INT_MIN, new \DateInterval('PT0S'), $past] as $ttl) {
            $this->simple->setMultiple(['one' => 'old', 'two' => 'old', '7' => 'old']);
            self::assertTrue($this->simple->set('one', 'new', $ttl));
            self::assertTrue($this->simple->set('absent', 'new', $ttl));
            self::assertTrue($this->simple->setMultiple(['two' => 'new', '7' => 'new'], $ttl));
            foreach (['one', 'two', '7', 'absent'] as $key) {
                self::assertFalse($this->simple->has($key));
                self::assertNull($this->simple->get($key));
            }
        }
    }

    #[Group('waiting')]
    public function testSimpleCacheValuesExpire(): void
    {
        $short = new \DateInterval('PT0S');
        $short->f = 0.5;
        $start = microtime(true);
        $this->simple->set('second', 'short', 1);
        $this->simple->set('interval', 'short', $short);
        $this->simple->setMultiple(['many' => 'short'], 1);
        $this->simple->setMultiple(['many by interval' => 'short'], $short);
        $go = ['second', 'interval', 'many', 'many by interval'];
        $stay = [
            'null' => null, 'hour' => 3600, 'ages' => \PHP_INT_MAX, 'month' => new \DateInterval('P1M'),
            'centuries' => new \DateInterval('P900Y'),
        ];
        foreach ($stay as $key => $ttl) {
            self::assertTrue($this->simple->set($key, 'long', $ttl));
        }
        $this->simple->set('renewed', 'short', 1);
        $this->simple->set('renewed', 'long');
        $short = new SimpleCache($this->cache, defaultTtl: 0.5);
        $short->set('default', 'short');
        $short->setMultiple(['many by default' => 'short']);
        $short->set('longer than the default', 'long', 3600);
        array_push($go, 'default', 'many by default');
        $stay['longer than the default'] = 3600;
        foreach ($go as $key) {
            self::assertTrue($this->simple->has($key) || microtime(true) >= $start + 0.5, $key . ' went too early');
        }

        usleep(1_100_000);

        foreach ($go as $key) {
            self::assertFalse($this->simple->has($key), $key . ' is there still');
            self::assertNull($this->simple->get($key));
        }
        foreach ([...array_keys($stay), 'renewed'] as $key) {
            self::assertSame('long', $this->simple->get($key), $key);
        }
    }

    public function testSimpleCacheStoresACopy(): void
    {
        $object = (object) ['n' => 1];
        $this->simple->set('one', $object);
        $this->simple->setMultiple(['many' => [$object]]);
        $object->n = 2;
        self::assertEquals((object) ['n' => 1], $this->simple->get('one'));
        self::assertEquals([(object) ['n' => 1]], $this->simple->get('many'));
        $found = $this->simple->get('one');
        self::assertInstanceOf(\stdClass::class, $found);
        $found->n = 3;
        self::assertEquals((object) ['n' => 1], $this->simple->get('one'));
    }

    public function testSimpleCacheRefusesUnserializableValue(): void
    {
        $this->simple->set('key', 'old');
        $this->assertRefuses(fn(): mixed => $this->simple->set('key', static fn(): int => 1), 'Closure');
        $this->assertRefuses(fn(): mixed => $this->simple->setMultiple(['key' => [static fn(): int => 1]]), 'Closure');
        self::assertSame('old', $this->simple->get('key'));
    }

    /**
     * @param iterable<mixed, mixed> $pairs
     * @return list<array{mixed, mixed}> with keys as a foreach returns them, except that integers become strings
     */
    private function pairs(iterable $pairs): array
    {
        $list = [];
        foreach ($pairs as $key => $value) {
            $list[] = [\is_int($key) ? (string) $key : $key, $value];
        }

        return $list;
    }
}
