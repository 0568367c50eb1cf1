<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Codec\Failure;
use Larder\Internal\Codec\Checksum;
use Larder\Internal\Codec\CompressedCodec;
use Larder\Internal\Codec\Compression;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Codec\ZstdFrame;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests which values are compressed, and that compressed bytes cannot exhaust memory. */
final class CompressionTest extends TestCase
{
    private const MEMORY = 4 << 20;

    /** @return iterable<string, array{Compression}> */
    public static function compressions(): iterable
    {
        foreach (Compression::cases() as $compression) {
            yield $compression->value => [$compression];
        }
    }

    #[DataProvider('compressions')]
    public function testShortAndIncompressibleValuesAreNotCompressed(Compression $compression): void
    {
        $codec = $this->codec($compression, 1000);
        foreach ([str_repeat('x', 900), random_bytes(5000)] as $value) {
            self::assertSame((new PhpCodec())->encode($value, 'k'), $codec->encode($value, 'k'));
        }
        $long = str_repeat('Lorem ipsum ', 100);
        $bytes = $codec->encode($long, 'k');
        self::assertLessThan(0.2 * \strlen($long), \strlen($bytes));
        self::assertSame($compression, Compression::ofFormat($bytes[0]));
        self::assertSame($long, $codec->decode($bytes, 'k'));
    }

    #[DataProvider('compressions')]
    public function testValuesOverTheBoundAreNotCompressed(Compression $compression): void
    {
        $this->codec($compression);
        $bytes = str_repeat('x', Compression::MAX_LENGTH + 1);
        self::assertSame($bytes, $compression->seal($bytes));
        $bytes = substr($bytes, 1);
        self::assertSame($bytes, $compression->open($compression->seal($bytes)), 'the longest that is compressed');
    }

    /** @return iterable<string, array{Compression, string}> */
    public static function bombs(): iterable
    {
        $zeros = str_repeat("\0", 50 << 20);
        $zlib = (string) gzcompress($zeros);
        yield 'zlib, of more than it says' => [Compression::Zlib, Checksum::before($zlib, "\5", 100)];
        yield 'zlib, of more than is ever read' => [Compression::Zlib, Checksum::before($zlib, "\5", 0xFFFF_FFFF)];
        yield 'zlib, twice' => [
            Compression::Zlib,
            Checksum::before(
                (string) gzcompress(Checksum::before($zlib, "\5", 50 << 20)),
                "\5",
                \strlen($zlib) + Checksum::HEAD,
            ),
        ];
        // 3 bytes of head and one of content for each 128 KiB
        $block = static fn(bool $isLast): string
            => substr(pack('V', (128 << 10) << 3 | 1 << 1 | (int) $isLast), 0, 3) . "\0";
        $blocks = str_repeat($block(false), 400);
        foreach (['whole' => $block(true), 'cut off' => ''] as $how => $end) {
            yield "zstd, $how, that lies" => [
                Compression::Zstd,
                Checksum::before("\x28\xb5\x2f\xfd\xa0" . pack('V', 100) . $blocks . $end, "\6", 100),
            ];
            yield "zstd, $how, that does not tell" => [
                Compression::Zstd,
                Checksum::before("\x28\xb5\x2f\xfd\x00\x58" . $blocks . $end, "\6", 100),
            ];
        }
        yield 'zstd, of more than is ever read' => [
            Compression::Zstd,
            Checksum::before(
                "\x28\xb5\x2f\xfd\xa0" . pack('V', 0xF000_0000) . $blocks . $block(true),
                "\6",
                0xF000_0000,
            ),
        ];
        yield 'lz4, that lies' => [
            Compression::Lz4,
            Checksum::before(pack('V', 50 << 20) . "\x1f\0\1\0" . str_repeat("\xff", 200_000) . "\0", "\7", 100),
        ];
        yield 'lz4, of more than is ever read' => [
            Compression::Lz4,
            Checksum::before(
                pack('V', 0x7FFF_FFFF) . "\x1f\0\1\0" . str_repeat("\xff", 200_000) . "\0",
                "\7",
                0x7FFF_FFFF,
            ),
        ];
    }

    #[DataProvider('bombs')]
    public function testDecompressionBombIsAMissAndTakesNoMemory(Compression $compression, string $bomb): void
    {
        $codec = $this->codec($compression);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        self::assertSame('miss', $codec->decode($bomb, 'k', 'miss'));
        self::assertLessThan(self::MEMORY, memory_get_peak_usage() - $before);
        self::assertSame([Failure::Damaged->value => 1], $codec->failures()->counts());
    }

    /** The control of the test above: zlib without a limit. */
    public function testDecompressionBombTakesMemoryWithoutBound(): void
    {
        $bomb = (string) gzcompress(str_repeat("\0", 50 << 20));
        memory_reset_peak_usage();
        $before = memory_get_usage();
        self::assertNotFalse(gzuncompress($bomb));
        self::assertGreaterThan(self::MEMORY, memory_get_peak_usage() - $before);
    }

    public function testUnknownCompressionIsAMiss(): void
    {
        foreach (["\5", "\6", "\7"] as $format) {
            $codec = new PhpCodec();
            $reason = \extension_loaded(Compression::ofFormat($format)->value ?? '')
                ? Failure::Damaged
                : Failure::ExtensionMissing;
            self::assertSame('miss', $codec->decode(Checksum::before('xxx', $format, 9), 'k', 'miss'));
            self::assertSame([$reason->value => 1], $codec->failures()->counts());
        }
    }

    /** @return iterable<string, array{string, int|null}> */
    public static function frames(): iterable
    {
        $magic = "\x28\xb5\x2f\xfd";
        $raw = static fn(int $length, bool $isLast = true): string
            => substr(pack('V', $length << 3 | (int) $isLast), 0, 3) . str_repeat('x', $length);
        yield 'one byte of length' => [$magic . "\x20\x05" . $raw(5), 5];
        yield 'two bytes of length' => [$magic . "\x60" . pack('v', 44) . $raw(300), 300];
        yield 'four bytes of length, after a window' => [$magic . "\x80\x58" . pack('V', 5) . $raw(5), 5];
        yield 'eight bytes of length' => [$magic . "\xe0" . pack('P', 5) . $raw(2, false) . $raw(3), 5];
        yield 'a checksum' => [$magic . "\x24\x05" . $raw(5) . 'hash', 5];
        yield 'no length' => [$magic . "\x00\x58" . $raw(5), null];
        yield 'a dictionary' => [$magic . "\x21\x01\x05" . $raw(5), null];
        yield 'no magic' => ["\x28\xb5\x2f\xfe\x20\x05" . $raw(5), null];
        yield 'no last block' => [$magic . "\x20\x05" . $raw(5, false), null];
        yield 'a block cut off' => [$magic . "\x20\x05" . substr($raw(5), 0, 5), null];
        yield 'something after it' => [$magic . "\x20\x05" . $raw(5) . 'x', null];
        yield 'a missing checksum' => [$magic . "\x24\x05" . $raw(5), null];
        yield 'an unknown kind of block' => [
            $magic . "\x20\x05" . substr(pack('V', 5 << 3 | 3 << 1 | 1), 0, 3) . 'xxxxx',
            null,
        ];
        yield 'nothing' => ['', null];
    }

    #[DataProvider('frames')]
    public function testFrameLengthIsRead(string $frame, ?int $length): void
    {
        self::assertSame($length, ZstdFrame::length($frame));
    }

    public function testLengthOfZstdFramesIsRead(): void
    {
        $this->codec(Compression::Zstd);
        foreach ([0, 1, 255, 256, 257, 65_535, 65_792, 200_000, 3_000_000] as $length) {
            foreach ([str_repeat('x', $length), $length === 0 ? '' : random_bytes($length)] as $bytes) {
                self::assertSame($length, ZstdFrame::length((string) zstd_compress($bytes)));
            }
        }
    }

    private function codec(Compression $compression, int $from = 0): CompressedCodec
    {
        Codecs::named('php ' . $compression->value); // skips the test if it is not available

        return new CompressedCodec(new PhpCodec(), $compression, $from);
    }
}
