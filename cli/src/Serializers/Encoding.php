<?php

declare(strict_types=1);

namespace Larder\Cli\Serializers;

use Larder\Codec\Codec;
use Larder\Internal\Codec\CompressedCodec;
use Larder\Internal\Codec\Compression;
use Larder\Internal\Codec\IgbinaryCodec;
use Larder\Internal\Codec\JsonCodec;
use Larder\Internal\Codec\MsgpackCodec;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Codec\SignedCodec;
use Larder\Internal\Codec\SigningKeys;

/** A way to encode values: a serializer, a compression, a signature. */
final class Encoding
{
    private function __construct(
        public readonly string $serializer,
        public readonly string $compression,
        public readonly bool $isSigned,
        public readonly Codec $codec,
    ) {}

    /** @return non-empty-list<self> the encodings whose extensions are loaded here */
    public static function all(): array
    {
        $ways = [];
        foreach (['php' => new PhpCodec(), ...self::loaded()] as $serializer => $codec) {
            $ways[] = new self($serializer, 'none', false, $codec);
            foreach (Compression::cases() as $compression) {
                if (\extension_loaded($compression->value)) {
                    $ways[] = new self(
                        $serializer,
                        $compression->value,
                        false,
                        new CompressedCodec($codec, $compression, 0),
                    );
                }
            }
            $ways[] = new self($serializer, 'none', true, new SignedCodec($codec, SigningKeys::of(random_bytes(32))));
        }

        return $ways;
    }

    /** @return list<string> extensions that would add encodings */
    public static function missing(): array
    {
        $extensions = ['igbinary', 'msgpack', ...array_column(Compression::cases(), 'value')];

        return array_values(array_filter(
            $extensions,
            static fn(string $extension): bool => !\extension_loaded($extension),
        ));
    }

    /** @return array<string, IgbinaryCodec|JsonCodec|MsgpackCodec> */
    private static function loaded(): array
    {
        return [
            ...(\extension_loaded('igbinary') ? ['igbinary' => new IgbinaryCodec()] : []),
            ...(\extension_loaded('msgpack') ? ['msgpack' => new MsgpackCodec()] : []),
            'json' => new JsonCodec(),
        ];
    }
}
