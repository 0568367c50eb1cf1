<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * Guards bytes against accidents (not against attackers), for extensions that may crash on damaged ones, or make wrong
 * ones of them:
 *
 *     format: 1 byte | length: uint32 little-endian | 2 bytes of 0 | format again | xxh3 of what follows: 8 bytes | bytes
 *
 * The bytes begin at 16 on purpose: to copy thousands of them to a place that lies 1 to 15 further takes twenty times as
 * long on some processors.
 */
final class Checksum
{
    public const HEAD = 16;
    private const AT = 8;

    /** @param int $length a length to be kept beside them, 0 for none */
    public static function before(string $bytes, string $format, int $length = 0): string
    {
        return $format . ($length === 0 ? "\0\0\0\0" : pack('V', $length)) . "\0\0" . $format . hash('xxh3', $bytes, true) . $bytes;
    }

    /**
     * @return string what was guarded
     * @throws Unreadable
     */
    public static function checked(string $bytes): string
    {
        $data = substr($bytes, self::HEAD);

        return \strlen($bytes) >= self::HEAD && $bytes[0] === $bytes[7] && substr_compare($bytes, hash('xxh3', $data, true), self::AT, self::HEAD - self::AT) === 0
            ? $data : throw new Unreadable(Failure::Damaged);
    }

    /** @param string $bytes that checked() took */
    public static function length(string $bytes): int
    {
        /** @var array{1: int} $length */
        $length = unpack('V', $bytes, 1);

        return $length[1];
    }
}
