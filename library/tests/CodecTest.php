<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Codec\Codec;
use Larder\Codec\IgbinaryCodec;
use Larder\Codec\PhpCodec;
use Larder\Testing\Values;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

final class CodecTest extends TestCase
{
    /** @return iterable<string, array{Codec}> */
    public static function codecs(): iterable
    {
        yield 'php' => [new PhpCodec()];
        yield 'igbinary' => [new IgbinaryCodec()];
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testEveryCodecReadsWhatAnyWrote(mixed $value): void
    {
        foreach (self::codecs() as [$writer]) {
            $bytes = $writer->encode($value, 'k');
            self::assertMatchesRegularExpression('/^[abdisNOCE\3]/', $bytes, 'the first byte names the format');
            foreach (self::codecs() as [$reader]) {
                self::assertSame(serialize($value), serialize($reader->decode($bytes, 'k', 'unreadable')));
            }
        }
    }

    #[DataProvider('codecs')]
    public function testWhatCannotBeReadGivesTheDefault(Codec $codec): void
    {
        $bytes = $codec->encode(['a' => [1, 'two', 3.0], 'o' => new \ArrayObject(['x'])], 'k');
        for ($length = 0; $length < \strlen($bytes); ++$length) {
            self::assertSame('default', $codec->decode(substr($bytes, 0, $length), 'k', 'default'), 'cut after ' . $length);
        }
        foreach (["\1", "\x1f" . $bytes, 'garbage', 'O:7:"NoClass', "\3", "\3abcd", "\3abcd\0\0\0\2\0"] as $garbage) {
            self::assertSame('default', $codec->decode($garbage, 'k', 'default'));
        }
    }

    public function testAClassThatRefusesItsOldDataIsAMiss(): void
    {
        $bytes = str_replace('Riga', 'xxxx', (new PhpCodec())->encode(new \DateTimeImmutable('2000-01-01', new \DateTimeZone('Europe/Riga')), 'k'));
        self::assertSame('default', (new PhpCodec())->decode($bytes, 'k', 'default'));
    }

    public function testAnotherSerializerLeavesOldValuesReadable(): void
    {
        $address = 'file://' . Servers::directory('codec');
        $php = Cache::open($address);
        $igbinary = Cache::open($address . '?serializer=igbinary');
        $rows = array_fill(0, 20, ['name' => 'value']);
        $php->set('by php', $rows);
        $igbinary->set('by igbinary', $rows);
        self::assertSame($rows, $igbinary->get('by php'));
        self::assertSame($rows, $php->get('by igbinary'));
        self::assertSame(serialize($rows), (new PhpCodec())->encode($rows, 'k'));
        self::assertStringContainsString((string) igbinary_serialize($rows), (new IgbinaryCodec())->encode($rows, 'k'));
    }
}
