<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Exception\StoreUnavailable;

/**
 * Writes igbinary's format, but for integers and long strings: smaller for arrays with repeated keys.
 *
 *     "\3" | a checksum (see Checksum) | igbinary's bytes
 *
 * The checksum is there because igbinary may crash on bytes that were cut off. igbinary cannot limit the classes of which
 * it makes objects, so a codec that is limited to some classes does not read this format.
 */
final class IgbinaryCodec extends SerializingCodec
{
    /** @throws StoreUnavailable */
    public function __construct(Failures $failures = new Failures())
    {
        StoreUnavailable::unlessLoaded('serializer=igbinary', 'igbinary', 'igbinary');
        parent::__construct(null, $failures);
    }

    public function encode(mixed $value, string $key): string
    {
        if (\is_string($value) && \strlen($value) >= LongString::FROM) {
            return LongString::encode($value);
        }
        if (\is_int($value)) {
            return (string) $value;
        }
        if (!\is_array($value) && Serialized::isResource($value)) {
            throw Serialized::refusedResource();
        }
        $bytes = igbinary_serialize($value);
        if (!\is_string($bytes)) {
            throw new \UnexpectedValueException(\sprintf('igbinary cannot serialize this %s', get_debug_type($value)));
        }

        return Checksum::before($bytes, Formats::IGBINARY);
    }
}
