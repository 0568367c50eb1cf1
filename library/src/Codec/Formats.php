<?php

declare(strict_types=1);

namespace Larder\Codec;

use MessagePack;

/** The formats that codecs write besides PHP's own, and how each is read. */
final class Formats implements ReadsObjects
{
    public const IGBINARY = "\3";
    public const MSGPACK = "\4";
    public const JSON_DEPTH = 512;
    /** The extension's own way to keep objects is off. */
    public const MSGPACK_OBJECTS = false;

    /**
     * @param string $bytes that begin with IGBINARY
     * @throws Unreadable
     */
    public static function igbinary(string $bytes): mixed
    {
        if (!\function_exists('igbinary_unserialize')) {
            throw new Unreadable(Failure::ExtensionMissing);
        }
        $data = Checksum::checked($bytes);
        $value = @igbinary_unserialize($data);
        if (($value === false || $value === null) && $data !== igbinary_serialize($value)) {
            throw new Unreadable(Failure::Damaged);
        }

        return $value;
    }

    /**
     * @param string $bytes that begin with MSGPACK
     * @throws Unreadable
     */
    public static function msgpack(string $bytes): mixed
    {
        if (!class_exists(MessagePack::class, false)) {
            throw new Unreadable(Failure::ExtensionMissing);
        }
        $data = Checksum::checked($bytes);

        /** @var callable(string): mixed $unpack which the extension's reflection gives a second argument */
        $unpack = [new MessagePack(self::MSGPACK_OBJECTS), 'unpack'];

        return @$unpack($data);
    }

    /** @throws Unreadable */
    public static function json(string $bytes): mixed
    {
        $value = json_decode($bytes, true, self::JSON_DEPTH + 1);

        return $value !== null || $bytes === 'null' ? $value : throw new Unreadable(Failure::Damaged);
    }
}
