<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

/** Looks into the bytes of serialize() without unserializing them. */
final class Serialized
{
    /** A string or class with its length, or a reference. Besides, there are only numbers and punctuation. */
    private const TOKEN = '/([sSOCE]):\+?(\d+):"|;(R):\d/';

    /**
     * For a resource, which serialize() turns into 0. Inside arrays and objects it is noticed only if a value is
     * searched anyway: searching takes as long as serializing. As PHP's own exception for a closure.
     */
    public static function refusedResource(): \Exception
    {
        return new \Exception("Serialization of 'resource' is not allowed");
    }

    public static function isResource(mixed $value): bool
    {
        return $value !== null && !\is_scalar($value) && !\is_array($value) && !\is_object($value);
    }

    /**
     * Formats of other languages keep only scalars, null, and arrays of them without references.
     *
     * @param int $depth limit for nested arrays
     * @return string|null bytes of serialize(); null if they can keep the value
     */
    public static function unlessPlain(mixed $value, int $depth): ?string
    {
        if ($value === null || \is_scalar($value)) {
            return null;
        }
        if (!\is_array($value) && !\is_object($value)) {
            throw self::refusedResource();
        }
        $bytes = serialize($value);
        $isKept = \is_array($value) && self::isPlain($bytes)
            && (substr_count($bytes, '{') <= $depth || !self::isDeeperThan($depth, $value));

        return $isKept ? null : $bytes;
    }

    /**
     * The classes and enums whose objects unserialize() would create.
     *
     * @return iterable<string> "" for escaped strings, which serialize() never writes and an attacker may
     */
    public static function classes(string $bytes): iterable
    {
        foreach (self::tokens($bytes) as $letter => $content) {
            if ($letter === 'O' || $letter === 'C') {
                yield $content;
            } elseif ($letter === 'E') {
                yield explode(':', $content)[0];
            } elseif ($letter === 'S') {
                yield '';
            }
        }
    }

    private static function isPlain(string $bytes): bool
    {
        // Most values have none of these letters, and looking for them is cheap.
        if (preg_match('/[OCER]:/', $bytes) !== 1) {
            return true;
        }
        foreach (self::tokens($bytes) as $letter => $content) {
            if ($letter !== 's') {
                return false;
            }
        }

        return true;
    }

    /** @param array<array-key, mixed> $array */
    private static function isDeeperThan(int $depth, array $array): bool
    {
        foreach ($array as $item) {
            if (\is_array($item) && ($depth === 1 || self::isDeeperThan($depth - 1, $item))) {
                return true;
            }
        }

        return false;
    }

    /** @return iterable<'s'|'S'|'O'|'C'|'E'|'R', string> kind of token => text in its quotes */
    private static function tokens(string $bytes): iterable
    {
        $at = 0;
        while (preg_match(self::TOKEN, $bytes, $token, \PREG_OFFSET_CAPTURE | \PREG_UNMATCHED_AS_NULL, $at) === 1) {
            $at = $token[0][1] + \strlen((string) $token[0][0]);
            $letter = $token[1][0];
            $length = (int) $token[2][0];
            if ($letter === null) {
                yield 'R' => '';

                continue;
            }
            if ($length > \strlen($bytes) - $at) {
                return; // cut off: unserialize() refuses it
            }
            /** @var 's'|'S'|'O'|'C'|'E' $letter */
            yield $letter => $letter === 's' ? '' : substr($bytes, $at, $length);
            $at += $length;
        }
    }
}
