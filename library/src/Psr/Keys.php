<?php

declare(strict_types=1);

namespace Larder\Psr;

use Larder\Key\Key;

/**
 * What PSR-6 and PSR-16 allow as a key: less than the stores do.
 *
 * @internal
 */
final class Keys
{
    /** One or more bytes, none of them reserved: strpbrk() and strcspn() take longer to tell. */
    public const PATTERN = '~^[^{}()/\\\\@:]++$~D';

    /** @throws InvalidArgument */
    public static function check(string $key): void
    {
        if (\strlen($key) > Key::MAX_LENGTH) {
            throw new InvalidArgument(\sprintf('A key must not be longer than %d bytes, this one has %d: "%s…"', Key::MAX_LENGTH, \strlen($key), substr($key, 0, 32)));
        }
        if (preg_match(self::PATTERN, $key) !== 1) {
            throw new InvalidArgument($key === '' ? 'A key must not be empty' : \sprintf('A key must not contain any of {}()/\@:, as "%s" does', substr($key, 0, 64)));
        }
    }

    /**
     * @param iterable<mixed> $keys whatever the caller has given
     * @return list<string> all of them checked
     * @throws InvalidArgument
     */
    public static function list(iterable $keys): array
    {
        $list = [];
        foreach ($keys as $key) {
            if (!\is_string($key)) {
                throw new InvalidArgument(\sprintf('A key must be a string, not %s', get_debug_type($key)));
            }
            self::check($key);
            $list[] = $key;
        }

        return $list;
    }

    /**
     * @param iterable<mixed, mixed> $values whatever the caller has given; PHP makes integers of array keys such as "7"
     * @return array<array-key, mixed> with every key checked; of a key given twice the last value
     * @throws InvalidArgument
     */
    public static function values(iterable $values): array
    {
        $checked = [];
        foreach ($values as $key => $value) {
            if (!\is_int($key)) {
                [$key] = self::list([$key]);
            }
            $checked[$key] = $value;
        }

        return $checked;
    }
}
