<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Engine;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Process\Functions;
use Larder\Key\Key;

/** The engine of this process, apart from the stores over it, which a get() of the whole engine does not load. */
final class Engine
{
    /** Prefix of the key of a namespace's version, which clear() leaves in the segment. */
    public const NAMESPACE_VERSION = "\0larder-generation:";
    /** Length of such a version, which stands before the keys of its namespace: see name(). */
    public const VERSION_BYTES = 12;
    private const NAMESPACE = 'larder:?namespace=';
    /** Bytes of the longest key that needs no check. */
    public const SHORT = 1024;

    /**
     * True if a DSN opens the whole engine, which can be used, without any option: "larder:", "larder:shop", or
     * "auto:". All other DSNs are for the parser, mistakes too.
     */
    public static function isWhole(#[\SensitiveParameter] string $dsn): bool
    {
        $isAuto = $dsn === 'auto:';
        if (!$isAuto && (!str_starts_with($dsn, 'larder:') || strcspn($dsn, "/?@%,\0") !== \strlen($dsn))) {
            return false;
        }

        try {
            self::check($isAuto ? '' : substr($dsn, \strlen('larder:')));
        } catch (StoreUnavailable) {
            return false;
        }

        return !$isAuto || self::isLoaded();
    }

    /** @return string|null the name of the version of the only option, "larder:?namespace=shop"; null for the parser */
    public static function namespaceOf(#[\SensitiveParameter] string $dsn): ?string
    {
        $namespace = str_starts_with($dsn, self::NAMESPACE) ? substr($dsn, \strlen(self::NAMESPACE)) : '';
        if (!NamespaceName::isValid($namespace)) {
            return null;
        }

        try {
            self::check('');
        } catch (StoreUnavailable) {
            return null;
        }

        return self::NAMESPACE_VERSION . $namespace;
    }

    /** The name of a key in a namespace. A key too long for the version in front of it is replaced by its SHA-256. */
    public static function name(string $version, string $key): string
    {
        // The engine does not count keys that begin with a NUL byte, as those of tags and locks do.
        $name = (isset($key[0]) && $key[0] === "\0" && ReservedKey::is($key) ? "\0" : '') . $version . '=' . $key;

        return \strlen($name) > Key::MAX_LENGTH ? $version . '#' . hash('sha256', $key, true) : $name;
    }

    /**
     * @param string $namespace of namespaceOf()
     * @return string|null as name(), for a short key in a namespace that has a version; null for the store
     */
    public static function nameNow(string $namespace, string $key): ?string
    {
        $version = $key !== '' && \strlen($key) <= self::SHORT ? \larder_fetch($namespace) : null;

        return \is_string($version) ? $version . '=' . $key : null;
    }

    /**
     * @throws StoreUnavailable for reasons that stay: an engine short of memory or of process records is an empty cache
     */
    public static function check(string $segment): void
    {
        if (!self::isLoaded()) {
            if (self::isInPhp()) {
                return;
            }

            throw self::unavailable(
                'the PHP extension larder is not loaded',
                'To add it: run sudo make install in a clone of Larder',
            );
        }
        if (ini_get('disable_functions') !== '') {
            StoreUnavailable::unlessThere('larder', Functions::missingWith('larder'));
        }
        if (\PHP_OS_FAMILY !== 'Linux' || \PHP_INT_SIZE !== 8) {
            throw self::unavailable('the engine runs on 64-bit Linux only', 'Take apcu: or file: here');
        }
        if (\in_array(ini_get('larder.enabled'), ['', '0', 'Off', 'off', 'No', 'no'], true)) {
            throw self::unavailable('the engine is loaded but switched off', 'Set larder.enabled=1 in php.ini');
        }
        $path = (string) ini_get('larder.path');
        if (ini_get('open_basedir') === '' && !self::hasFolder($path)) { // open_basedir may hide existing paths
            $how = 'Set larder.path in php.ini to one, on a tmpfs';
            throw self::unavailable("$path is not a directory that this user can write", $how);
        }
        $running = (string) ini_get('larder.segment');
        if ($segment !== '' && $segment !== $running) {
            throw self::unavailable(
                "this process has the segment $running, not $segment",
                "It is chosen before the script starts: larder.segment=$segment in php.ini, in the FPM pool "
                    . "or in the virtual host (php_admin_value), or php -d larder.segment=$segment",
            );
        }
    }

    private static function unavailable(string $what, string $how): StoreUnavailable
    {
        return StoreUnavailable::because('larder', $what, $how);
    }

    /**
     * True if the functions are those of the package larder/polyfill. Its argument is not to be given: see
     * Larder\Process\Pid.
     */
    public static function isInPhp(string $byPolyfill = 'larder_fetch'): bool
    {
        return !self::isLoaded() && \function_exists($byPolyfill);
    }

    /** @param string $engine not to be given: see Larder\Process\Pid */
    private static function isLoaded(string $engine = 'larder'): bool
    {
        return \extension_loaded($engine);
    }

    /** The segment of this process, for people. */
    public static function location(): string
    {
        $place = \sprintf('segment %s in %s', ini_get('larder.segment'), ini_get('larder.path'));

        return \sprintf('%s, PHP %d.%d', $place, \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);
    }

    /** True if this user can make a folder there, or has one already, if only root may write larder.path. */
    private static function hasFolder(string $path): bool
    {
        if (is_writable("$path/.")) { // also tells, in one system call, that it is a directory
            return true;
        }
        if (!is_dir($path)) {
            return false;
        }
        $user = \larder_info(false)['user'];

        return \is_int($user) && (is_writable("$path/larder/$user") || is_writable("$path/larder-$user"));
    }
}
