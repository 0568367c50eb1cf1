<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Exception\StoreUnavailable;

/**
 * Writes igbinary's format: smaller for arrays with repeated keys.
 *
 *     "\3" | xxh32 of what follows: 4 bytes | igbinary's bytes
 *
 * The checksum is there because igbinary may crash on bytes that were cut off.
 */
final class IgbinaryCodec implements Codec
{
    use ReadsEveryFormat;

    public const FORMAT = "\3";
    private const HEAD = 5;

    /** @throws StoreUnavailable */
    public function __construct()
    {
        StoreUnavailable::unlessLoaded('serializer=igbinary', 'igbinary', 'igbinary');
    }

    public function encode(mixed $value): string
    {
        $bytes = igbinary_serialize($value);
        if (!\is_string($bytes)) {
            throw new \UnexpectedValueException(\sprintf('igbinary cannot serialize this %s', get_debug_type($value)));
        }

        return self::FORMAT . hash('xxh32', $bytes, true) . $bytes;
    }

    /** @param string $bytes that begin with FORMAT */
    public static function read(string $bytes, mixed $default): mixed
    {
        $data = substr($bytes, self::HEAD);
        if (!\function_exists('igbinary_unserialize') || substr($bytes, 1, self::HEAD - 1) !== hash('xxh32', $data, true)) {
            return $default;
        }

        return igbinary_unserialize($data);
    }
}
