<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * A long string as it is, which serialize() would copy some bytes further on (see Checksum):
 *
 *     "\x09" | 7 bytes of 0 | length: uint64 little-endian | the string
 */
final class LongString
{
    public const FORMAT = "\x09";
    /** Bytes. serialize() is as quick for shorter ones. */
    public const FROM = 2048;

    private const HEAD = 16;

    public static function encode(string $value): string
    {
        return self::head(\strlen($value)) . $value;
    }

    /**
     * @param string $bytes that begin with FORMAT
     * @throws Unreadable when cut off
     */
    public static function read(string $bytes): string
    {
        return str_starts_with($bytes, self::head(\strlen($bytes) - self::HEAD))
            ? substr($bytes, self::HEAD)
            : throw new Unreadable(Failure::Damaged);
    }

    private static function head(int $length): string
    {
        return self::FORMAT . "\0\0\0\0\0\0\0" . pack('P', $length);
    }
}
