<?php

/**
 * The functions and constants of XCache 3.2, over the engine. compat/legacy/README.md lists the differences.
 *
 * All processes of a user share the entries, the command line included. A miss is null. Where no cache is available,
 * nothing is found and nothing is stored. The functions that administrate the cache ask for the user and password of
 * xcache.admin.user and xcache.admin.pass in php.ini, unless xcache.admin.enable_auth is off there. As in PHP's own functions,
 * null is 0 or false where these take a number or bool.
 */

declare(strict_types=1);

use Larder\Legacy\Key;
use Larder\Legacy\Xcache\Administration;
use Larder\Legacy\Xcache\Variables;

defined('XC_TYPE_PHP') || define('XC_TYPE_PHP', 0);
defined('XC_TYPE_VAR') || define('XC_TYPE_VAR', 1);
defined('XCACHE_VERSION') || define('XCACHE_VERSION', '3.2.0');
defined('XCACHE_MODULES') || define('XCACHE_MODULES', 'cacher');

if (!function_exists('xcache_get')) {
    /** Returns the value of a name, or null on a miss. */
    function xcache_get(mixed $name): mixed
    {
        $key = Variables::key($name);

        return $key === null ? null : larder_fetch($key);
    }
}

if (!function_exists('xcache_set')) {
    /**
     * Stores a value.
     *
     * @param mixed $value an object must be serialized first; one in an array need not be
     * @param int|null $ttl seconds, 0 or null for no expiry; xcache.var_ttl if it is left out. Not over xcache.var_maxttl, if that is set
     * @return bool|null false if it was refused, null if the cache is disabled
     * @throws Error for an object
     */
    function xcache_set(mixed $name, mixed $value, ?int $ttl = null): ?bool
    {
        return Variables::set($name, $value, func_num_args() > 2 ? $ttl ?? 0 : null);
    }
}

if (!function_exists('xcache_isset')) {
    /** Returns whether there is a value. */
    function xcache_isset(mixed $name): bool
    {
        $key = Variables::key($name);

        return $key !== null && larder_exists($key);
    }
}

if (!function_exists('xcache_unset')) {
    /** Deletes a value. Returns whether there was one. */
    function xcache_unset(mixed $name): bool
    {
        $key = Variables::key($name);

        return $key !== null && larder_delete($key);
    }
}

if (!function_exists('xcache_unset_by_prefix')) {
    /** Deletes every value of this name space whose name begins with $prefix. It looks at every key. */
    function xcache_unset_by_prefix(mixed $prefix): void
    {
        Variables::deletePrefix($prefix);
    }
}

if (!function_exists('xcache_inc')) {
    /**
     * Adds $value to the integer of a name, atomically, and gives it a new lifetime. What is missing counts as 0, what is no
     * integer is converted to one.
     *
     * @param int|null $ttl as in xcache_set()
     * @return int|null the sum, within the range of int; null if the cache is disabled
     */
    function xcache_inc(mixed $name, ?int $value = 1, ?int $ttl = null): ?int
    {
        return Variables::count($name, $value ?? 0, func_num_args() > 2 ? $ttl ?? 0 : null);
    }
}

if (!function_exists('xcache_dec')) {
    /**
     * Like xcache_inc(), but subtracts.
     *
     * @param int|null $ttl as in xcache_set()
     * @return int|null the difference, within the range of int; null if the cache is disabled
     */
    function xcache_dec(mixed $name, ?int $value = 1, ?int $ttl = null): ?int
    {
        return Variables::count($name, 0 - ($value ?? 0), func_num_args() > 2 ? $ttl ?? 0 : null);
    }
}

if (!function_exists('xcache_set_namespace')) {
    /** Puts names apart from those of other name spaces until the request ends; '' for the name space of php.ini. */
    function xcache_set_namespace(mixed $namespace): void
    {
        if (is_string($namespace)) {
            Variables::enterNamespace($namespace);
        }
    }
}

if (!function_exists('xcache_admin_namespace')) {
    /** Leaves all name spaces until the request ends. A name is then the name space, "\0" and the name in it. */
    function xcache_admin_namespace(): void
    {
        Administration::authenticate();
        Variables::leaveNamespaces();
    }
}

if (!function_exists('xcache_count')) {
    /**
     * Returns the number of caches of a type.
     *
     * @param int $type XC_TYPE_VAR and XC_TYPE_PHP have one each
     * @return int|false false, with a warning, if there is no such type
     */
    function xcache_count(?int $type): int|false
    {
        Administration::authenticate();

        return Administration::count(__FUNCTION__, $type ?? 0);
    }
}

if (!function_exists('xcache_info')) {
    /**
     * Describes the cache of variables: the counters and the memory are those of the whole segment. That of files has the same
     * memory and is empty.
     *
     * @return array<string, mixed>|false as XCache does; false, with a warning, if there is no such cache
     */
    function xcache_info(?int $type, ?int $id): array|false
    {
        Administration::authenticate();

        return Administration::exists(__FUNCTION__, $type ?? 0, $id ?? 0) ? Administration::info($type ?? 0) : false;
    }
}

if (!function_exists('xcache_list')) {
    /**
     * Lists the variables of all name spaces, or no files. It reads the whole index.
     *
     * @return array<string, mixed>|false as XCache does; false, with a warning, if there is no such cache
     */
    function xcache_list(?int $type, ?int $id): array|false
    {
        Administration::authenticate();

        return Administration::exists(__FUNCTION__, $type ?? 0, $id ?? 0) ? Administration::list($type ?? 0) : false;
    }
}

if (!function_exists('xcache_clear_cache')) {
    /**
     * Deletes the variables of all name spaces or, by XC_TYPE_PHP, what OPcache has compiled, where it is loaded.
     *
     * @param int $id -1 for all caches of the type
     * @return false|null false, with a warning, if there is no such cache
     */
    function xcache_clear_cache(?int $type, ?int $id = -1): ?false
    {
        Administration::authenticate();
        if (!Administration::exists(__FUNCTION__, $type ?? 0, $id ?? 0, first: -1)) {
            return false;
        }
        Administration::clear($type ?? 0);

        return null;
    }
}

if (!function_exists('xcache_enable_cache')) {
    /**
     * Turns the cache of variables off or on, for this request. Does nothing to that of files.
     *
     * @param int $id -1 for all caches of the type
     * @return false|null false, with a warning, if there is no such cache
     */
    function xcache_enable_cache(?int $type, ?int $id = -1, ?bool $enable = true): ?false
    {
        Administration::authenticate();
        if (!Administration::exists(__FUNCTION__, $type ?? 0, $id ?? 0, first: -1)) {
            return false;
        }
        Administration::enable($type ?? 0, $enable ?? false);

        return null;
    }
}

if (!function_exists('xcache_coredump')) {
    /** Does nothing but warn: XCache crashed here, where its setting xcache.test was on. */
    function xcache_coredump(): void
    {
        trigger_error('xcache_coredump(): xcache.test must be enabled to test xcache_coredump()', E_USER_WARNING);
    }
}

if (!function_exists('xcache_is_autoglobal')) {
    /** Returns whether a name such as _GET is that of a variable which is global everywhere. */
    function xcache_is_autoglobal(mixed $name): bool
    {
        return in_array(Key::text($name), ['GLOBALS', '_GET', '_POST', '_COOKIE', '_SERVER', '_ENV', '_REQUEST', '_FILES'], true);
    }
}
