<?php

declare(strict_types=1);

namespace Larder\Key;

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

    /** With what the names of a local tier's copies begin. */
    public static function tier(string $identity): string
    {
        return self::MARK . 'copies:' . hash('xxh3', $identity);
    }

    /** The number of the newest change of a shared tier. */
    public static function changes(): string
    {
        return self::MARK . 'changes';
    }

    /** A slot of a shared tier's newest changes. */
    public static function change(int $slot): string
    {
        return self::MARK . 'change:' . $slot;
    }

    /** Whether it is of what stands above about changes: it has no copies. */
    public static function isOfChanges(string $key): bool
    {
        return str_starts_with($key, self::MARK . 'change');
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

    /** Of the lock under which a value is computed: the caller may have that of the key itself. */
    public static function lease(string $key): string
    {
        return self::MARK . 'lease:' . hash('sha256', $key, true);
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
