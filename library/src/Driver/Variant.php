<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Contract\Store;

/** One store that the DSNs of a driver open: under its name it is found in every list, table and message. */
final class Variant
{
    /** In $ini and $file: a folder of a run's own in memory, and the room in it. */
    public const FOLDER = '{folder}';
    public const ROOM = '{room}';

    /** Scope::owner(), and what else tells this cache from others, such as a segment. */
    public readonly string $owner;

    /**
     * @param string $name the driver's scheme, for its other variants with a word behind it: "redis", "mysql-memory"
     * @param class-string<Store> $store
     * @param array<string, string> $options of the DSN, that make it this one
     * @param string $extension the extension of PHP that it needs; empty when it needs none
     * @param string $package Debian's package of the extension, without PHP's version: "redis" for php8.2-redis
     * @param string $library the package of Composer that it needs; empty when it needs none
     * @param list<Connection> $connections ways to reach it that are worth measuring; none where there is only one
     * @param string $server its launcher: Redis for Larder\Cli\Server\RedisServer; empty when it needs none
     * @param string $serverPackage Debian's package of the server
     * @param list<string> $endpoints where such a server usually listens: sockets, then a host and a port
     * @param bool $needsLogin whether only a DSN with a user can tell if a server that listens can be used
     * @param string $file of a store in files: what stands behind the directory, such as "/cache.sqlite"
     * @param array<string, string> $ini settings of PHP with which it works on the command line, with 64 MiB of memory
     * @param array<string, array<string, string>> $otherIni to be measured with these too, by what is special then
     * @param string $excludes an extension that must not be loaded beside it: it is measured without
     * @param bool $isMeasured whether it is worth measuring
     * @param bool $isLegacy kept since the studies measured it; nobody should choose it today
     * @param class-string<Store>|null $namespaced the store, where a namespace makes it another
     * @param string $detail see $owner
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
        public readonly ?string $namespaced = null,
        string $detail = '',
    ) {
        $owner = $scope->owner();
        $this->owner = $detail === '' ? $owner : $owner . ', ' . $detail;
    }
}
