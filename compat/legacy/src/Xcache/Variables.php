<?php

declare(strict_types=1);

namespace Larder\Legacy\Xcache;

use Larder\Legacy\Key;
use Larder\Legacy\ServerVariables;
use Larder\Legacy\Setting;

/** The variables of xcache_set() and its like: the engine's entries whose keys begin with PREFIX and the name space. */
final class Variables
{
    public const PREFIX = 'xcache:';

    /** Whether xcache_enable_cache() has not turned it off in this request. */
    public static bool $isEnabled = true;

    /** What comes before each name in this request, null until it is asked for. */
    private static ?string $namespace = null;

    /** The engine's key of a name, null if it can have none. */
    public static function key(mixed $name): ?string
    {
        $name = Key::text($name);
        $prefix = self::PREFIX . self::namespace();

        return self::$isEnabled && Key::isValid($prefix, $name) ? $prefix . $name : null;
    }

    /** @return bool|null null if it is disabled */
    public static function set(mixed $name, mixed $value, ?int $ttl): ?bool
    {
        if (\is_object($value)) {
            throw new \Error('Objects cannot be stored in the variable cache. Use serialize before xcache_set');
        }
        $key = self::key($name);
        if ($key === null) {
            return self::$isEnabled ? false : null;
        }
        $seconds = self::ttl($ttl);
        if ($seconds < 0) { // it has expired already
            larder_delete($key);

            return true;
        }

        return larder_store($key, $value, $seconds);
    }

    /**
     * Each count gives the value a new lifetime, which larder_increment() does not.
     *
     * @param int|float $step a float is out of range
     * @return int|null null if it is disabled
     */
    public static function count(mixed $name, int|float $step, ?int $ttl): ?int
    {
        $key = self::key($name);
        if ($key === null) {
            return self::$isEnabled ? self::limited($step) : null;
        }
        $seconds = max(0, self::ttl($ttl));
        do {
            $old = larder_fetch_cas($key, 0, $token);
            $new = self::limited(self::integer($old) + $step);
            $isStored = $token === null ? larder_add($key, $new, $seconds) : larder_store_cas($key, $new, $token, $seconds);
        } while (!$isStored && larder_last_error() === \LARDER_ERROR_NONE);

        return $new;
    }

    public static function deletePrefix(mixed $prefix): void
    {
        $start = self::namespace() . Key::text($prefix);
        if (self::$isEnabled && ($start === '' || Key::isValid(self::PREFIX, $start))) {
            larder_delete_prefix(self::PREFIX . $start);
        }
    }

    /** '' for the one that php.ini gives. */
    public static function enterNamespace(string $namespace): void
    {
        self::$namespace = self::configured() . ($namespace === '' ? '' : "$namespace\0");
    }

    public static function leaveNamespaces(): void
    {
        self::$namespace = '';
    }

    private static function namespace(): string
    {
        return self::$namespace ??= self::configured();
    }

    /** By xcache.var_namespace_mode: 0 the setting itself, 1 an element of $_SERVER, 2 the id of the user or group. */
    private static function configured(): string
    {
        $setting = Setting::text('xcache.var_namespace');
        $namespace = match (Setting::number('xcache.var_namespace_mode')) {
            1 => Key::text(ServerVariables::get($setting)),
            2 => match ($setting) {
                'uid' => (string) posix_getuid(),
                'gid' => (string) posix_getgid(),
                default => '',
            },
            default => $setting,
        };

        return $namespace === '' ? '' : "$namespace\0";
    }

    private static function ttl(?int $ttl): int
    {
        $longest = Setting::number('xcache.var_maxttl');
        $ttl ??= Setting::number('xcache.var_ttl');

        return $longest > 0 && ($ttl === 0 || $ttl > $longest) ? $longest : $ttl;
    }

    private static function integer(mixed $value): int
    {
        return match (true) {
            \is_float($value) => self::limited($value),
            \is_scalar($value) => (int) $value,
            default => (int) (bool) $value,
        };
    }

    /** The next integer within the range of int: PHP 8.5 warns where a cast has none. */
    private static function limited(int|float $number): int
    {
        return match (true) {
            \is_int($number) => $number,
            $number >= \PHP_INT_MAX => \PHP_INT_MAX,
            $number <= \PHP_INT_MIN => \PHP_INT_MIN,
            default => is_nan($number) ? 0 : (int) $number,
        };
    }
}
