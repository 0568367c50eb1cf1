<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Cache;
use Larder\Tests\Servers;

/** The stores over which both adapters are tested, each opened with a namespace of its own. */
enum Place
{
    case Array;
    case Larder;
    case Apcu;
    case Memcached;
    case Redis;
    case Sqlite;
    case File;
    case PhpFile;

    public function open(): Cache
    {
        $namespace = '?namespace=psr' . bin2hex(random_bytes(4));

        return Cache::open(match ($this) {
            self::Array => 'array:',
            self::Larder => 'larder:' . $namespace,
            self::Apcu => 'apcu:' . $namespace,
            self::Memcached => 'memcached://' . Servers::memcached()->socket . $namespace,
            self::Redis => 'redis://' . Servers::redis()->socket . $namespace,
            self::Sqlite => \sprintf('sqlite://%s/cache.sqlite%s', Servers::directory('psr-sqlite'), $namespace),
            self::File => \sprintf('file://%s%s', Servers::directory('psr-files'), $namespace),
            self::PhpFile => \sprintf('php-file://%s%s', Servers::directory('psr-php-files'), $namespace),
        });
    }
}
