<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Common;

/**
 * The head of a value's bytes in stores that keep no exact expiry, or only a hash of the key.
 *
 *     "\1" | expiry: float64 little-endian, unix time, 0 for never | length of key: uint16 | key | zeros | the bytes
 *
 * The zeros let the bytes begin at 16 or later, so that long ones are copied quickly (see Checksum). Bytes of a codec
 * never begin with "\1", which distinguishes bytes without an envelope.
 */
final class Envelope
{
    public const MARK = "\1";

    private const HEAD = 11;
    private const FIRST = 16;
    private const NO_EXPIRY = "\1\0\0\0\0\0\0\0\0";

    /** @param float $until unix time, 0.0 for never */
    public static function seal(string $bytes, float $until, string $key = ''): string
    {
        return str_pad(self::MARK . pack('ev', $until, \strlen($key)) . $key, self::FIRST, "\0") . $bytes;
    }

    /** @return string|null null if expired, of another key, or damaged */
    public static function open(string $sealed, string $key = ''): ?string
    {
        if ($sealed === '' || $sealed[0] !== self::MARK) {
            return $key === '' && $sealed !== '' ? $sealed : null;
        }
        $length = \strlen($key);
        $start = $length > self::FIRST - self::HEAD ? self::HEAD + $length : self::FIRST;
        // Most do not expire: the whole head is known then, and compared at once.
        if (str_starts_with($sealed, self::NO_EXPIRY . \chr($length & 0xFF) . \chr($length >> 8) . $key)) {
            return \strlen($sealed) > $start ? substr($sealed, $start) : null;
        }
        if (\strlen($sealed) <= $start || substr_compare($sealed, pack('v', $length) . $key, 9, 2 + $length) !== 0) {
            return null;
        }

        return self::isCurrent($sealed) ? substr($sealed, $start) : null;
    }

    /** @return float unix time of its expiry, 0.0 for never; bytes without an envelope do not expire */
    public static function until(string $sealed): float
    {
        return self::isEnvelope($sealed) ? self::expiry($sealed) : 0.0;
    }

    /** @return string|null the full key; null if expired or without one */
    public static function key(string $sealed): ?string
    {
        if (!self::isEnvelope($sealed) || !self::isCurrent($sealed)) {
            return null;
        }
        /** @var array{1: int} $length */
        $length = unpack('v', $sealed, 9);

        return substr($sealed, self::HEAD, $length[1]);
    }

    /** True if these first bytes, 12 or more if there are, are of an expired envelope, or of none. */
    public static function isOver(string $head): bool
    {
        return !self::isEnvelope($head) || !self::isCurrent($head);
    }

    private static function isEnvelope(string $sealed): bool
    {
        return $sealed !== '' && $sealed[0] === self::MARK && \strlen($sealed) > self::HEAD;
    }

    private static function isCurrent(string $sealed): bool
    {
        $until = self::expiry($sealed);

        return $until === 0.0 || $until > microtime(true);
    }

    private static function expiry(string $sealed): float
    {
        /** @var array{1: float} $until */
        $until = unpack('e', $sealed, 1);

        return $until[1];
    }
}
