<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Codec\Codec;
use Larder\Internal\Codec\JsonCodec;
use Larder\Internal\Codec\MsgpackCodec;
use Larder\Internal\Codec\PhpCodec;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** JSON and MessagePack can be read by other programs, and change no value. */
final class PlainFormatsTest extends TestCase
{
    public function testJsonCodecStoresJson(): void
    {
        $codec = new JsonCodec();
        $texts = [
            '{"name":"Kraków/Śródmieście","price":10.0,"list":[1,null,true],"empty":[],"map":{"7":"x","a":-0.0}}' => ['name' => 'Kraków/Śródmieście', 'price' => 10.0, 'list' => [1, null, true], 'empty' => [], 'map' => ['7' => 'x', 'a' => -0.0]],
            '"text"' => 'text',
            '-5' => -5,
            '1.5' => 1.5,
            'true' => true,
            'null' => null,
        ];
        foreach ($texts as $text => $value) {
            self::assertSame((string) $text, $codec->encode($value, 'k'));
        }
        self::assertSame(
            ['a' => [1, 2.5]],
            $codec->decode('{"a": [1, 2.5]}', 'k'),
            'as another program may have written it',
        );
    }

    public function testMsgpackCodecStoresMessagePack(): void
    {
        $codec = new MsgpackCodec();
        self::assertSame(
            "\x82\xa1a\x01\xa1b\x93\x01\xc0\xc3",
            substr($codec->encode(['a' => 1, 'b' => [1, null, true]], 'k'), 16),
        );
    }

    /** @return iterable<string, array{Codec}> */
    public static function codecs(): iterable
    {
        yield 'json' => [new JsonCodec()];
        yield 'msgpack' => [new MsgpackCodec()];
    }

    #[DataProvider('codecs')]
    public function testValueThatWouldChangeIsStoredInPhpFormat(Codec $codec): void
    {
        $number = 1;
        $deep = array_reduce(range(1, 600), static fn(array $inner): array => [$inner], []);
        $wide = array_fill(0, 600, [1]);
        $values = [
            'an object' => (object) ['a' => 1],
            'in an array' => [[new \ArrayObject()]],
            'a reference' => ['a' => &$number, 'b' => &$number],
            'deep' => $deep,
        ];
        if ($codec instanceof JsonCodec) {
            $values += ['not UTF-8' => "\xff", 'a key that is not' => ["\xff" => 1], 'NAN' => \NAN, 'an infinity' => [
                -\INF,
            ]];
        }
        foreach ($values as $what => $value) {
            self::assertSame(serialize($value), $codec->encode($value, 'k'), $what);
        }
        self::assertNotSame(serialize($wide), $codec->encode($wide, 'k'), 'the control: many arrays, though not deep');
        $text = ['NAME: x, O:1:"a', 'E:5'];
        self::assertNotSame(
            serialize($text),
            $codec->encode($text, 'k'),
            'text that has the letters of objects is text',
        );
    }

    #[DataProvider('codecs')]
    public function testRandomValuesComeBackUnchanged(Codec $codec): void
    {
        for ($i = 0; $i < 2000; ++$i) {
            $value = $this->random(3);
            self::assertSame(
                serialize($value),
                serialize($codec->decode($codec->encode($value, 'k'), 'k', 'unreadable')),
            );
        }
        self::assertSame(0, $codec->failures()->total());
    }

    /** The control: plain JSON changes values silently. */
    public function testPlainJsonChangesValues(): void
    {
        foreach ([10.0, new \ArrayObject([1]), ['a' => (object) []]] as $value) {
            self::assertNotSame(serialize($value), serialize(json_decode((string) json_encode($value), true)));
        }
    }

    public function testInvalidJsonIsAMiss(): void
    {
        foreach (['{"a":', 'nul', 'nullx', '[1,]', '"', '-', '01'] as $text) {
            self::assertSame('miss', (new PhpCodec())->decode($text, 'k', 'miss'), $text);
        }
    }

    private function random(int $depth): mixed
    {
        /** @var array{1: float} $float any of the 2^64 */
        $float = unpack('e', random_bytes(8));

        return match (random_int($depth > 0 ? 0 : 3, 9)) {
            0 => array_map(fn(): mixed => $this->random($depth - 1), range(1, random_int(1, 5))),
            1, 2 => array_combine(
                array_map(
                    static fn(): string
                        => random_int(0, 1) === 1 ? (string) random_int(-5, 5) : bin2hex(random_bytes(2)),
                    range(1, 4),
                ),
                array_map(fn(): mixed => $this->random($depth - 1), range(1, 4)),
            ),
            3 => $float[1],
            4 => random_int(\PHP_INT_MIN, \PHP_INT_MAX),
            5 => random_bytes(random_int(1, 10)),
            6 => mb_chr(random_int(0xE000, 0x10FFFF)) . mb_chr(random_int(0, 0xD7FF)),
            7 => random_int(0, 1) === 1,
            8 => random_int(-1000, 1000) / 1000,
            default => null,
        };
    }
}
