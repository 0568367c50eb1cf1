<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Writes PHP's own format, that of serialize(). */
final class PhpCodec implements Codec
{
    use ReadsEveryFormat;

    public function encode(mixed $value): string
    {
        return serialize($value);
    }
}
