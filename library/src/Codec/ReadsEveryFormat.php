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
            if ($bytes[0] === IgbinaryCodec::FORMAT) {
                return IgbinaryCodec::read($bytes, $default);
            }
            $value = @unserialize($bytes);

            return $value === false && $bytes !== 'b:0;' ? $default : $value;
        } catch (\Throwable) {
            return $default; // a class that has changed since, and refuses its old data
        }
    }
}
