<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Writes PHP's own format, that of serialize(). */
final class PhpCodec implements Codec
{
    public function encode(mixed $value): string
    {
        return serialize($value);
    }

    public function decode(string $bytes, mixed $default = null): mixed
    {
        return Format::decode($bytes, $default);
    }
}
