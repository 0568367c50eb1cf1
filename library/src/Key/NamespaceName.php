<?php

declare(strict_types=1);

namespace Larder\Key;

use Larder\Exception\InvalidDsn;

/** What a namespace may be called, so that none runs into another's names, a path or a table. */
final class NamespaceName
{
    public const RULE = 'A namespace is 1 to 32 of the characters A-Z a-z 0-9 _ -';

    public static function isValid(string $namespace): bool
    {
        return preg_match('/^[A-Za-z0-9_-]{1,32}$/D', $namespace) === 1;
    }

    /** @throws InvalidDsn */
    public static function check(string $namespace): void
    {
        if (!self::isValid($namespace)) {
            throw new InvalidDsn(self::RULE);
        }
    }
}
