<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Driver\Memory\ArrayStore;
use Larder\Internal\Codec\IgbinaryCodec;
use Larder\Internal\Codec\JsonCodec;
use Larder\Internal\Codec\MsgpackCodec;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Codec\SignedCodec;
use Larder\Internal\Remember\Placeholder;
use Larder\Internal\Remember\StoredValue;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class StoredValueTest extends TestCase
{
    public function testStoredValueComesBack(): void
    {
        foreach ([
            null, false, 1, 'text', [1, 2], new \ArrayObject([1]), (new StoredValue('inner'))->stored(),
        ] as $value) {
            $stored = new StoredValue($value, 1234.5, 0.25, ['a' => 1, '7' => 'random']);
            self::assertTrue(StoredValue::is($stored->stored()));
            self::assertEquals($stored, StoredValue::of($stored->stored()));
        }
    }

    public function testPlainValueIsStoredAsItIs(): void
    {
        foreach ([null, 1, 'text', [], ['larder' => [0.0, 0.0, []], 0 => 1], new \ArrayObject()] as $value) {
            self::assertFalse(StoredValue::is($value));
            self::assertSame($value, StoredValue::plain($value));
        }
    }

    /** @return iterable<string, array{mixed}> */
    public static function others(): iterable
    {
        yield 'no array' => ['text'];
        yield 'nothing known' => [[StoredValue::MARK => 1, 0 => 'value']];
        yield 'too little known' => [[StoredValue::MARK => [1.0], 0 => 'value']];
        yield 'no value' => [[StoredValue::MARK => [0.0, 0.0, []]]];
        yield 'no time' => [[StoredValue::MARK => ['soon', 0.0, []], 0 => 'value']];
        yield 'no generation' => [[StoredValue::MARK => [0.0, 0.0, ['tag' => null]], 0 => 'value']];
        yield 'a tag without a name' => [[StoredValue::MARK => [0.0, 0.0, ['' => 1]], 0 => 'value']];
        yield 'a tag that is too long' => [
            [StoredValue::MARK => [0.0, 0.0, [str_repeat('t', 65_536) => 1]], 0 => 'value'],
        ];
    }

    #[DataProvider('others')]
    public function testOtherShapesAreNotStoredValues(mixed $stored): void
    {
        self::assertNull(StoredValue::of($stored));
        $store = new ArrayStore();
        $cache = new Cache($store);
        $store->set('k', $stored);
        if (StoredValue::is($stored)) {
            self::assertSame('miss', $cache->get('k', 'miss'));
            self::assertSame(['k' => 'miss'], $cache->getMany(['k'], 'miss'));
            self::assertSame(4, \strlen($cache->remember('k', 60, static fn(): string => bin2hex(random_bytes(2)))));
        }
    }

    public function testIntegersAreAcceptedForWholeFloats(): void
    {
        self::assertEquals(
            new StoredValue('v', 5.0, 1.0, []),
            StoredValue::of([StoredValue::MARK => [5, 1, []], 0 => 'v']),
        );
    }

    public function testStoredValueIsFreshUntilItsTime(): void
    {
        self::assertTrue((new StoredValue('v'))->isFresh(1e12));
        self::assertTrue((new StoredValue('v', 100.0))->isFresh(99.9));
        self::assertFalse((new StoredValue('v', 100.0))->isFresh(100.0));
    }

    public function testCacheReturnsTheValueWhileFresh(): void
    {
        $store = new ArrayStore();
        $cache = new Cache($store);
        $store->set('fresh', (new StoredValue('value', microtime(true) + 60))->stored());
        $store->set('null', (new StoredValue(null))->stored());
        $store->set('stale', (new StoredValue('old', microtime(true) - 1))->stored());
        $store->set('damaged', [StoredValue::MARK => 'nothing of Larder']);
        $cache->set('plain', [1]);
        self::assertSame('value', $cache->get('fresh'));
        self::assertNull($cache->get('null', 'default'));
        self::assertSame('default', $cache->get('stale', 'default'));
        self::assertSame('default', $cache->get('damaged', 'default'));
        self::assertSame(
            ['fresh' => 'value', 'null' => null, 'stale' => 'default', 'plain' => [1], 'gone' => 'default'],
            $cache->getMany(['fresh', 'null', 'stale', 'plain', 'gone'], 'default'),
        );
        self::assertSame(
            [true, true, false, false],
            [$cache->has('fresh'), $cache->has('null'), $cache->has('stale'), $cache->has('damaged')],
        );
    }

    public function testCallersArrayOfThisShapeIsKept(): void
    {
        $cache = new Cache(new ArrayStore());
        foreach ([(new StoredValue('value', 1.0))->stored(), [StoredValue::MARK => 'mine']] as $mine) {
            self::assertTrue($cache->set('set', $mine));
            self::assertTrue($cache->setMany(['many' => $mine, 'other' => 1]));
            self::assertTrue($cache->replace('many', $mine));
            $cache->delete('added');
            self::assertTrue($cache->add('added', $mine));
            self::assertSame(
                ['set' => $mine, 'many' => $mine, 'added' => $mine, 'other' => 1],
                $cache->getMany(['set', 'many', 'added', 'other']),
            );
            self::assertSame($mine, $cache->get('set'));
            self::assertSame($mine, $cache->get('nothing', $mine));
            self::assertSame($mine, $cache->getMany(['nothing'], $mine)['nothing']);
        }
    }

    /** A list of keys reads at most this many bytes of each value. */
    public function testPlaceholderIsShort(): void
    {
        $numbers = [
            \PHP_INT_MAX, \PHP_INT_MAX, \PHP_INT_MAX, 1 / 3, \PHP_INT_MAX, 1, \PHP_INT_MAX, \PHP_INT_MAX, \PHP_INT_MAX,
            \PHP_INT_MAX,
        ];
        $placeholder = Placeholder::of([
            StoredValue::MARK => [StoredValue::NEVER_FRESH, 0.0, [], ...$numbers],
            0 => null,
        ]);
        self::assertNotNull($placeholder);
        foreach ([new PhpCodec(), new JsonCodec(), new IgbinaryCodec(), new MsgpackCodec()] as $codec) {
            self::assertLessThan(
                Placeholder::LONGEST,
                SignedCodec::HEAD + \strlen($codec->encode($placeholder->stored(), 'k')),
            );
        }
    }
}
