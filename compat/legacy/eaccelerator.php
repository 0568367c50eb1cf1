<?php

/**
 * The functions and constants of eAccelerator 0.9.5, over the engine and the library's files. compat/legacy/README.md lists the
 * differences.
 *
 * All processes of a user share the entries, the command line included. A miss is null. Names are apart for each
 * eaccelerator.name_space of php.ini or, without one, for each virtual host. Where no cache is available, what is kept on
 * disk is still found. As in PHP's own functions, null is '', 0 or false where these take a string, number or bool.
 */

declare(strict_types=1);

use Larder\Legacy\Eaccelerator\Administration;
use Larder\Legacy\Eaccelerator\Content;
use Larder\Legacy\Eaccelerator\Disk;
use Larder\Legacy\Eaccelerator\Locks;
use Larder\Legacy\Eaccelerator\Place;
use Larder\Legacy\Eaccelerator\Values;
use Larder\Legacy\Miss;

defined('EACCELERATOR_VERSION') || define('EACCELERATOR_VERSION', '0.9.5.1');
defined('EACCELERATOR_SHM_AND_DISK') || define('EACCELERATOR_SHM_AND_DISK', Place::MemoryAndDisk->value);
defined('EACCELERATOR_SHM') || define('EACCELERATOR_SHM', Place::Memory->value);
defined('EACCELERATOR_SHM_ONLY') || define('EACCELERATOR_SHM_ONLY', Place::MemoryOnly->value);
defined('EACCELERATOR_DISK_ONLY') || define('EACCELERATOR_DISK_ONLY', Place::DiskOnly->value);
defined('EACCELERATOR_NONE') || define('EACCELERATOR_NONE', Place::None->value);

if (!function_exists('eaccelerator_put')) {
    /**
     * Stores a value. Objects need not be serialized.
     *
     * @param int $ttl seconds, 0 for no expiry
     * @param int|null $where EACCELERATOR_SHM_AND_DISK and its like; null for eaccelerator.keys, which is shm_and_disk
     * @return bool false if neither memory nor disk took it
     */
    function eaccelerator_put(?string $key, mixed $value, ?int $ttl = 0, ?int $where = null): bool
    {
        return Values::put($key ?? '', $value, $ttl ?? 0, Place::of($where));
    }
}

if (!function_exists('eaccelerator_get')) {
    /** Returns the value of a key, or null on a miss. What only the disk has goes back into memory, if $where has both. */
    function eaccelerator_get(?string $key, ?int $where = null): mixed
    {
        $value = Values::get($key ?? '', Place::of($where));

        return $value === Miss::Here ? null : $value;
    }
}

if (!function_exists('eaccelerator_rm')) {
    /** Deletes a key. Returns true, even if there was none; false if no value can have this key. */
    function eaccelerator_rm(?string $key, ?int $where = null): bool
    {
        return Values::delete($key ?? '', Place::of($where));
    }
}

if (!function_exists('eaccelerator_gc')) {
    /** Returns true. Nothing is left to do: memory is reused when an entry has expired, and the files prune themselves. */
    function eaccelerator_gc(): bool
    {
        if (func_num_args() > 0) {
            throw new ArgumentCountError('eaccelerator_gc() expects exactly 0 arguments, ' . func_num_args() . ' given');
        }

        return true;
    }
}

if (!function_exists('eaccelerator_lock')) {
    /**
     * Locks a name, which need not be that of a value, and waits for it as long as it takes. This process may do so again. The
     * lock ends with eaccelerator_unlock(), with the request, and with the process.
     *
     * @return bool false if no cache is available
     */
    function eaccelerator_lock(?string $key): bool
    {
        return Locks::acquire($key ?? '');
    }
}

if (!function_exists('eaccelerator_unlock')) {
    /** Ends a lock of this process. Returns false if another process holds it. */
    function eaccelerator_unlock(?string $key): bool
    {
        return Locks::release($key ?? '');
    }
}

if (!function_exists('eaccelerator_list_keys')) {
    /**
     * Lists what this name space or virtual host has in memory, without reading the values.
     *
     * @return list<array{name: string, ttl: int, created: int, size: int}>|null name: with a colon before it, if there is a name
     *                                                                          space or host. ttl: Unix time of expiry, 0 for
     *                                                                          none. null if no cache is available
     */
    function eaccelerator_list_keys(): ?array
    {
        return larder_info(false)['available'] === true ? Values::list() : null;
    }
}

if (!function_exists('eaccelerator_cache_page')) {
    /**
     * Prints the page of this key with its headers and ends the request, or keeps the page that the request prints from now on.
     * A page is not kept if it sets a cookie, is private, no-store or no-cache by its Cache-Control, has another status than
     * 200, ends with an error or an exception, or is flushed in parts.
     *
     * @return bool true if it is being kept
     */
    function eaccelerator_cache_page(?string $key, ?int $ttl = 0): bool
    {
        return Content::page($key ?? '', $ttl ?? 0);
    }
}

if (!function_exists('eaccelerator_rm_page')) {
    /** Deletes a page. */
    function eaccelerator_rm_page(?string $key): void
    {
        Values::delete($key ?? '', Content::place());
    }
}

if (!function_exists('eaccelerator_cache_output')) {
    /**
     * Prints what a function printed before, or calls it and keeps what it prints.
     *
     * @param callable(): mixed $code eAccelerator ran a string of PHP code, which is not accepted here
     * @return bool whether it is kept
     */
    function eaccelerator_cache_output(?string $key, callable $code, ?int $ttl = 0): bool
    {
        return Content::output($key ?? '', $code, $ttl ?? 0);
    }
}

if (!function_exists('eaccelerator_cache_result')) {
    /**
     * Returns what a function returned before, or calls it and keeps what it returns.
     *
     * @param callable(): mixed $code eAccelerator ran a string of PHP code, which is not accepted here
     */
    function eaccelerator_cache_result(?string $key, callable $code, ?int $ttl = 0): mixed
    {
        return Content::result($key ?? '', $code, $ttl ?? 0);
    }
}

if (!function_exists('eaccelerator_info')) {
    /**
     * Describes the cache. The memory is that of the whole segment.
     *
     * @return array<string, mixed> as eAccelerator does
     */
    function eaccelerator_info(): array
    {
        return Administration::info();
    }
}

if (!function_exists('eaccelerator_caching')) {
    /** Does nothing, but warns outside of eaccelerator.allowed_admin_path: it turned the cache of scripts off and on. */
    function eaccelerator_caching(?bool $enable): void
    {
        Administration::isAllowed();
    }
}

if (!function_exists('eaccelerator_optimizer')) {
    /** Does nothing, but warns outside of eaccelerator.allowed_admin_path: it turned the optimizer of scripts off and on. */
    function eaccelerator_optimizer(?bool $enable): void
    {
        Administration::isAllowed();
    }
}

if (!function_exists('eaccelerator_clean')) {
    /** Deletes the files of expired values. For scripts in eaccelerator.allowed_admin_path only; others are warned. */
    function eaccelerator_clean(): void
    {
        if (Administration::isAllowed()) {
            Disk::open()?->files->prune();
        }
    }
}

if (!function_exists('eaccelerator_clear')) {
    /**
     * Deletes the values of all name spaces, in memory and on disk. For scripts in eaccelerator.allowed_admin_path only; others are
     * warned.
     */
    function eaccelerator_clear(): void
    {
        if (Administration::isAllowed()) {
            Administration::clear();
        }
    }
}

if (!function_exists('eaccelerator_purge')) {
    /** Does nothing, but warns outside of eaccelerator.allowed_admin_path: it freed scripts. */
    function eaccelerator_purge(): void
    {
        Administration::isAllowed();
    }
}

if (!function_exists('eaccelerator_cached_scripts')) {
    /**
     * Lists the scripts that are cached: none.
     *
     * @return array{}|null null, with a warning, outside of eaccelerator.allowed_admin_path
     */
    function eaccelerator_cached_scripts(): ?array
    {
        return Administration::isAllowed() ? [] : null;
    }
}

if (!function_exists('eaccelerator_removed_scripts')) {
    /**
     * Lists the scripts that were replaced: none.
     *
     * @return array{}|null null, with a warning, outside of eaccelerator.allowed_admin_path
     */
    function eaccelerator_removed_scripts(): ?array
    {
        return Administration::isAllowed() ? [] : null;
    }
}

if (!function_exists('eaccelerator_set_session_handlers')) {
    /** Returns false: sessions are not kept here. */
    function eaccelerator_set_session_handlers(): bool
    {
        return false;
    }
}
