<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\InvalidKey;

/** The key under which a store keeps a lock: one that is as good as never a value's, and not longer than a key may be. */
final class LockKey
{
    private const MARK = "\0larder-lock:";

    /** @throws InvalidKey */
    public static function of(string $key): string
    {
        Key::check($key);

        return self::MARK . hash('sha256', $key, true);
    }

    public static function is(string $key): bool
    {
        return str_starts_with($key, self::MARK);
    }
}
