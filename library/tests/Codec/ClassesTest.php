<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Codec\Codec;
use Larder\Codec\Failure;
use Larder\Internal\Codec\Checksum;
use Larder\Internal\Codec\Classes;
use Larder\Internal\Codec\IgbinaryCodec;
use Larder\Internal\Codec\JsonCodec;
use Larder\Internal\Codec\MsgpackCodec;
use Larder\Internal\Codec\PhpCodec;
use Larder\Testing\Value\Money;
use Larder\Testing\Value\Suit;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Codecs limited to some classes create objects of no others. */
final class ClassesTest extends TestCase
{
    protected function setUp(): void
    {
        Planted::$made = 0;
    }

    /** @return iterable<string, array{\Closure(?Classes): Codec}> */
    public static function codecs(): iterable
    {
        yield 'php' => [static fn(?Classes $classes): Codec => new PhpCodec($classes)];
        yield 'msgpack' => [static fn(?Classes $classes): Codec => new MsgpackCodec($classes)];
        yield 'json' => [static fn(?Classes $classes): Codec => new JsonCodec($classes)];
    }

    /** @return iterable<string, array{string}> */
    public static function forbidden(): iterable
    {
        $planted = new Planted();
        yield 'an object' => [serialize($planted)];
        yield 'in an array' => [serialize(['a' => [1, $planted]])];
        yield 'in an object that is allowed' => [serialize(new \ArrayObject([$planted]))];
        yield 'after a string that looks like its own end' => [serialize(['";s:99:"', $planted])];
        yield 'behind a string written otherwise' => ['a:2:{i:0;S:3:"\22\3b\7d";i:1;' . serialize($planted) . '}'];
        yield 'in other letters' => [str_replace('Planted', 'pLANTED', serialize($planted))];
        yield 'with a plus before its length' => [str_replace('O:', 'O:+', serialize($planted))];
        yield 'an enum' => [serialize(Suit::Hearts)];
        yield 'an enum in an array' => [serialize([Suit::Hearts])];
        yield 'a class that is gone' => ['O:11:"NoSuchClass":0:{}'];
        yield 'of a class with a format of its own' => ['C:11:"NoSuchClass":0:{}'];
        yield 'compressed' => [
            Checksum::before((string) gzcompress(serialize([$planted])), "\5", \strlen(serialize([$planted]))),
        ];
        yield 'behind a signature' => ["\x08" . str_repeat('x', 36) . serialize($planted)];
        yield 'by igbinary' => [(new IgbinaryCodec())->encode($planted, 'k')];
        yield 'by igbinary, though it is plain' => [(new IgbinaryCodec())->encode('1', 'k')];
        yield 'by msgpack' => [Checksum::before(msgpack_pack([$planted]), "\4")];
    }

    #[DataProvider('forbidden')]
    public function testClassThatIsNotAllowedIsNotInstantiated(string $bytes): void
    {
        foreach (self::codecs() as [$codec]) {
            foreach ([Classes::none(), Classes::only('ArrayObject', '\\' . Money::class)] as $classes) {
                $limited = $codec($classes);
                $value = $limited->decode($bytes, 'k', 'miss');
                $items = [$value];
                array_walk_recursive($items, static fn(mixed $item) => self::assertIsNotObject($item));
                self::assertTrue(
                    $value === 'miss' && $limited->failures()->total() === 1 || $bytes[0] === "\4",
                    'a miss, or plain arrays of what msgpack meant as objects',
                );
            }
        }
        self::assertSame(0, Planted::$made);
    }

    /** The control of the test above. */
    public function testAnyClassIsInstantiatedWithoutLimit(): void
    {
        $made = 0;
        foreach (self::forbidden() as $name => [$bytes]) {
            Planted::$made = 0;
            (new PhpCodec())->decode($bytes, 'k');
            $made += Planted::$made;
        }
        self::assertGreaterThanOrEqual(7, $made);
    }

    /** @param \Closure(?Classes): Codec $codec */
    #[DataProvider('codecs')]
    public function testAllowedClassComesBack(\Closure $codec): void
    {
        $some = $codec(Classes::only(strtoupper(Money::class), '\\' . Suit::class, 'DateTimeImmutable'));
        $money = new Money(100, Suit::Hearts, new Money(5, Suit::Spades));
        foreach ([$money, [$money, new \DateTimeImmutable('2001-02-03')], 'O:8:"stdClass":0:{}', [
            'E:1:"',
            'text C:1:"x"',
        ]] as $value) {
            self::assertEquals($value, $some->decode($some->encode($value, 'k'), 'k', 'miss'));
        }
        $none = $codec(Classes::none());
        $number = 1;
        foreach ([1, 'O:8:"stdClass":0:{}', ['O:1:"a', 'b' => [1.5, null]], [
            'a' => &$number,
            'b' => &$number,
        ]] as $value) {
            self::assertSame(serialize($value), serialize($none->decode($none->encode($value, 'k'), 'k', 'miss')));
        }
        self::assertSame(0, $none->failures()->total() + $some->failures()->total());
    }

    /** @param \Closure(?Classes): Codec $codec */
    #[DataProvider('codecs')]
    public function testObjectThatCouldNotBeReadIsNotWritten(\Closure $codec): void
    {
        $this->expectException(\UnexpectedValueException::class);
        $this->expectExceptionMessage('Objects of stdClass are not among the classes that are allowed here');
        $codec(Classes::only(Money::class))->encode(['nested' => new \stdClass()], 'k');
    }

    public function testRefusedClassIsNamed(): void
    {
        $codec = new PhpCodec(Classes::none());
        $codec->decode(serialize(new Planted()), 'k');
        self::assertSame([Failure::ClassNotAllowed->value => 1], $codec->failures()->counts());
    }
}
