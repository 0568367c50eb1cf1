<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Codec\Codec;
use Larder\Internal\Codec\CompressedCodec;
use Larder\Internal\Codec\Compression;
use Larder\Internal\Codec\IgbinaryCodec;
use Larder\Internal\Codec\JsonCodec;
use Larder\Internal\Codec\MsgpackCodec;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Codec\SignedCodec;
use Larder\Internal\Codec\SigningKeys;
use PHPUnit\Framework\Assert;

/** Every possible combination of codecs, by name: "php", "json zstd", "igbinary lz4 signed". */
final class Codecs
{
    public const KEY = 'a key for tests, which is not a secret at all';

    private const SERIALIZERS = ['php', 'igbinary', 'msgpack', 'json'];
    private const WITHOUT_PACKAGE = ['zstd', 'lz4'];

    /** @return iterable<string, array{string}> */
    public static function names(): iterable
    {
        foreach (self::SERIALIZERS as $serializer) {
            foreach ([
                '',
                ...array_map(static fn(Compression $one): string => ' ' . $one->value, Compression::cases()),
            ] as $compression) {
                foreach (['', ' signed'] as $signed) {
                    $name = $serializer . $compression . $signed;

                    yield $name => [$name];
                }
            }
        }
    }

    /** Compresses values of any length. Skips the test if the extension is missing. */
    public static function named(string $name): Codec
    {
        $parts = explode(' ', $name);
        foreach ($parts as $extension) {
            if (!\in_array($extension, ['php', 'json', 'signed'], true) && !\extension_loaded($extension)) {
                Assert::markTestSkipped(\sprintf(
                    'untested here: the PHP extension %s is not loaded%s',
                    $extension,
                    \in_array($extension, self::WITHOUT_PACKAGE, true) ? ', and Debian 12 has no package of it' : '',
                ));
            }
        }

        return self::made($parts);
    }

    /** @return array<string, Codec> codecs whose extensions are loaded */
    public static function available(): array
    {
        $codecs = [];
        foreach (self::names() as [$name]) {
            $parts = explode(' ', $name);
            $extensions = array_diff($parts, ['php', 'json', 'signed']);
            if (array_filter($extensions, \extension_loaded(...)) === $extensions) {
                $codecs[$name] = self::made($parts);
            }
        }

        return $codecs;
    }

    public static function isSigned(string $name): bool
    {
        return str_ends_with($name, ' signed');
    }

    /** @param list<string> $parts of a name */
    private static function made(array $parts): Codec
    {
        $codec = self::serializing($parts[0]);
        $compression = Compression::tryFrom($parts[1] ?? '');
        if ($compression !== null) {
            $codec = new CompressedCodec($codec, $compression, 0);
        }

        return \in_array('signed', $parts, true)
            ? new SignedCodec($codec, SigningKeys::of(self::KEY), 'tests')
            : $codec;
    }

    private static function serializing(string $name): PhpCodec
    {
        return match ($name) {
            'igbinary' => new IgbinaryCodec(),
            'msgpack' => new MsgpackCodec(),
            'json' => new JsonCodec(),
            default => new PhpCodec(),
        };
    }
}
