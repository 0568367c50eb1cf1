<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

/**
 * Writes plain JSON texts, which other languages and people read too. Integers and floats keep their type.
 *
 * Values that JSON would change are written in PHP's format: objects, references, strings that are not UTF-8, NAN, the
 * infinities, and arrays nested deeper than JSON_DEPTH.
 */
final class JsonCodec extends PhpCodec
{
    private const FLAGS = \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE | \JSON_PRESERVE_ZERO_FRACTION;

    public function encode(mixed $value, string $key): string
    {
        $php = Serialized::unlessPlain($value, self::JSON_DEPTH);
        if ($php !== null) {
            return $this->allowed($php);
        }
        $json = json_encode($value, self::FLAGS, self::JSON_DEPTH);
        if ($json === false && json_last_error() === \JSON_ERROR_UNSUPPORTED_TYPE) {
            throw Serialized::refusedResource();
        }

        return $json === false ? $this->serialize($value) : $json;
    }
}
