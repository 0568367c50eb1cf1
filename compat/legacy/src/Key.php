<?php

declare(strict_types=1);

namespace Larder\Legacy;

/** Keys of the older functions. */
final class Key
{
    private const LONGEST = 65_535;

    /** Whether the engine can have it. */
    public static function isValid(string $prefix, string $key): bool
    {
        return $key !== '' && \strlen($prefix) + \strlen($key) <= self::LONGEST;
    }

    /** As the extensions made a string of what they were given; '' of what cannot be one. */
    public static function text(mixed $key): string
    {
        return \is_scalar($key) || $key instanceof \Stringable ? (string) $key : '';
    }
}
