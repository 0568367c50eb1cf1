<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Exception\StoreUnavailable;
use MessagePack;

/**
 * Writes MessagePack, which other languages read too: arrays and scalars but integers. Values with objects, references or
 * arrays nested deeper than DEPTH, which it cannot keep, are written in PHP's own format. No objects are ever made of what it wrote.
 *
 *     "\4" | a checksum (see Checksum) | MessagePack
 */
final class MsgpackCodec extends SerializingCodec
{
    /** The extension reads arrays nested up to twice as deep. */
    private const DEPTH = 512;

    /** @throws StoreUnavailable */
    public function __construct(?Classes $classes = null, Failures $failures = new Failures())
    {
        StoreUnavailable::unlessLoaded('serializer=msgpack', 'msgpack', 'msgpack');
        parent::__construct($classes, $failures);
    }

    public function encode(mixed $value, string $key): string
    {
        if (\is_int($value)) {
            return (string) $value;
        }
        $php = Serialized::unlessPlain($value, self::DEPTH);
        if ($php !== null) {
            return $this->allowed($php);
        }
        $bytes = (new MessagePack(Formats::MSGPACK_OBJECTS))->pack($value);

        return \is_string($bytes) ? Checksum::before($bytes, Formats::MSGPACK) : $this->serialize($value);
    }
}
