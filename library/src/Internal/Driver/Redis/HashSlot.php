<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

/** The slot of a name, one of the 16,384 of a cluster: CRC-16/XMODEM of the name, or of its part in braces. */
final class HashSlot
{
    public const COUNT = 16_384;

    public static function of(string $name): int
    {
        $open = strpos($name, '{');
        $close = $open === false ? false : strpos($name, '}', $open + 1);
        if ($open !== false && $close !== false && $close > $open + 1) {
            $name = substr($name, $open + 1, $close - $open - 1);
        }
        $crc = 0;
        for ($i = 0, $length = \strlen($name); $i < $length; ++$i) {
            $x = ($crc >> 8) ^ \ord($name[$i]);
            $x ^= $x >> 4;
            $crc = ($crc << 8 ^ $x << 12 ^ $x << 5 ^ $x) & 0xFFFF;
        }

        return $crc & (self::COUNT - 1);
    }
}
