<?php

declare(strict_types=1);

namespace Larder\Internal\Key;

use Larder\Exception\InvalidKey;
use Larder\Key\Key;

/** Larder's own keys among the values of a store: unlikely to be an application's, and no longer than a key may be. */
final class ReservedKey
{
    private const MARK = "\0larder-";
    public const REFUSAL = 'A key must not begin with "\0larder-": under such keys Larder keeps tag versions and locks';
    private const LEASE = self::MARK . 'lease:';
    private const LOCK = self::MARK . 'lock:';
    private const LONGEST_TAG = 1000;

    /** @throws InvalidKey */
    public static function lock(string $key): string
    {
        Key::check($key);

        return self::LOCK . hash('sha256', $key, true);
    }

    /** Prefix of the names of a local tier's copies. */
    public static function tier(string $identity): string
    {
        return self::MARK . 'copies:' . hash('xxh3', $identity);
    }

    /** The number of the newest change of a shared tier. */
    public static function changes(): string
    {
        return self::MARK . 'changes';
    }

    /** What the counters of the engine were before. */
    public static function history(): string
    {
        return self::MARK . 'history';
    }

    /** Failed logins to the operator's page. */
    public static function attempts(string $network): string
    {
        return self::MARK . 'attempts:' . $network;
    }

    /** A slot of a shared tier's newest changes. */
    public static function change(int $slot): string
    {
        return self::MARK . 'change:' . $slot;
    }

    /** True for the two above, which have no copies. */
    public static function isOfChanges(string $key): bool
    {
        return str_starts_with($key, self::MARK . 'change');
    }

    /**
     * Without a hash, unless the tag is too long: every read of a tagged value needs it.
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

    /** True for the version of a tag. */
    public static function isTag(string $key): bool
    {
        return str_starts_with($key, self::MARK . 'tag');
    }

    /** The lock for removing an outdated value: the caller may hold that of the key itself. */
    public static function removal(string $key): string
    {
        return self::MARK . 'removal:' . hash('sha256', $key, true);
    }

    /** The placeholder of a value that stays while it is recomputed. */
    public static function lease(string $key): string
    {
        return self::LEASE . hash('sha256', $key, true);
    }

    public static function isLease(string $key): bool
    {
        return str_starts_with($key, self::LEASE);
    }

    /** True for locks and leases, which change often. */
    public static function isTransient(string $key): bool
    {
        return self::isLease($key) || str_starts_with($key, self::LOCK);
    }

    /**
     * A visitor who may choose keys must not overwrite tag versions and leases.
     *
     * @return string the key
     * @throws InvalidKey
     */
    public static function refuse(string $key): string
    {
        return self::is($key) ? throw new InvalidKey(self::REFUSAL) : $key;
    }

    public static function is(string $key): bool
    {
        return str_starts_with($key, self::MARK);
    }
}
