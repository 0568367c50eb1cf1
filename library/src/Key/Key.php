<?php

declare(strict_types=1);

namespace Larder\Key;

use Larder\Exception\InvalidKey;

/** Checks keys. */
final class Key
{
    /** Bytes. */
    public const MAX_LENGTH = 65_535;

    /** @throws InvalidKey */
    public static function check(string $key): void
    {
        if ($key === '') {
            throw new InvalidKey('A key must not be empty');
        }
        if (\strlen($key) > self::MAX_LENGTH) {
            throw new InvalidKey(\sprintf(
                'A key must not be longer than %d bytes, this one has %d: "%s…"',
                self::MAX_LENGTH,
                \strlen($key),
                substr($key, 0, 32),
            ));
        }
    }

    /** Other programs may have stored names that are not valid keys. */
    public static function isValid(string $key): bool
    {
        return $key !== '' && \strlen($key) <= self::MAX_LENGTH;
    }

    /**
     * The keys of an array as strings, because PHP turns keys such as "7" into integers.
     *
     * @param array<array-key, mixed> $values
     * @return list<string>
     * @throws InvalidKey
     */
    public static function of(array $values): array
    {
        $keys = array_map(strval(...), array_keys($values));
        array_map(self::check(...), $keys);

        return $keys;
    }
}
