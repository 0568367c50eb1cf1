<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Common;

use Larder\Codec\Codec;
use Larder\Internal\Codec\Serialized;

/** A value that any copy equals: null, bool, int, float, string, or an array of these. */
final class PlainData
{
    /** Deeper arrays do not count as plain: PHP's own compiler has limits. */
    private const DEPTH = 64;

    /**
     * The form of values in stores that keep plain data as it is: objects and references would change with the
     * caller's, or are not constant.
     *
     * @return array{bool, mixed} false and a copy that shares nothing with the value; or true and the codec's bytes
     */
    public static function pack(mixed $value, string $key, Codec $codec): array
    {
        if ($value === null || \is_scalar($value)) {
            return [false, $value];
        }
        // serialize() writes a shared reference as R:number. A string with these letters only loses speed.
        $copy = \is_array($value) && preg_match('/R:\d+;/', serialize($value)) === 0
            ? self::copy($value, self::DEPTH)
            : null;

        return $copy === null ? [true, $codec->encode($value, $key)] : [false, $copy];
    }

    /**
     * @param array<array-key, mixed> $array
     * @return array<array-key, mixed>|null
     */
    private static function copy(array $array, int $depth): ?array
    {
        if ($depth === 0) {
            return null;
        }
        $copy = [];
        foreach ($array as $key => $value) {
            if (\is_array($value)) {
                $value = self::copy($value, $depth - 1);
                if ($value === null) {
                    return null;
                }
            } elseif ($value !== null && !\is_scalar($value)) {
                return \is_object($value) ? null : throw Serialized::refusedResource();
            }
            $copy[$key] = $value;
        }

        return $copy;
    }

    /** A constant expression of PHP for plain data, so that opcache keeps the value ready. */
    public static function code(mixed $value): string
    {
        if (!\is_array($value)) {
            return var_export($value, true);
        }
        $code = '[';
        $list = array_is_list($value);
        foreach ($value as $key => $item) {
            $code .= ($list ? '' : var_export($key, true) . '=>') . self::code($item) . ',';
        }

        return $code . ']';
    }
}
