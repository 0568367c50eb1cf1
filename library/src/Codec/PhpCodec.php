<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Writes PHP's own format, that of serialize(). */
final class PhpCodec extends SerializingCodec
{
    public function encode(mixed $value, string $key): string
    {
        return $this->serialize($value);
    }
}
