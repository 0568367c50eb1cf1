<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Illuminate\Cache\ApcStore;
use Illuminate\Cache\ApcWrapper;
use Illuminate\Cache\FileStore;
use Illuminate\Cache\RedisStore;
use Illuminate\Cache\Repository;
use Illuminate\Container\Container;
use Illuminate\Filesystem\Filesystem;
use Illuminate\Redis\RedisManager;
use Larder\Cache;
use Larder\Cli\Measure\Unavailable;
use Larder\Psr\SimpleCache;
use Psr\SimpleCache\CacheInterface;
use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Cache\Adapter\FilesystemAdapter;
use Symfony\Component\Cache\Adapter\PhpFilesAdapter;
use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Psr16Cache;

/** Caching libraries, each through its PSR-16 interface, as programs use it. */
enum Peer: string
{
    case Larder = 'larder/larder';
    case Symfony = 'symfony/cache';
    case Illuminate = 'illuminate/cache';

    /** Stores that each library supports, by Larder's names. */
    private const STORES = [
        'larder/larder' => ['larder', 'apcu', 'redis', 'file', 'php-file'],
        'symfony/cache' => ['apcu', 'redis', 'file', 'php-file'],
        'illuminate/cache' => ['apcu', 'redis', 'file'],
    ];

    /** @return list<string> */
    public function stores(): array
    {
        return self::STORES[$this->value];
    }

    /**
     * @param string $dsn of the store, for Larder
     * @param string $path of the server's socket or of a directory; empty for memory
     * @throws Unavailable when the package is not installed
     */
    public function open(string $store, string $dsn, string $path): CacheInterface
    {
        return match ($this) {
            self::Larder => new SimpleCache(Cache::open($dsn)),
            self::Symfony => self::symfony($store, $path),
            self::Illuminate => self::illuminate($store, $path),
        };
    }

    private static function symfony(string $store, string $path): CacheInterface
    {
        if (!class_exists(Psr16Cache::class)) {
            throw new Unavailable(
                'the package symfony/cache is not installed. To add it: composer require --dev symfony/cache',
            );
        }

        return new Psr16Cache(match ($store) {
            'apcu' => new ApcuAdapter('peers'),
            'redis' => new RedisAdapter(RedisAdapter::createConnection('redis://' . $path), 'peers'),
            'file' => new FilesystemAdapter('peers', 0, $path),
            'php-file' => new PhpFilesAdapter('peers', 0, $path),
            default => throw new \LogicException($store),
        });
    }

    private static function illuminate(string $store, string $path): CacheInterface
    {
        $unpacked = \dirname(__DIR__, 3) . '/var/laravel/vendor/autoload.php';
        if (!class_exists(Repository::class) && is_file($unpacked)) {
            require $unpacked;
        }
        if (!class_exists(Repository::class)) {
            throw new Unavailable(
                'the package illuminate/cache is not installed. '
                    . 'To add it: lab/software/laravel (in a clone of Larder), '
                    . 'or composer require --dev illuminate/cache',
            );
        }

        return new Repository(match ($store) {
            'apcu' => new ApcStore(new ApcWrapper(), 'peers'),
            'redis' => new RedisStore(
                new RedisManager(
                    new Container(),
                    'phpredis',
                    ['default' => ['host' => $path, 'port' => 0, 'scheme' => 'unix']],
                ),
                'peers',
            ),
            'file' => new FileStore(new Filesystem(), $path),
            default => throw new \LogicException($store),
        });
    }
}
