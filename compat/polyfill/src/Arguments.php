<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Refuses what the extension's functions refuse, in the same words. */
final class Arguments
{
    private const LONGEST_KEY = 65_535;

    /** @throws \ValueError */
    public static function checkKey(string $function, string $key, int $number = 1, string $argument = 'key'): void
    {
        if (!self::isKey($key)) {
            throw new \ValueError(\sprintf('%s(): Argument #%d ($%s) must be between 1 and %d bytes long', $function, $number, $argument, self::LONGEST_KEY));
        }
    }

    /**
     * One after the other: those before a wrong one are worked on.
     *
     * @param mixed[] $keys
     * @return \Generator<int, string>
     * @throws \TypeError|\ValueError
     */
    public static function keys(string $function, array $keys): \Generator
    {
        foreach ($keys as $key) {
            if (!\is_string($key) && !\is_int($key)) {
                throw new \TypeError(\sprintf('%s(): Argument #1 ($keys) must contain only strings and integers, %s found', $function, get_debug_type($key)));
            }
            yield self::element($function, 'keys', (string) $key);
        }
    }

    /** @throws \ValueError */
    public static function element(string $function, string $argument, string $key): string
    {
        if (!self::isKey($key)) {
            throw new \ValueError(\sprintf('%s(): Argument #1 ($%s) must contain only keys between 1 and %d bytes long', $function, $argument, self::LONGEST_KEY));
        }

        return $key;
    }

    /**
     * @param int $number of the argument
     * @return float seconds, 0.0 for no expiry
     * @throws \ValueError
     */
    public static function ttl(string $function, int $number, int|float|null $ttl, string $argument = 'ttl'): float
    {
        $seconds = (float) ($ttl ?? 0);
        if ($seconds < 0 || is_nan($seconds)) {
            throw new \ValueError(\sprintf('%s(): Argument #%d ($%s) must be greater than or equal to 0', $function, $number, $argument));
        }

        return $seconds;
    }

    public static function isKey(string $key): bool
    {
        return $key !== '' && \strlen($key) <= self::LONGEST_KEY;
    }
}
