<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Internal\Codec\IgbinaryCodec;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Process\Warnings;
use Larder\Testing\Value\Money;
use Larder\Testing\Value\Suit;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;

/** Objects that igbinary would restore differently. */
#[RequiresPhpExtension('igbinary')]
final class IgbinaryCodecTest extends TestCase
{
    /** @return iterable<string, array{mixed}> what __sleep() returns */
    public static function mistakes(): iterable
    {
        yield 'a private property of the parent' => [['secret']];
        yield 'a property that is not there' => [['none', 'own']];
        yield 'a number' => [[5]];
        yield 'null' => [null];
        yield 'text' => ['own'];
    }

    #[DataProvider('mistakes')]
    public function testObjectIsThatOfPhpsOwnSerializer(mixed $names): void
    {
        $codec = new IgbinaryCodec();
        $class = new \ReflectionClass(Sleepless::class);
        foreach ([$class->newInstance($names), [1, [$class->newInstance($names)]]] as $value) {
            $warnings = $byPhp = [];
            $bytes = Warnings::collect(static fn(): string => $codec->encode($value, 'k'), $warnings);
            $expected = Warnings::collect(static fn(): string => serialize($value), $byPhp);
            self::assertSame([], array_diff($byPhp, $warnings));
            self::assertSame($expected, $bytes);
            self::assertEquals((new PhpCodec())->decode($bytes, 'k'), $codec->decode($bytes, 'k'));
        }
    }

    /** Strings of symfony/string are such objects. */
    public function testObjectThatWritesItselfAndDoesNotReadItselfIsRight(): void
    {
        foreach ([new WritesItself(5), [1, [new WritesItself(5)], new WritesItself(6)]] as $value) {
            $codec = new IgbinaryCodec();
            self::assertEquals($value, $codec->decode($codec->encode($value, 'k'), 'k'));
        }
    }

    public function testOthersStayInItsFormat(): void
    {
        $codec = new IgbinaryCodec();
        foreach ([[new \ArrayObject([1])], new Money(1, Suit::Hearts), [new \DateTimeImmutable()], [
            "\x17\x05Money",
            str_repeat('x', 0x17),
            0x17,
            "\x17",
        ]] as $value) {
            self::assertStringStartsWith("\3", $codec->encode($value, 'k'));
            self::assertEquals($value, $codec->decode($codec->encode($value, 'k'), 'k'));
        }
    }
}
