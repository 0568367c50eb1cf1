<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Cache;
use Larder\Tests\Servers;
use Larder\Tool\Server\MariaDbServer;

/** The stores over which both adapters are tested, each opened with a namespace of its own where it can have one. */
enum Place
{
    case Array;
    case Larder;
    case NamespacedLarder;
    case Apcu;
    case Yac;
    case Shmop;
    case Memcached;
    case Memcache;
    case Redis;
    case Predis;
    case MySqlInnoDb;
    case MySqlMyIsam;
    case MySqlMemory;
    case Sqlite;
    case File;
    case PhpFile;

    public function open(): Cache
    {
        $namespace = '?namespace=psr' . bin2hex(random_bytes(4));

        return Cache::open(match ($this) {
            self::Array => 'array:',
            self::Larder => 'larder:',
            self::NamespacedLarder => 'larder:' . $namespace,
            self::Apcu => 'apcu:' . $namespace,
            self::Yac => 'yac:' . $namespace,
            self::Shmop => 'shmop:' . $namespace,
            self::Memcached => 'memcached://' . Servers::memcached()->socket . $namespace,
            self::Memcache => 'memcache://' . Servers::memcached()->socket . $namespace,
            self::Redis => 'redis://' . Servers::redis()->socket . $namespace,
            self::Predis => 'redis://' . Servers::redis()->socket . $namespace . '&client=predis',
            self::MySqlInnoDb => self::mySql('innodb'),
            self::MySqlMyIsam => self::mySql('myisam'),
            self::MySqlMemory => self::mySql('memory'),
            self::Sqlite => \sprintf('sqlite://%s/cache.sqlite%s', Servers::directory('psr-sqlite'), $namespace),
            self::File => \sprintf('file://%s%s', Servers::directory('psr-files'), $namespace),
            self::PhpFile => \sprintf('php-file://%s%s', Servers::directory('psr-php-files'), $namespace),
        });
    }

    /** One table for all tests: each clears it, and a namespace is a table. */
    private static function mySql(string $engine): string
    {
        $server = Servers::mariaDb();

        return \sprintf('mysql://%s:%s@/%s?engine=%s&namespace=psr&socket=%s', MariaDbServer::USER, $server->password, MariaDbServer::DATABASE, $engine, $server->socket);
    }
}
