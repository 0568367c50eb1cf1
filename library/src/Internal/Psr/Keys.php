<?php

declare(strict_types=1);

namespace Larder\Internal\Psr;

use Larder\Exception\InvalidKey;
use Larder\Internal\Key\ReservedKey;
use Larder\Key\Key;
use Larder\Psr\InvalidArgument;

/** Keys of PSR-6 and PSR-16, which allow less than the stores do. */
final class Keys
{
    /** One or more bytes, none of them reserved, and no key of Larder's own: faster than strpbrk() and strcspn(). */
    public const PATTERN = '~^(?!\0larder-)[^{}()/\\\\@:]++$~D';

    /** @throws InvalidArgument */
    public static function check(string $key): void
    {
        if (\strlen($key) > 255) { // short keys do not load Key
            try {
                Key::check($key);
            } catch (InvalidKey $long) {
                throw new InvalidArgument($long->getMessage());
            }
        }
        if (preg_match(self::PATTERN, $key) !== 1) {
            throw new InvalidArgument(match (true) {
                $key === '' => 'A key must not be empty',
                ReservedKey::is($key) => ReservedKey::REFUSAL,
                default => \sprintf('A key must not contain any of {}()/\@:, as "%s" does', substr($key, 0, 64)),
            });
        }
    }

    /**
     * @param iterable<mixed> $keys from the caller
     * @return list<string>
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
     * @param iterable<mixed, mixed> $values from the caller; PHP makes integers of array keys such as "7"
     * @return array<array-key, mixed> of a key given twice the last value
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
