<?php

declare(strict_types=1);

namespace Larder\Internal\Key;

use Larder\Exception\InvalidDsn;

/** Names of namespaces, which cannot collide with another's keys, a path or a table. */
final class NamespaceName
{
    public const RULE = 'A namespace is 1 to 32 of the characters A-Z a-z 0-9 _ -';

    /** The beginning of all names in a store that other programs use, too. */
    public const ALL = 'larder-cache:';

    private const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

    /** Prefix of all names of a namespace in a store that other programs use, too. */
    public static function prefix(string $namespace): string
    {
        return self::ALL . $namespace . ':';
    }

    public static function isValid(string $namespace): bool
    {
        $length = \strlen($namespace);

        return $length > 0 && $length <= 32 && strspn($namespace, self::CHARACTERS) === $length;
    }

    /** @throws InvalidDsn */
    public static function check(string $namespace): void
    {
        if (!self::isValid($namespace)) {
            throw new InvalidDsn(self::RULE);
        }
    }
}
