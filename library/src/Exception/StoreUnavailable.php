<?php

declare(strict_types=1);

namespace Larder\Exception;

/** A store that cannot be opened here. The message says what is missing and how to get it. */
final class StoreUnavailable extends \RuntimeException implements CacheException
{
    /**
     * @param string $store its scheme, such as "redis"
     * @param string $what what is wrong, without a full stop
     * @param string $how what to do about it: a command, a setting
     */
    private function __construct(
        public readonly string $store,
        public readonly string $what,
        public readonly string $how,
        ?\Throwable $previous,
    ) {
        parent::__construct(\sprintf('%s: %s. %s', $store, $what, $how), 0, $previous);
    }

    /**
     * @param string $store its scheme, such as "redis"
     * @param string $what what is wrong
     * @param string $how what to do about it
     */
    public static function because(string $store, string $what, string $how, ?\Throwable $previous = null): self
    {
        return new self($store, rtrim($what, '.'), $how, $previous);
    }

    /**
     * @param string $package Debian's, without the version: "redis" for php8.2-redis
     * @throws self when the extension is not loaded
     */
    public static function unlessLoaded(string $store, string $extension, string $package): void
    {
        if (!\extension_loaded($extension)) {
            throw self::because($store, \sprintf('the PHP extension %s is not loaded', $extension), self::install($package));
        }
    }

    public static function install(string $package): string
    {
        return \sprintf('To add it: apt-get install php%d.%d-%s', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION, $package);
    }
}
