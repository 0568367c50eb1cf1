<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Failures;
use Larder\Exception\StoreUnavailable;
use MessagePack;

/**
 * Writes MessagePack, which other languages read too, except for integers. It cannot keep objects, references or arrays
 * nested deeper than DEPTH, so these are written in PHP's format. Reading it never creates objects.
 *
 *     "\4" | a checksum (see Checksum) | MessagePack
 */
final class MsgpackCodec extends PhpCodec
{
    /** The extension reads arrays nested up to twice as deep. */
    private const DEPTH = 512;

    /**
     * @param Failures|(\Closure(): Failures)|null $failures as for PhpCodec
     * @throws StoreUnavailable
     */
    public function __construct(?Classes $classes = null, Failures|\Closure|null $failures = null)
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
        $bytes = (new MessagePack(self::MSGPACK_OBJECTS))->pack($value);

        return \is_string($bytes) ? Checksum::before($bytes, self::MSGPACK) : $this->serialize($value);
    }
}
