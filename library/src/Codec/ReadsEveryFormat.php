<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Reads bytes of every known format, chosen by their first byte. */
trait ReadsEveryFormat
{
    public function decode(string $bytes, mixed $default = null): mixed
    {
        if ($bytes === '') {
            return $default;
        }

        try {
            if ($bytes[0] !== "\0") {
                $value = @unserialize($bytes);

                return $value === false && $bytes !== 'b:0;' ? $default : $value;
            }
            if (!\function_exists('igbinary_unserialize')) {
                return $default;
            }
            $value = @igbinary_unserialize($bytes);

            return $value === null && $bytes !== "\0\0\0\2\0" ? $default : $value;
        } catch (\Throwable) {
            return $default; // a class that has changed since, and refuses its old data
        }
    }
}
