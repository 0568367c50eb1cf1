<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Apcu;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\MissingClass;
use Larder\Internal\Key\NamespaceName;

/** APCu in this process. A request that only reads does not load ApcuStore. */
final class Apcu
{
    public const WRAP = "\0larder";

    /** Ends the names of segments of Larder's module apcu, which have another layout: larder_*() do not read them. */
    public const SEGMENT = '.apcu';
    public const IS_HERE = 'has the entries of the module apcu, which larder does not show. APCu\'s functions do: '
        . 'php -d apc.enable_cli=1 -r "print_r(apcu_cache_info());"';
    /** NamespaceName::prefix() of the default namespace, which needs not load that class. */
    private const DEFAULT_PREFIX = 'larder-cache:larder:';
    private const NAMESPACE = 'apcu:?namespace=';
    private const SHORT = 1024;

    /**
     * @return string|null for fetch(), if a DSN has no option but a namespace and its store can be opened; else null,
     *         and the parser decides
     */
    public static function prefixOf(#[\SensitiveParameter] string $dsn): ?string
    {
        if (!self::isLoaded() || self::isLarders() || ini_get('disable_functions') !== '' || !apcu_enabled()) {
            return null;
        }
        $namespace = str_starts_with($dsn, self::NAMESPACE) ? substr($dsn, \strlen(self::NAMESPACE)) : '';
        if ($dsn !== 'apcu:' && !NamespaceName::isValid($namespace)) {
            return null;
        }
        MissingClass::watch();

        return $dsn === 'apcu:' ? self::DEFAULT_PREFIX : NamespaceName::prefix($namespace);
    }

    /**
     * A get() of ApcuStore, without it.
     *
     * @param string $prefix of prefixOf()
     * @return mixed $isForStore for a key that the store has to check, or a value that it has to count as unreadable
     */
    public static function fetch(string $prefix, string $key, mixed $default, mixed $isForStore): mixed
    {
        if ($key === '' || \strlen($key) > self::SHORT) {
            return $isForStore;
        }

        try {
            $value = @\apcu_fetch($prefix . $key, $found);
        } catch (\Throwable) {
            return $isForStore;
        }
        if ($found !== true) {
            return \error_get_last() === null ? $default : $isForStore;
        }
        $isEnvelope = \is_array($value) && isset($value[0]) && $value[0] === self::WRAP;

        return $isEnvelope ? self::unwrap($value, $default) : $value;
    }

    public static function unwrap(mixed $value, mixed $default): mixed
    {
        if (!self::isEnvelope($value)) {
            return $value;
        }

        return $value[1] === 0.0 || $value[1] > microtime(true) ? $value[2] : $default;
    }

    /** @phpstan-assert-if-true array{mixed, float, mixed} $value */
    public static function isEnvelope(mixed $value): bool
    {
        return \is_array($value) && ($value[0] ?? null) === self::WRAP;
    }

    /** @param string $apcu never passed: see Larder\Process\Pid */
    public static function isLoaded(string $apcu = 'apcu'): bool
    {
        return \extension_loaded($apcu);
    }

    /**
     * True if apcu_*() are the functions of Larder's module, not of APCu. The module has no setting apc.shm_segments,
     * and reading a setting is ten times as fast as reflection.
     */
    public static function isLarders(): bool
    {
        return self::isLoaded() && ini_get('apc.shm_segments') === false
            && \array_key_exists('larder', (new \ReflectionExtension('apcu'))->getDependencies());
    }

    /** True if web server and command line have separate caches, given that both have the settings of this process. */
    public static function isSplit(): bool
    {
        return self::isLoaded() && !self::isLarders()
            && \in_array(strtolower((string) ini_get('apc.enabled')), ['1', 'on', 'yes', 'true'], true);
    }

    public static function checkEnabled(): void
    {
        if (!apcu_enabled()) {
            $which = self::isLarders() ? "Larder's module apcu" : 'APCu';

            throw StoreUnavailable::because('apcu', "$which is loaded but switched off", \PHP_SAPI === 'cli'
                ? 'On the command line it is on with: php -d apc.enable_cli=1' : 'Set apc.enabled=1 in php.ini');
        }
    }
}
