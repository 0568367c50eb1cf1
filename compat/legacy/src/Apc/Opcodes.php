<?php

declare(strict_types=1);

namespace Larder\Legacy\Apc;

/** Compiled files, which are OPcache's today. Where it is not loaded there are none. */
final class Opcodes
{
    /** @return bool|array<int> */
    public static function compile(mixed $files): bool|array
    {
        if (\is_string($files)) {
            return self::isCompiled($files);
        }
        if (!\is_array($files)) {
            trigger_error('apc_compile_file(): apc_compile_file argument must be a string or an array of strings', \E_USER_WARNING);

            return false;
        }
        $failed = [];
        foreach ($files as $file) {
            if (!\is_string($file)) {
                trigger_error('apc_compile_file(): apc_compile_file array values must be strings, aborting.', \E_USER_WARNING);

                break;
            }
            if (!self::isCompiled($file)) {
                $failed[$file] = -1;
            }
        }

        return $failed;
    }

    /** @return bool|array<mixed>|null */
    public static function delete(mixed $files): bool|array|null
    {
        return Deletion::of('apc_delete_file', $files, self::isDeleted(...));
    }

    public static function clear(): void
    {
        if (self::isAvailable()) {
            opcache_reset();
        }
    }

    private static function isAvailable(): bool
    {
        $setting = \PHP_SAPI === 'cli' ? 'opcache.enable_cli' : 'opcache.enable';

        return \function_exists('opcache_reset') && filter_var(\ini_get($setting), \FILTER_VALIDATE_BOOL);
    }

    private static function isCompiled(string $file): bool
    {
        try {
            $isCompiled = self::isAvailable() && is_file($file) && (self::isLoaded($file) || opcache_compile_file($file));
        } catch (\Throwable) {
            $isCompiled = false;
        }
        if (!$isCompiled) {
            trigger_error("apc_compile_file(): Error compiling $file in apc_compile_file.", \E_USER_WARNING);
        }

        return $isCompiled;
    }

    /** Whether it need not be compiled. Where this request has its functions and classes, PHP could not declare them again. */
    private static function isLoaded(string $file): bool
    {
        // opcache.restrict_api warns.
        return \in_array(realpath($file), get_included_files(), true) || @opcache_is_script_cached($file);
    }

    private static function isDeleted(string $file): bool
    {
        return self::isAvailable() && opcache_is_script_cached($file) && opcache_invalidate($file, force: true);
    }
}
