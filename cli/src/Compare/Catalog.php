<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Php;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;

/** Every store that can be measured, each in all the ways that it can be reached. */
final class Catalog
{
    /** By the names that people choose them by; whether they need a server. */
    public const STORES = [
        'larder' => false, 'apcu' => false, 'yac' => false, 'shmop' => false,
        'memcached' => true, 'memcache' => true, 'redis' => true, 'predis' => true,
        'mysql-myisam' => true, 'mysql-memory' => true,
        'sqlite' => false, 'file' => false, 'php-file' => false, 'array' => false,
    ];

    /** Memory for the stores that have to be told, as much as memcached has by default. */
    private const MEMORY = '64M';

    /**
     * For servers: after its usual second, a server that had to wait for a processor would count as one that loses values.
     * One that fails is named for that. Neither costs a call anything.
     */
    private const PATIENCE = 'timeout=20&on_failure=throw';

    public function __construct(private readonly StoreLocations $places) {}

    /** @return non-empty-list<key-of<self::STORES>> */
    public static function names(): array
    {
        return array_keys(self::STORES);
    }

    /** @param key-of<self::STORES> $store */
    public static function needsServer(string $store): bool
    {
        return self::STORES[$store];
    }

    /**
     * Starts the servers that it needs.
     *
     * @param key-of<self::STORES> $store one of names()
     * @return list<Target|NotMeasured>
     */
    public function subjects(string $store): array
    {
        try {
            return match ($store) {
                'larder' => $this->larder(),
                'apcu' => $this->local($store, 'apcu:', new Php(['apc.enable_cli' => '1', 'apc.shm_size' => self::MEMORY])),
                'yac' => $this->yac(),
                'shmop' => $this->local($store, 'shmop:?namespace=' . $this->places->shmopNamespace()),
                'memcached', 'memcache' => $this->memcached($store, $this->places->memcached()),
                'redis' => $this->redis($store, 'phpredis', $this->places->redis()),
                'predis' => $this->redis($store, 'predis', $this->places->redis()),
                'mysql-myisam', 'mysql-memory' => $this->mySql($store, substr($store, \strlen('mysql-')), $this->places->mariaDb()),
                'sqlite' => $this->files($store, 'sqlite://%s/cache.sqlite'),
                'file' => $this->files($store, 'file://%s'),
                'php-file' => [
                    ...$this->files($store, 'php-file://%s'),
                    ...$this->files($store, 'php-file://%s', ', no opcache', new Php(['opcache.enable_cli' => '0'])),
                ],
                'array' => [new Target($store, null, 'array:', Kind::Process)],
            };
        } catch (\RuntimeException $missing) {
            return [new NotMeasured($store, null, $missing->getMessage())];
        }
    }

    /** @return list<Target> */
    private function larder(): array
    {
        $folder = $this->places->tmpfs('larder');
        // Files of other stores have to fit beside it: a container's /dev/shm has 64 MiB.
        $quarter = intdiv((int) disk_free_space($folder), 4 << 20);

        return $this->local('larder', 'larder:', new Php([
            'larder.path' => $folder,
            'larder.size' => $quarter < (int) self::MEMORY ? max(8, $quarter) . 'M' : self::MEMORY,
        ]));
    }

    /** @return list<Target> */
    private function local(string $store, string $address, Php $php = new Php()): array
    {
        return [new Target($store, null, $address, Kind::Local, $php)];
    }

    /**
     * Debian's packages of Yac and APCu exclude each other, so Yac may be there unpacked only, for processes without APCu.
     *
     * @return list<Target|NotMeasured>
     */
    private function yac(): array
    {
        $ini = ['yac.enable_cli' => '1', 'yac.values_memory_size' => self::MEMORY];
        if (\extension_loaded('yac')) {
            return $this->local('yac', 'yac:', new Php($ini));
        }
        $unpacked = \sprintf('%s/var/yac/%s/yac.so', \dirname(__DIR__, 3), Php::version());
        if (!is_file($unpacked)) {
            return [new NotMeasured('yac', null, 'the PHP extension yac is not loaded. To add it: dev/setup stores (in a clone of Larder), or pecl install yac')];
        }

        return $this->local('yac', 'yac:', Php::without('apcu', $this->places->disk('php-without-apcu'), $ini, [$unpacked]));
    }

    /** @return list<Target> */
    private function memcached(string $client, MemcachedServer $server): array
    {
        return [
            new Target($client, 'socket', \sprintf('%s://%s?%s', $client, $server->socket, self::PATIENCE), Kind::Server),
            new Target($client, 'tcp', \sprintf('%s://127.0.0.1:%d?%s', $client, $server->port, self::PATIENCE), Kind::Server),
        ];
    }

    /** @return list<Target> */
    private function redis(string $store, string $client, RedisServer $server): array
    {
        return [
            new Target($store, 'socket', \sprintf('redis://%s?client=%s&%s', $server->socket, $client, self::PATIENCE), Kind::Server),
            new Target($store, 'tcp', \sprintf('redis://127.0.0.1:%d?client=%s&%s', $server->port, $client, self::PATIENCE), Kind::Server),
        ];
    }

    /** @return list<Target> */
    private function mySql(string $store, string $engine, MariaDbServer $server): array
    {
        $login = MariaDbServer::USER . ':' . $server->password;
        $table = MariaDbServer::DATABASE . '?engine=' . $engine . '&' . self::PATIENCE;

        return [
            new Target($store, 'socket', \sprintf('mysql://%s@localhost/%s&socket=%s', $login, $table, $server->socket), Kind::Server),
            new Target($store, 'tcp', \sprintf('mysql://%s@127.0.0.1:%d/%s', $login, $server->port, $table), Kind::Server),
        ];
    }

    /**
     * @param string $address with %s for a directory
     * @return list<Target|NotMeasured>
     */
    private function files(string $store, string $address, string $suffix = '', Php $php = new Php()): array
    {
        $directory = $store . ($suffix === '' ? '' : '-2');
        $subjects = [];
        foreach (['tmpfs' => $this->places->tmpfs(...), 'disk' => $this->places->disk(...)] as $where => $make) {
            try {
                $subjects[] = new Target($store, $where . $suffix, \sprintf($address, $make($directory)), Kind::Local, $php);
            } catch (\RuntimeException $none) {
                $subjects[] = new NotMeasured($store, $where . $suffix, $none->getMessage());
            }
        }

        return $subjects;
    }
}
