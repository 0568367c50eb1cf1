<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * Guards bytes against accidents (not against attackers), for extensions that may crash on damaged ones:
 *
 *     format: 1 byte | xxh3 of what follows: 8 bytes | bytes
 */
final class Checksum
{
    private const HEAD = 9;

    public static function before(string $bytes, string $format): string
    {
        return $format . hash('xxh3', $bytes, true) . $bytes;
    }

    /**
     * @return string what was guarded
     * @throws Unreadable
     */
    public static function checked(string $bytes): string
    {
        $data = substr($bytes, self::HEAD);

        return substr_compare($bytes, hash('xxh3', $data, true), 1, self::HEAD - 1) === 0 ? $data : throw new Unreadable(Failure::Damaged);
    }
}
