<?php

/**
 * The functions and constants of APC 3.1, over the engine. compat/legacy/README.md lists the differences.
 *
 * All processes of a user share the entries, the command line included. Where no cache is available, nothing is found and
 * nothing is stored. Values are those of larder_store(): what serialize() refuses throws PHP's exception.
 *
 * Applications of that time pass null where a string, number or bool belongs, such as a lifetime that nobody set. PHP's own
 * functions take it as '', 0 or false; so do these.
 */

declare(strict_types=1);

use Larder\Legacy\Apc\Constants;
use Larder\Legacy\Apc\Dump;
use Larder\Legacy\Apc\Information;
use Larder\Legacy\Apc\Opcodes;
use Larder\Legacy\Apc\Variables;

Constants::provide();

if (!function_exists('apc_store')) {
    /**
     * Stores a value, or each value of an array.
     *
     * @param mixed $key a string; or an array of key => value, and then $var has no meaning
     * @param int $ttl seconds, 0 for no expiry
     * @return bool|array<int> for an array: -1 for each key that was refused, empty if none was
     */
    function apc_store(mixed $key, mixed $var = null, ?int $ttl = 0): bool|array
    {
        return Variables::store(__FUNCTION__, $key, $var, $ttl ?? 0, func_num_args() > 1);
    }
}

if (!function_exists('apc_add')) {
    /**
     * Like apc_store(), but stores only under keys that do not exist.
     *
     * @param mixed $key a string, or an array of key => value
     * @param int $ttl seconds, 0 for no expiry
     * @return bool|array<int> for an array: -1 for each key that exists or was refused
     */
    function apc_add(mixed $key, mixed $var = null, ?int $ttl = 0): bool|array
    {
        return Variables::store(__FUNCTION__, $key, $var, $ttl ?? 0, func_num_args() > 1);
    }
}

if (!function_exists('apc_fetch')) {
    /**
     * Returns the value of a key, or false on a miss.
     *
     * @param mixed $key a string; an array of strings gives an array of those that were found
     * @param mixed $success true if there is a value, which may be false; always true for an array of strings
     */
    function apc_fetch(mixed $key, mixed &$success = null): mixed
    {
        return Variables::fetch($key, $success);
    }
}

if (!function_exists('apc_exists')) {
    /**
     * Returns whether a key exists.
     *
     * @param mixed $keys a string, or an array of strings
     * @return bool|array<true> for an array: the keys that exist
     */
    function apc_exists(mixed $keys): bool|array
    {
        return Variables::exists($keys);
    }
}

if (!function_exists('apc_delete')) {
    /**
     * Deletes a key, several, or those of an iterator.
     *
     * @param mixed $keys a string, an array of strings, or an APCIterator
     * @return bool|array<mixed>|null whether the key existed; for an array: what did not exist or is no string; null, with
     *                                a warning, for anything else
     */
    function apc_delete(mixed $keys): bool|array|null
    {
        return Variables::delete($keys);
    }
}

if (!function_exists('apc_inc')) {
    /**
     * Adds $step to the integer under $key, atomically. Keeps its expiry.
     *
     * @param mixed $success whether it did
     * @return int|false the sum; false if there is no integer, or the sum is outside the range of int
     */
    function apc_inc(?string $key, ?int $step = 1, mixed &$success = null): int|false
    {
        return Variables::count($key ?? '', $step ?? 0, $success);
    }
}

if (!function_exists('apc_dec')) {
    /**
     * Subtracts $step from the integer under $key, atomically. Keeps its expiry.
     *
     * @param mixed $success whether it did
     * @return int|false the difference; false if there is no integer, or the difference is outside the range of int
     */
    function apc_dec(?string $key, ?int $step = 1, mixed &$success = null): int|false
    {
        return Variables::count($key ?? '', 0 - ($step ?? 0), $success);
    }
}

if (!function_exists('apc_cas')) {
    /** Replaces the integer $old under $key by $new, atomically. Returns false if the value is another. */
    function apc_cas(?string $key, ?int $old, ?int $new): bool
    {
        return Variables::isKey($key ?? '') && larder_cas(Variables::PREFIX . $key, $old ?? 0, $new ?? 0);
    }
}

if (!function_exists('apc_clear_cache')) {
    /** Deletes all variables if $type is 'user', else what OPcache has compiled, where it is loaded. Returns true. */
    function apc_clear_cache(?string $type = ''): bool
    {
        strcasecmp($type ?? '', 'user') === 0 ? Variables::clear() : Opcodes::clear();

        return true;
    }
}

if (!function_exists('apc_cache_info')) {
    /**
     * Describes the variables if $type is 'user', else the files, of which there are none. It reads the whole index. The
     * counts of hits, misses and stores are those of the whole segment.
     *
     * @param bool $limited whether to leave out the lists
     * @return array<string, mixed>|false as APC does; false, with a warning, if no cache is available
     */
    function apc_cache_info(?string $type = '', ?bool $limited = false): array|false
    {
        return Information::ofCache($type ?? '', $limited ?? false);
    }
}

if (!function_exists('apc_sma_info')) {
    /**
     * Describes the memory. What eviction would free counts as available.
     *
     * @param bool $limited whether to leave out the list of free blocks, which has one
     * @return array<string, mixed>|false as APC does; false, with a warning, if no cache is available
     */
    function apc_sma_info(?bool $limited = false): array|false
    {
        return Information::ofMemory($limited ?? false);
    }
}

if (!function_exists('apc_define_constants')) {
    /**
     * Defines constants, and stores them for apc_load_constants(). Returns whether they were stored.
     *
     * @param mixed[] $constants name => value; what is not null, bool, int, float or string is not defined
     * @param bool $case_sensitive PHP 8 has no other constants
     */
    function apc_define_constants(?string $key, array $constants, ?bool $case_sensitive = true): bool
    {
        Constants::define($constants);

        return Variables::store(__FUNCTION__, $key ?? '', $constants, 0, true) === true;
    }
}

if (!function_exists('apc_load_constants')) {
    /** Defines the constants that apc_define_constants() stored under $key. Returns false if there are none. */
    function apc_load_constants(?string $key, ?bool $case_sensitive = true): bool
    {
        $constants = Variables::fetch($key ?? '');
        if (is_array($constants)) {
            Constants::define($constants);
        }

        return is_array($constants);
    }
}

if (!function_exists('apc_bin_dump')) {
    /**
     * Returns all variables as bytes for apc_bin_load(), with the time at which each expires.
     *
     * @param mixed[]|null $files no meaning: there are no files
     * @param mixed[]|null $user_vars the keys to dump; null for all
     * @return string|false false, with a warning, if no cache is available
     */
    function apc_bin_dump(?array $files = null, ?array $user_vars = null): string|false
    {
        return Dump::write(__FUNCTION__, $user_vars);
    }
}

if (!function_exists('apc_bin_dumpfile')) {
    /**
     * Writes what apc_bin_dump() returns to a file.
     *
     * @param mixed[]|null $files no meaning: there are no files
     * @param mixed[]|null $user_vars the keys to dump; null for all
     * @param int $flags LOCK_EX, FILE_APPEND
     * @param resource|null $context of the stream
     * @return int|false the bytes written; false, with a warning, if it failed
     */
    function apc_bin_dumpfile(?array $files, ?array $user_vars, ?string $filename, ?int $flags = 0, $context = null): int|false
    {
        $bytes = Dump::write(__FUNCTION__, $user_vars);

        return $bytes === false ? false : Dump::toFile($bytes, $filename ?? '', $flags ?? 0, $context);
    }
}

if (!function_exists('apc_bin_load')) {
    /**
     * Stores the variables of a dump that have not expired. Its checksum is always verified. Load only dumps that you trust
     * as you trust what unserialize() is given: they may contain objects.
     *
     * @param int $flags no meaning
     * @return bool false, with a warning and nothing stored, if the dump is damaged or no cache is available
     */
    function apc_bin_load(?string $data, ?int $flags = 0): bool
    {
        return Dump::load(__FUNCTION__, $data ?? '');
    }
}

if (!function_exists('apc_bin_loadfile')) {
    /**
     * Like apc_bin_load(), from a file.
     *
     * @param resource|null $context of the stream
     * @param int $flags no meaning
     */
    function apc_bin_loadfile(?string $filename, $context = null, ?int $flags = 0): bool
    {
        $bytes = Dump::fromFile($filename ?? '', $context);

        return $bytes !== false && Dump::load(__FUNCTION__, $bytes);
    }
}

if (!function_exists('apc_compile_file')) {
    /**
     * Compiles files into OPcache.
     *
     * @param mixed $filenames a string, or an array of strings
     * @param bool $atomic no meaning: each file is replaced as a whole
     * @return bool|array<int> for an array: -1 for each file that was not compiled. Without OPcache none is
     */
    function apc_compile_file(mixed $filenames, ?bool $atomic = true): bool|array
    {
        return Opcodes::compile($filenames);
    }
}

if (!function_exists('apc_delete_file')) {
    /**
     * Deletes files from OPcache.
     *
     * @param mixed $keys a string, an array of strings, or an APCIterator, whose entries are deleted as by apc_delete()
     * @return bool|array<mixed>|null whether the file was there; for an array: what was not there or is no string; null,
     *                                with a warning, for anything else
     */
    function apc_delete_file(mixed $keys): bool|array|null
    {
        return Opcodes::delete($keys);
    }
}
