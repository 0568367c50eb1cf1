<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\InvalidKey;

/**
 * The keys under which Larder keeps what is its own among the values of a store: as good as never a value's, and not
 * longer than a key may be.
 */
final class ReservedKey
{
    private const MARK = "\0larder-";

    /** @throws InvalidKey */
    public static function lock(string $key): string
    {
        Key::check($key);

        return self::MARK . 'lock:' . hash('sha256', $key, true);
    }

    public static function is(string $key): bool
    {
        return str_starts_with($key, self::MARK);
    }
}
