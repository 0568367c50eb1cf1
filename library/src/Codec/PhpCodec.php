<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Writes PHP's own format, that of serialize(), but for long strings. */
final class PhpCodec extends SerializingCodec
{
    public function encode(mixed $value, string $key): string
    {
        return \is_string($value) && \strlen($value) >= LongString::FROM ? LongString::encode($value) : $this->serialize($value);
    }
}
