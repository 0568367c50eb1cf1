<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;

/** The stores over which what a Cache does is tested. */
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

    /** @return iterable<string, array{self}> for tests that run over each */
    public static function each(): iterable
    {
        foreach (self::cases() as $place) {
            yield $place->name => [$place];
        }
    }

    /** With a namespace that nobody else has, where it can have one; the tables of MySQL are one for all, which is emptied. */
    public function open(): Cache
    {
        return $this->at(match ($this) {
            self::MySqlInnoDb, self::MySqlMyIsam, self::MySqlMemory => 'psr',
            default => 'psr' . bin2hex(random_bytes(4)),
        });
    }

    /**
     * @param string $name what a namespace ends with that this run of the tests alone has, and finds again; at most 24
     *                     characters
     * @param string $options more of them, as they stand in an address: "serializer=json&compress=zlib"
     */
    public function in(string $name, string $options = ''): Cache
    {
        return $this->at(Servers::run() . $name . ($options === '' ? '' : '&' . $options));
    }

    private function at(string $namespace): Cache
    {
        $option = '?namespace=' . $namespace;

        return Cache::open(match ($this) {
            self::Array => 'array:',
            self::Larder => 'larder:',
            self::NamespacedLarder => 'larder:' . $option,
            self::Apcu => 'apcu:' . $option,
            self::Yac => 'yac:' . $option,
            self::Shmop => 'shmop:' . $option,
            self::Memcached => 'memcached://' . Servers::memcached()->socket . $option . Servers::PATIENTLY,
            self::Memcache => 'memcache://' . Servers::memcached()->socket . $option . Servers::PATIENTLY,
            self::Redis => 'redis://' . Servers::redis()->socket . $option . Servers::PATIENTLY,
            self::Predis => 'redis://' . Servers::redis()->socket . $option . Servers::PATIENTLY . '&client=predis',
            self::MySqlInnoDb => self::mySql('innodb', $namespace),
            self::MySqlMyIsam => self::mySql('myisam', $namespace),
            self::MySqlMemory => self::mySql('memory', $namespace),
            self::Sqlite => \sprintf('sqlite://%s/cache.sqlite%s', Servers::directory('places-sqlite'), $option),
            self::File => \sprintf('file://%s%s', Servers::directory('places-files'), $option),
            self::PhpFile => \sprintf('php-file://%s%s', Servers::directory('places-php-files'), $option),
        });
    }

    private static function mySql(string $engine, string $namespace): string
    {
        $server = Servers::mariaDb();

        return \sprintf('mysql://%s:%s@/%s?engine=%s&namespace=%s&socket=%s', MariaDbServer::USER, $server->password, MariaDbServer::DATABASE, $engine, $namespace, $server->socket) . Servers::PATIENTLY;
    }
}
