<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Exception\StoreUnavailable;
use MessagePack;

/**
 * Writes MessagePack, which other languages read too: arrays and scalars. Values with objects, references or
 * arrays nested deeper than DEPTH, which it cannot keep, are written in PHP's own format. No objects are ever made of what it wrote.
 *
 *     "\4" | a checksum (see Checksum) | MessagePack
 */
final class MsgpackCodec extends SerializingCodec
{
    public const FORMAT = "\4";

    /** The extension reads arrays nested up to twice as deep. */
    private const DEPTH = 512;
    /** The extension's own way to keep objects is off. */
    private const PHP_ONLY = false;

    /** @throws StoreUnavailable */
    public function __construct(?Classes $classes = null, Failures $failures = new Failures())
    {
        StoreUnavailable::unlessLoaded('serializer=msgpack', 'msgpack', 'msgpack');
        parent::__construct($classes, $failures);
    }

    public function encode(mixed $value, string $key): string
    {
        $php = Serialized::unlessPlain($value, self::DEPTH);
        if ($php !== null) {
            return $this->allowed($php);
        }
        $bytes = (new MessagePack(self::PHP_ONLY))->pack($value);

        return \is_string($bytes) ? Checksum::before($bytes, self::FORMAT) : $this->serialize($value);
    }

    /**
     * @param string $bytes that begin with FORMAT
     * @throws Unreadable
     */
    public static function read(string $bytes): mixed
    {
        if (!class_exists(MessagePack::class, false)) {
            throw new Unreadable(Failure::ExtensionMissing);
        }
        $data = Checksum::checked($bytes);

        /** @var callable(string): mixed $unpack which the extension's reflection gives a second argument */
        $unpack = [new MessagePack(self::PHP_ONLY), 'unpack'];

        return @$unpack($data);
    }
}
