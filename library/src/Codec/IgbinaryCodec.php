<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Exception\StoreUnavailable;

/** Writes igbinary's format: smaller for arrays with repeated keys. */
final class IgbinaryCodec implements Codec
{
    use ReadsEveryFormat;

    /** @throws StoreUnavailable */
    public function __construct()
    {
        StoreUnavailable::unlessLoaded('serializer=igbinary', 'igbinary', 'igbinary');
    }

    public function encode(mixed $value): string
    {
        $bytes = igbinary_serialize($value);
        if (!\is_string($bytes)) {
            throw new \UnexpectedValueException(\sprintf('igbinary cannot serialize this %s', get_debug_type($value)));
        }

        return $bytes;
    }
}
