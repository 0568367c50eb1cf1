<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Reads bytes of every known format, chosen by their first byte. */
final class Format
{
    private const IGBINARY_NULL = "\0\0\0\2\0";

    public static function decode(string $bytes, mixed $default): mixed
    {
        if ($bytes === '') {
            return $default;
        }

        try {
            return $bytes[0] === "\0" ? self::igbinary($bytes, $default) : self::php($bytes, $default);
        } catch (\Throwable) {
            return $default; // a class that has changed since, and refuses its old data
        }
    }

    private static function php(string $bytes, mixed $default): mixed
    {
        $value = @unserialize($bytes);

        return $value === false && $bytes !== 'b:0;' ? $default : $value;
    }

    private static function igbinary(string $bytes, mixed $default): mixed
    {
        if (!\function_exists('igbinary_unserialize')) {
            return $default;
        }
        $value = @igbinary_unserialize($bytes);

        return $value === null && $bytes !== self::IGBINARY_NULL ? $default : $value;
    }
}
