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
    private const LONGEST_TAG = 1000;

    /** @throws InvalidKey */
    public static function lock(string $key): string
    {
        Key::check($key);

        return self::MARK . 'lock:' . hash('sha256', $key, true);
    }

    /**
     * Without a hash, since it is made for every look at a tagged value, but for a tag so long that it needs one.
     *
     * @throws InvalidKey
     */
    public static function tag(string $tag): string
    {
        if ($tag === '' || \strlen($tag) > self::LONGEST_TAG) {
            Key::check($tag);

            return self::MARK . 'tag#' . hash('sha256', $tag, true);
        }

        return self::MARK . 'tag:' . $tag;
    }

    /** Of the lock under which a value that is out of date is removed: the caller may have that of the key itself. */
    public static function removal(string $key): string
    {
        return self::MARK . 'removal:' . hash('sha256', $key, true);
    }

    /** What is known of a lock that is an integer; as long as lock(). */
    public static function lockState(string $key, int $lock): string
    {
        return self::MARK . 'lock-state:' . hash('sha256', pack('J', $lock) . $key, true);
    }

    public static function is(string $key): bool
    {
        return str_starts_with($key, self::MARK);
    }
}
