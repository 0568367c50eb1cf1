<?php

declare(strict_types=1);

namespace Larder\Internal\Process;

/**
 * Functions of PHP that a host may remove by disable_functions, and the parts that need them. The library works without
 * functions that are not listed here. A test disables each.
 */
final class Functions
{
    private const FILES = [
        'fileowner', 'filemtime', 'flock', 'fopen', 'getcwd', 'lstat', 'mkdir', 'rename', 'scandir',
        'sys_get_temp_dir', 'unlink',
    ];

    private const EVERY_CACHE = [
        'abs', 'addcslashes', 'array_change_key_case', 'array_chunk', 'array_column', 'array_combine', 'array_diff',
        'array_diff_key', 'array_fill_keys', 'array_filter', 'array_flip', 'array_intersect', 'array_intersect_key',
        'array_is_list', 'array_key_exists', 'array_key_first', 'array_keys', 'array_map', 'array_merge', 'array_pad',
        'array_push', 'array_replace', 'array_search', 'array_shift', 'array_slice', 'array_sum', 'array_unique',
        'array_values', 'asort', 'base64_encode', 'basename', 'bin2hex', 'ceil', 'chr', 'class_exists',
        'clearstatcache', 'count', 'crc32', 'ctype_digit', 'current', 'defined', 'dirname', 'error_get_last',
        'explode', 'extension_loaded', 'fclose', 'feof', 'file_exists', 'file_get_contents', 'fileperms', 'filter_var',
        'floor', 'fmod', 'fnmatch', 'fread', 'fstat', 'ftell', 'function_exists', 'fwrite',
        'get_debug_type', 'gmdate', 'hash', 'hash_equals', 'hash_hmac', 'headers_list', 'headers_sent', 'hexdec',
        'hrtime', 'http_build_query', 'implode', 'in_array', 'ini_get', 'intdiv', 'is_a', 'is_array', 'is_bool',
        'is_dir', 'is_file', 'is_float', 'is_int', 'is_link', 'is_nan', 'is_numeric',
        'is_object', 'is_readable', 'is_resource', 'is_scalar', 'is_string', 'is_writable', 'json_decode',
        'json_encode', 'json_last_error', 'ksort', 'levenshtein', 'log', 'ltrim', 'max', 'method_exists', 'microtime',
        'min', 'ord', 'pack', 'preg_grep', 'preg_match', 'preg_match_all', 'preg_quote', 'preg_replace',
        'preg_split', 'random_bytes', 'random_int', 'range', 'rawurldecode', 'rawurlencode',
        'reset', 'restore_error_handler', 'rewind', 'round', 'rtrim', 'serialize', 'set_error_handler', 'sha1',
        'shuffle', 'sort', 'spl_autoload_functions', 'spl_autoload_register', 'spl_object_id', 'sprintf',
        'str_contains', 'str_ends_with', 'str_pad', 'str_repeat', 'str_replace', 'str_split', 'str_starts_with',
        'strcmp', 'strcspn', 'stream_get_contents', 'stripos', 'strlen', 'strpbrk', 'strpos', 'strrpos', 'strspn',
        'strstr', 'strtolower', 'strtr', 'strval', 'substr', 'substr_compare', 'substr_count', 'substr_replace',
        'time', 'trim', 'uasort', 'unpack', 'unserialize', 'var_export',
    ];

    /** A folder of this user in one that all users can write, with files that many processes share. */
    public const FOLDER = [...self::FILES, 'file_put_contents', 'ftruncate', 'glob', 'opendir', 'readdir', 'rmdir'];

    /** Those of Larder\Dump\Dump besides. */
    public const DUMP = [
        'fflush', 'fseek', 'fsync', 'hash_final', 'hash_init', 'hash_update', 'hash_update_stream', 'krsort', 'larder_peek',
    ];

    private const SCHEMES = [
        'file' => self::FILES,
        'php-file' => [...self::FILES, 'touch'],
        'memcached' => self::STREAMS,
        'redis+cluster' => self::STREAMS,
        'redis+sentinel' => self::STREAMS,
    ];

    private const STREAMS = [
        'stream_context_create', 'stream_get_meta_data', 'stream_set_blocking', 'stream_set_read_buffer',
        'stream_set_timeout', 'stream_socket_client',
    ];

    /** Functions by the scheme, codec or client that needs them, if its extension is loaded. */
    private const EXTENSIONS = [
        'sqlite' => [...self::FILES, 'chmod', 'stat', 'umask'],
        'shmop' => [
            ...self::FOLDER, 'chmod', 'file', 'link', 'shmop_delete', 'shmop_open', 'shmop_read', 'shmop_size',
            'shmop_write',
        ],
        'yac' => self::FOLDER,
        'predis' => self::STREAMS,
        'openssl' => self::STREAMS,
        'apcu' => ['apcu_delete', 'apcu_enabled', 'apcu_entry', 'apcu_exists', 'apcu_fetch', 'apcu_store'],
        'igbinary' => ['igbinary_serialize', 'igbinary_unserialize'],
        'zlib' => ['gzcompress', 'gzuncompress'],
        'zstd' => ['zstd_compress', 'zstd_uncompress'],
        'lz4' => ['lz4_compress', 'lz4_uncompress'],
        'larder' => [
            'larder_add', 'larder_await', 'larder_cas', 'larder_claim', 'larder_clear', 'larder_delete',
            'larder_delete_multiple', 'larder_exists', 'larder_fetch', 'larder_fetch_cas', 'larder_fetch_entry',
            'larder_fetch_fresh', 'larder_fetch_if', 'larder_fetch_multiple', 'larder_increment', 'larder_info',
            'larder_last_error', 'larder_replace', 'larder_store', 'larder_store_cas', 'larder_store_multiple',
            'larder_touch', 'larder_unclaim',
        ],
        'pgsql' => [
            'pg_affected_rows', 'pg_connect', 'pg_connect_poll', 'pg_connection_busy', 'pg_connection_reset',
            'pg_connection_status', 'pg_fetch_all', 'pg_field_type_oid', 'pg_flush', 'pg_get_pid', 'pg_get_result',
            'pg_last_error', 'pg_num_fields', 'pg_pconnect', 'pg_result_error', 'pg_result_error_field',
            'pg_result_status', 'pg_send_execute', 'pg_send_prepare', 'pg_send_query', 'pg_send_query_params',
            'pg_socket', 'pg_transaction_status', 'pg_unescape_bytea', 'stream_select', 'stream_set_blocking',
        ],
    ];

    /** @return string the first missing one of those that every cache needs; empty if there is none */
    public static function missing(): string
    {
        return self::firstMissing(self::EVERY_CACHE);
    }

    /** @return string as missing(), of those that the stores of a scheme need, but of no missing extension */
    public static function missingFor(string $scheme): string
    {
        $isLoaded = \extension_loaded($scheme === 'sqlite' ? 'pdo_sqlite' : $scheme);
        $extension = $isLoaded ? self::EXTENSIONS[$scheme] ?? [] : [];

        return self::firstMissing([...self::SCHEMES[$scheme] ?? [], ...$extension]);
    }

    /** @return string as missing(), of those of a loaded extension, or of "predis" */
    public static function missingWith(string $extension): string
    {
        return self::firstMissing(self::EXTENSIONS[$extension] ?? []);
    }

    /** Sleeps as usleep() does, which the host may disable. */
    public static function sleep(int $microseconds): void
    {
        try {
            usleep($microseconds);
        } catch (\Error) {
            for ($end = hrtime(true) + 1000 * $microseconds; hrtime(true) < $end;);
        }
    }

    /** @param list<string> $functions */
    public static function firstMissing(array $functions): string
    {
        // Calls no other function, which might be missing, too. Without a backslash: a call that was compiled when the
        // function was there would be a signal rather than an Error; see Pid.
        try {
            foreach ($functions as $function) {
                if (!function_exists($function)) {
                    return $function;
                }
            }
        } catch (\Error) {
            return 'function_exists';
        }

        return '';
    }
}
