<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Contract\Store;
use Larder\Internal\Driver\Connection;

/** One store that the DSNs of a driver open, under the one name that lists, tables and messages use. */
final class Variant
{
    /** Placeholders in $ini and $file: a private folder in memory, and the free space in it. */
    public const FOLDER = '{folder}';
    public const ROOM = '{room}';

    /** Scope::owner(), and $detail. */
    public readonly string $owner;

    /**
     * @param string $name the driver's scheme; for further variants, with a suffix: "redis", "mysql-memory"
     * @param class-string<Store> $store
     * @param array<string, string> $options of the DSN that select this variant
     * @param string $extension the PHP extension that it needs, if any
     * @param string $package Debian's package of the extension, without PHP's version: "redis" for php8.2-redis
     * @param string $library the Composer package that it needs, if any
     * @param list<Connection> $connections ways to reach it that are worth measuring; empty if there is only one
     * @param string $server its launcher: "Redis" for Larder\Cli\Server\RedisServer; empty if it is no server
     * @param string $serverPackage Debian's package of the server
     * @param list<string> $endpoints usual addresses of such a server: sockets, then a host and a port
     * @param bool $needsLogin true if a server can only be tried with a user and a password
     * @param string $file for a store in files: the path below its directory, such as "/cache.sqlite"
     * @param array<string, string> $ini PHP settings with which it works on the command line, with 64 MiB of memory
     * @param array<string, array<string, string>> $otherIni further settings to measure it with, by a label
     * @param string $excludes an extension that cannot be loaded together with it: it is measured without that one
     * @param bool $isMeasured true if it is worth measuring
     * @param bool $isLegacy kept because the studies measured it; not recommended today
     * @param string $detail further distinction from other caches, such as a segment
     */
    public function __construct(
        public readonly string $name,
        public readonly string $store,
        public readonly Scope $scope,
        public readonly array $options = [],
        public readonly string $extension = '',
        public readonly string $package = '',
        public readonly string $library = '',
        public readonly array $connections = [],
        public readonly string $server = '',
        public readonly string $serverPackage = '',
        public readonly array $endpoints = [],
        public readonly bool $needsLogin = false,
        public readonly string $file = '',
        public readonly array $ini = [],
        public readonly array $otherIni = [],
        public readonly string $excludes = '',
        public readonly bool $isMeasured = true,
        public readonly bool $isLegacy = false,
        string $detail = '',
    ) {
        $owner = $scope->owner();
        $this->owner = implode(', ', array_filter([$owner, $detail], static fn(string $part): bool => $part !== ''));
    }
}
