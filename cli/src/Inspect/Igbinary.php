<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** igbinary's format as other programs write it: without the library's mark and checksum. */
final class Igbinary
{
    public const MARK = "\0\0\0\2";

    /** @return mixed $unreadable if the bytes are damaged, or the extension is not loaded */
    public static function decoded(string $bytes, mixed $unreadable): mixed
    {
        if (!\function_exists('igbinary_unserialize')) {
            return $unreadable;
        }
        $value = @igbinary_unserialize($bytes);

        // It returns one of these for damaged bytes, too.
        return $value !== null && $value !== false || $bytes === igbinary_serialize($value) ? $value : $unreadable;
    }
}
