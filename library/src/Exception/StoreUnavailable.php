<?php

declare(strict_types=1);

namespace Larder\Exception;

use Larder\Internal\Process\Functions;

/** A store that cannot be opened here. The message says what is missing and how to get it. */
final class StoreUnavailable extends \RuntimeException implements CacheException
{
    /**
     * @param string $store its scheme, such as "redis"
     * @param string $what is wrong, without a full stop
     * @param string $how how to repair it: a command, a setting
     */
    private function __construct(
        public readonly string $store,
        public readonly string $what,
        public readonly string $how,
        ?\Throwable $previous,
    ) {
        parent::__construct("$store: $what. $how", 0, $previous); // see unlessThere()
    }

    public static function because(string $store, string $what, string $how, ?\Throwable $previous = null): self
    {
        return new self($store, rtrim($what, '.'), $how, $previous);
    }

    /**
     * @param string $package Debian's, without the version: "redis" for php8.2-redis
     * @throws self if the extension is not loaded
     */
    public static function unlessLoaded(string $store, string $extension, string $package): void
    {
        if (!\extension_loaded($extension)) {
            throw self::because($store, "the PHP extension $extension is not loaded", self::install($package));
        }
        if (ini_get('disable_functions') !== '') {
            self::unlessThere($store, Functions::missingWith($extension));
        }
    }

    /**
     * Calls no function, as it might be a disabled one.
     *
     * @param string $function of PHP, which the host has disabled; "" if none is
     * @throws self
     */
    public static function unlessThere(string $store, string $function): void
    {
        if ($function !== '') {
            $how = 'Take it out of disable_functions in php.ini or in the FPM pool';

            throw new self($store, "PHP has no function $function() here, which it needs", $how, null);
        }
    }

    public static function install(string $package): string
    {
        return \sprintf('To add it: apt-get install php%d.%d-%s', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION, $package);
    }
}
