<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Writes PHP's own format, that of serialize(), but for integers and long strings. */
final class PhpCodec extends SerializingCodec
{
    public function encode(mixed $value, string $key): string
    {
        if (\is_string($value) && \strlen($value) >= LongString::FROM) {
            return LongString::encode($value);
        }

        return \is_int($value) ? (string) $value : $this->serialize($value);
    }
}
