<?php

declare(strict_types=1);

namespace Larder\Legacy\Apc;

use Larder\Legacy\Key;
use Larder\Legacy\Miss;

/** The variables of apc_store() and its like: the engine's entries whose keys begin with PREFIX. */
final class Variables
{
    public const PREFIX = 'apc:';

    /** APC took a ttl as an unsigned number of 32 bits, so that a negative one never ends. */
    private const TTL_BITS = 0xFFFFFFFF;

    /** Whether an entry can have this key. */
    public static function isKey(string $key): bool
    {
        return Key::isValid(self::PREFIX, $key);
    }

    /**
     * @param string $function apc_add stores only what is not there
     * @param bool $hasValue whether the caller passed $value
     * @return bool|array<int>
     */
    public static function store(string $function, mixed $key, mixed $value, int $ttl, bool $hasValue): bool|array
    {
        if (\is_string($key)) {
            return $hasValue && self::put($function === 'apc_add', $key, $value, $ttl);
        }
        if (!\is_array($key)) {
            trigger_error("$function(): apc_store expects key parameter to be a string or an array of key/value pairs.", \E_USER_WARNING);

            return false;
        }
        $refused = [];
        foreach ($key as $name => $one) {
            if (!self::put($function === 'apc_add', (string) $name, $one, $ttl)) {
                $refused[$name] = -1;
            }
        }

        return $refused;
    }

    /** @param-out bool $success */
    public static function fetch(mixed $key, mixed &$success = null): mixed
    {
        $success = false;
        if (!\is_array($key)) {
            $key = Key::text($key);
            $value = self::isKey($key) ? larder_fetch(self::PREFIX . $key, Miss::Here) : Miss::Here;
            $success = $value !== Miss::Here;

            return $success ? $value : false;
        }
        $keys = self::strings(__FUNCTION__, $key);
        if ($keys === null) {
            return false;
        }
        $success = true;
        $found = [];
        foreach ($keys as $name) {
            $value = larder_fetch(self::PREFIX . $name, Miss::Here);
            if ($value !== Miss::Here) {
                $found[$name] = $value;
            }
        }

        return $found;
    }

    /** @return bool|array<true> */
    public static function exists(mixed $keys): bool|array
    {
        if (!\is_array($keys)) {
            $key = Key::text($keys);

            return self::isKey($key) && larder_exists(self::PREFIX . $key);
        }
        $names = self::strings(__FUNCTION__, $keys);
        if ($names === null) {
            return false;
        }
        $found = [];
        foreach ($names as $name) {
            if (larder_exists(self::PREFIX . $name)) {
                $found[$name] = true;
            }
        }

        return $found;
    }

    /** @return bool|array<mixed>|null */
    public static function delete(mixed $keys): bool|array|null
    {
        return Deletion::of('apc_delete', $keys, static fn(string $key): bool => self::isKey($key) && larder_delete(self::PREFIX . $key));
    }

    /**
     * larder_increment() would create what is missing.
     *
     * @param int|float $step a float is out of range
     * @param-out bool $success
     */
    public static function count(string $key, int|float $step, mixed &$success): int|false
    {
        $success = false;
        while (self::isKey($key)) {
            $old = larder_fetch(self::PREFIX . $key);
            $new = \is_int($old) ? $old + $step : null;
            if (!\is_int($old) || !\is_int($new)) {
                return false;
            }
            if (larder_cas(self::PREFIX . $key, $old, $new)) {
                $success = true;

                return $new;
            }
        }

        return false;
    }

    public static function clear(): void
    {
        larder_delete_prefix(self::PREFIX);
    }

    private static function put(bool $adds, string $key, mixed $value, int $ttl): bool
    {
        $ttl &= self::TTL_BITS;

        return self::isKey($key) && ($adds ? larder_add(self::PREFIX . $key, $value, $ttl) : larder_store(self::PREFIX . $key, $value, $ttl));
    }

    /**
     * @param mixed[] $keys
     * @return list<string>|null those that an entry can have; null, with a warning, if one is no string
     */
    private static function strings(string $function, array $keys): ?array
    {
        $strings = [];
        foreach ($keys as $key) {
            if (!\is_string($key)) {
                trigger_error("apc_$function(): apc_$function() expects a string or array of strings.", \E_USER_WARNING);

                return null;
            }
            if (self::isKey($key)) {
                $strings[] = $key;
            }
        }

        return $strings;
    }
}
