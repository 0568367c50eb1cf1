<?php

declare(strict_types=1);

namespace Larder\Driver\Common;

use Larder\Codec\Serialized;

/** A value that is the same however often it is copied: null, bool, int, float, string, or an array of these. */
final class PlainData
{
    /** Deeper arrays do not count as plain: PHP's own compiler has limits. */
    private const DEPTH = 64;

    /** @param mixed $value a copy that shares nothing with the original */
    private function __construct(public readonly mixed $value) {}

    /** @return self|null null when the value holds objects, resources, or a reference that two places share */
    public static function of(mixed $value): ?self
    {
        if (!\is_array($value)) {
            return $value === null || \is_scalar($value) ? new self($value) : null;
        }
        // serialize() writes a shared reference as R:number. Those letters in a string only cost the short way.
        if (preg_match('/R:\d+;/', serialize($value)) !== 0) {
            return null;
        }
        $copy = self::copy($value, self::DEPTH);

        return $copy === null ? null : new self($copy);
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

    /**
     * An expression of PHP that gives the value; a constant one, so opcache keeps the value ready.
     *
     * @param mixed $value plain data
     */
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
