<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Failure;

/**
 * Guards bytes against accidents (not attackers), for extensions that may crash on damaged ones, or decode them
 * wrongly:
 *
 *     format: 1 byte | length: uint32 little-endian | 2 bytes of 0 | format again | xxh3 of the rest: 8 bytes | bytes
 *
 * The bytes begin at 16 on purpose: on some processors, copying thousands of them by an offset of 1 to 15 takes twenty
 * times as long.
 */
final class Checksum
{
    public const HEAD = 16;
    private const AT = 8;

    /** @param int $length for length(), 0 for none */
    public static function before(string $bytes, string $format, int $length = 0): string
    {
        return $format . pack('Vx2', $length) . $format . hash('xxh3', $bytes, true) . $bytes;
    }

    /**
     * @return string the guarded bytes
     * @throws Unreadable
     */
    public static function checked(string $bytes): string
    {
        $data = substr($bytes, self::HEAD);
        $isWhole = \strlen($bytes) >= self::HEAD && $bytes[0] === $bytes[7]
            && substr_compare($bytes, hash('xxh3', $data, true), self::AT, self::HEAD - self::AT) === 0;

        return $isWhole ? $data : throw new Unreadable(Failure::Damaged);
    }

    /** @param string $bytes that checked() accepted */
    public static function length(string $bytes): int
    {
        /** @var array{1: int} $length */
        $length = unpack('V', $bytes, 1);

        return $length[1];
    }
}
