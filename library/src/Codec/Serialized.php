<?php

declare(strict_types=1);

namespace Larder\Codec;

/** What stands in the bytes that serialize() gives, found without making values of them. */
final class Serialized
{
    /** What begins with a length, or a reference. Between the strings there are only numbers and punctuation. */
    private const TOKEN = '/([sSOCE]):\+?(\d+):"|;(R):\d/';

    /**
     * For a resource, which serialize() makes 0 of. One within an array or an object is noticed only where a value is looked
     * through anyway: to do that for it alone takes as long as to serialize it.
     *
     * @return \Exception as PHP's own for a closure
     */
    public static function refusedResource(): \Exception
    {
        return new \Exception("Serialization of 'resource' is not allowed");
    }

    /** Whether it is a resource, be it closed. */
    public static function isResource(mixed $value): bool
    {
        return $value !== null && !\is_scalar($value) && !\is_array($value) && !\is_object($value);
    }

    /**
     * What formats of other languages cannot keep: all but scalars, null, and arrays of them without references.
     *
     * @param int $depth how many arrays in one another they can keep
     * @return string|null what serialize() gives; null for what they can keep
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

        return \is_array($value) && self::isPlain($bytes) && (substr_count($bytes, '{') <= $depth || !self::isDeeperThan($depth, $value)) ? null : $bytes;
    }

    /**
     * The classes and enums whose objects unserialize() would make.
     *
     * @return iterable<string> "" for a way of writing strings that serialize() does not use, so as not to be led astray
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
        if (!str_contains($bytes, 'O:') && !str_contains($bytes, 'C:') && !str_contains($bytes, 'E:') && !str_contains($bytes, 'R:')) {
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

    /** @return iterable<'s'|'S'|'O'|'C'|'E'|'R', string> what kind of token, and the text in its quotes */
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
