<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Codec\Failure;
use Larder\Internal\Codec\Checksum;
use Larder\Internal\Codec\PhpCodec;
use Larder\Testing\Fork;
use Larder\Testing\Values;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

/** Every codec returns the same value, whichever codec wrote it, and the default for unreadable bytes. */
final class CodecContractTest extends TestCase
{
    private const UNREADABLE = 'unreadable';

    #[DataProviderExternal(Codecs::class, 'names')]
    public function testEveryCodecReadsTheOthers(string $name): void
    {
        $writer = Codecs::named($name);
        foreach (Values::all() as $what => [$value]) {
            $bytes = $writer->encode($value, 'k');
            foreach (Codecs::available() as $other => $reader) {
                $expected = Codecs::isSigned($other) && !Codecs::isSigned($name) ? self::UNREADABLE : $value;
                self::assertSame(
                    serialize($expected),
                    serialize($reader->decode($bytes, 'k', self::UNREADABLE)),
                    "$what, written by $name, read by $other",
                );
            }
        }
        self::assertSame([], $writer->failures()->counts());
    }

    #[DataProviderExternal(Codecs::class, 'names')]
    public function testFirstByteNamesTheFormat(string $name): void
    {
        $codec = Codecs::named($name);
        $formats = Codecs::isSigned($name) ? '\x08' : 'abdisNOCE\[{"ntf0-9-\3\4\5\6\7\x09';
        foreach (Values::all() as $what => [$value]) {
            self::assertMatchesRegularExpression("/^[$formats]/", $codec->encode($value, 'k'), $what);
        }
    }

    #[DataProviderExternal(Codecs::class, 'names')]
    public function testTruncatedBytesAreAMissAndCounted(string $name): void
    {
        $codec = Codecs::named($name);
        $cuts = 0;
        foreach ($this->samples() as $value) {
            $bytes = $codec->encode($value, 'k');
            for ($length = 0; $length < \strlen($bytes); ++$length) {
                self::assertSame(
                    self::UNREADABLE,
                    $codec->decode(substr($bytes, 0, $length), 'k', self::UNREADABLE),
                    "cut after $length",
                );
                self::assertSame(++$cuts, $codec->failures()->total());
            }
        }
    }

    /** Bytes that begin like a valid format get furthest into its decoder. */
    #[DataProviderExternal(Codecs::class, 'names')]
    public function testRandomBytesAreHarmless(string $name): void
    {
        $codec = Codecs::named($name);
        $formats = [
            "\1", "\2", "\3", "\4", "\5", "\6", "\7", "\x08", "\x09", 'a:2:{', 'O:8:"stdClass":1:{', 'E:3:"', '{"', '[',
            's:9:"', '',
        ];
        for ($i = 0; $i < 3000; ++$i) {
            $value = $codec->decode(
                $formats[$i % \count($formats)] . random_bytes(random_int(1, 60)),
                'k',
                self::UNREADABLE,
            );
            self::assertTrue($value === self::UNREADABLE || !Codecs::isSigned($name), 'nobody signed this');
        }
    }

    #[DataProviderExternal(Codecs::class, 'names')]
    public function testFlippedBitIsHarmless(string $name): void
    {
        $codec = Codecs::named($name);
        $read = 0;
        $wrong = ['guarded' => 0, 'bare' => 0];
        foreach ($this->samples() as $value) {
            $bytes = $codec->encode($value, 'k');
            $kind = preg_match('/^[\3-\x08]/', $bytes) === 1
                ? 'guarded'
                : 'bare'; // with or without a checksum or signature
            for ($i = 0; $i < 1000; ++$i) {
                $given = $codec->decode($this->flipped($bytes), 'k', self::UNREADABLE);
                $read += $given !== self::UNREADABLE ? 1 : 0;
                $wrong[$kind] += $this->isWrong($given, $value) ? 1 : 0;
            }
        }
        self::assertSame(2000, $read + $codec->failures()->total(), 'each is read or counted');
        self::assertSame(0, $wrong['guarded'], 'damaged bytes gave a wrong value');
        self::assertTrue($wrong['bare'] === 0 || !Codecs::isSigned($name));
    }

    /** The control: plain serialize() returns wrong values. */
    public function testFlippedBitGivesWrongValuesWithoutChecksum(): void
    {
        self::assertGreaterThan(
            0,
            $this->wrongOfFlipped(
                fn(mixed $value): mixed
                    => (new PhpCodec())->decode($this->flipped(serialize($value)), 'k', self::UNREADABLE),
            ),
        );
    }

    /** Another control: igbinary does too, unless it ends the process. */
    public function testFlippedBitHarmsIgbinaryWithoutChecksum(): void
    {
        $flip = fn(mixed $value): mixed => $this->bareIgbinary($this->flipped((string) igbinary_serialize($value)));

        try {
            $harm = Fork::run(fn(): int => $this->wrongOfFlipped($flip));
        } catch (\RuntimeException $died) {
            $harm = $died->getMessage();
        }
        self::assertNotSame(0, $harm);
    }

    /** @param \Closure(mixed): mixed $flip */
    private function wrongOfFlipped(\Closure $flip): int
    {
        $wrong = 0;
        foreach ($this->samples() as $value) {
            for ($i = 0; $i < 500; ++$i) {
                $wrong += $this->isWrong($flip($value), $value) ? 1 : 0;
            }
        }

        return $wrong;
    }

    /** @return iterable<string, array{string, Failure}> */
    public static function unreadable(): iterable
    {
        yield 'nothing' => ['', Failure::Damaged];
        yield 'of no format' => ["\x1f\x8b garbage", Failure::Damaged];
        yield 'an envelope' => ["\1" . serialize([1]), Failure::Damaged];
        yield 'words' => ['garbage', Failure::Damaged];
        yield 'a class that is gone' => ['O:11:"NoSuchClass":0:{}', Failure::ClassMissing];
        yield 'a class that is gone, in an array' => ['a:1:{i:0;O:11:"NoSuchClass":0:{}}', Failure::ClassMissing];
        yield 'a class that is gone, with a form of its own' => ['C:11:"NoSuchClass":4:{data}', Failure::ClassMissing];
        yield 'a class that is gone, with a form of its own, in an array' => [
            'a:1:{i:0;C:11:"NoSuchClass":4:{data}}',
            Failure::ClassMissing,
        ];
        yield 'an enum that is gone' => ['E:16:"NoSuchEnum:Case1";', Failure::ClassMissing];
        yield 'an enum that is gone, in an array' => ['a:1:{i:0;E:16:"NoSuchEnum:Case1";}', Failure::ClassMissing];
        yield 'an enum that has lost a case' => ['E:37:"Larder\Testing\Value\Suit:NoSuchCase1";', Failure::Damaged];
        yield 'an unknown time zone' => [
            str_replace(
                'Riga',
                'xxxx',
                serialize(new \DateTimeImmutable('2000-01-01', new \DateTimeZone('Europe/Riga'))),
            ),
            Failure::Refused,
        ];
        yield 'a checksum and no more' => [Checksum::before('', "\3"), Failure::Damaged];
        yield 'a long string that was cut off' => [
            substr((new PhpCodec())->encode(str_repeat('long', 1000), 'k'), 0, -1),
            Failure::Damaged,
        ];
        yield 'a long string and more' => [
            (new PhpCodec())->encode(str_repeat('long', 1000), 'k') . 'x',
            Failure::Damaged,
        ];
        yield 'compressed nothing' => [Checksum::before('', "\5"), Failure::Damaged];
        yield 'compressed compressed' => [
            Checksum::before((string) gzcompress("\5" . str_repeat('x', 299)), "\5", 300),
            Failure::Damaged,
        ];
    }

    #[DataProvider('unreadable')]
    public function testFailuresAreCountedByReason(string $bytes, Failure $reason): void
    {
        $codec = new PhpCodec();
        self::assertSame(self::UNREADABLE, $codec->decode($bytes, 'k', self::UNREADABLE));
        self::assertSame([$reason->value => 1], $codec->failures()->counts());
        self::assertSame(1, $codec->decode('i:1;', 'k'), 'the next value is read');
    }

    public function testLongStringsAreNotSerialized(): void
    {
        foreach ([new PhpCodec(), Codecs::named('igbinary'), Codecs::named('php zlib')] as $codec) {
            foreach (["\0", 's:1:"x";', random_bytes(100)] as $begin) {
                $string = str_pad($begin, PhpCodec::LONG, random_bytes(PhpCodec::LONG));
                self::assertSame("\x09\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0" . $string, $codec->encode($string, 'k'));
                self::assertSame($string, $codec->decode($codec->encode($string, 'k'), 'k'));
                self::assertNotSame("\x09", $codec->encode(substr($string, 1), 'k')[0], 'the control: one byte less');
            }
        }
    }

    public function testMissingClassIsAMissInIgbinary(): void
    {
        $bytes = (string) preg_replace('/stdClass/', 'goneGone', (string) igbinary_serialize([new \stdClass()]));
        $codec = Codecs::named('igbinary');
        self::assertSame(self::UNREADABLE, $codec->decode(Checksum::before($bytes, "\3"), 'k', self::UNREADABLE));
        self::assertSame([Failure::ClassMissing->value => 1], $codec->failures()->counts());
    }

    /** The application's setting for its own unserialize() is restored. */
    public function testApplicationsSettingIsRestored(): void
    {
        $before = ini_set('unserialize_callback_func', 'strlen');

        try {
            (new PhpCodec())->decode(serialize([new \stdClass()]), 'k');
            (new PhpCodec())->decode('O:11:"NoSuchClass":0:{}', 'k');
            self::assertSame('strlen', \ini_get('unserialize_callback_func'));
        } finally {
            ini_set('unserialize_callback_func', (string) $before);
        }
    }

    #[DataProviderExternal(Codecs::class, 'names')]
    public function testUnserializableValueThrows(string $name): void
    {
        $codec = Codecs::named($name);
        $this->expectExceptionMessageMatches('/Closure/');
        $codec->encode(['nested' => static fn(): int => 1], 'k');
    }

    /** @return list<mixed> */
    private function samples(): array
    {
        return [
            ['a' => [1, 'two', 3.0], 'o' => new \ArrayObject(['x'])],
            ['text' => str_repeat('Lorem ipsum ', 10), 'list' => range(1, 20), 'null' => null],
        ];
    }

    private function flipped(string $bytes): string
    {
        $at = random_int(0, \strlen($bytes) - 1);
        $bytes[$at] = \chr(\ord($bytes[$at]) ^ (1 << random_int(0, 7)));

        return $bytes;
    }

    private function isWrong(mixed $given, mixed $value): bool
    {
        return $given !== self::UNREADABLE && serialize($given) !== serialize($value);
    }

    private function bareIgbinary(string $bytes): mixed
    {
        try {
            return @igbinary_unserialize($bytes);
        } catch (\Throwable) {
            return self::UNREADABLE;
        }
    }
}
