<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * Writes JSON, which other languages and people read too, and nothing besides: what is stored is a JSON text.
 *
 * What JSON would change is written in PHP's own format instead: objects, references, strings that are not UTF-8, NAN and
 * the infinities, and arrays nested deeper than Formats::JSON_DEPTH. Integers and floats come back as the ones they were.
 */
final class JsonCodec extends SerializingCodec
{
    private const FLAGS = \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE | \JSON_PRESERVE_ZERO_FRACTION;

    public function encode(mixed $value, string $key): string
    {
        $php = Serialized::unlessPlain($value, Formats::JSON_DEPTH);
        if ($php !== null) {
            return $this->allowed($php);
        }
        $json = json_encode($value, self::FLAGS, Formats::JSON_DEPTH);

        if ($json === false && json_last_error() === \JSON_ERROR_UNSUPPORTED_TYPE) {
            throw Serialized::refusedResource();
        }

        return $json === false ? $this->serialize($value) : $json;
    }
}
