<?php

declare(strict_types=1);

namespace Larder\Cli\Doctor;

use Larder\Cache;
use Larder\Cli\TemporaryDirectory;
use Larder\Driver\Scheme;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\SharingScope;

/** Every store of the library, tried where it usually is: a value of its own is stored, read and deleted. */
final class Stores
{
    private const MEMCACHED = [['/run/memcached/memcached.sock'], '127.0.0.1:11211'];
    private const REDIS = [['/run/redis/redis-server.sock', '/run/redis/redis.sock', '/run/valkey/valkey.sock'], '127.0.0.1:6379'];
    private const MYSQL = ['/run/mysqld/mysqld.sock', '127.0.0.1:3306'];
    /** Seconds to wait for a server of this machine. */
    private const TIMEOUT = '0.5';

    /** @return iterable<Finding> */
    public static function all(): iterable
    {
        foreach (['larder', 'apcu', 'yac', 'shmop'] as $store) {
            $finding = self::attempt($store, $store . ':', '');
            $isExclusive = $store === 'yac' && !\extension_loaded('yac') && \extension_loaded('apcu');
            yield $isExclusive ? new Finding($store, false, $finding->what, $finding->how . ' (Debian removes APCu for it)') : $finding;
        }
        yield self::server('memcached', 'memcached', '', self::MEMCACHED);
        yield self::server('memcache', 'memcache', '', self::MEMCACHED);
        yield self::server('redis', 'redis', '&client=phpredis', self::REDIS);
        yield self::server('predis', 'redis', '&client=predis', self::REDIS);
        yield self::mySql();
        yield self::files('sqlite', '/cache.sqlite');
        yield self::files('file');
        yield self::files('php-file');
    }

    /**
     * @param string $address one that a person gave
     * @throws InvalidDsn
     */
    public static function at(#[\SensitiveParameter] string $address): Finding
    {
        $parsed = Dsn::parse($address);

        return self::attempt($parsed->scheme->value, $address, $parsed->servers === [] ? $parsed->name() : implode(',', $parsed->servers));
    }

    /** Whether what one process stores there, others find. */
    public static function isShared(Scheme $scheme): bool
    {
        return match ($scheme) {
            Scheme::None, Scheme::Array => false,
            Scheme::Apcu, Scheme::Yac => \PHP_SAPI !== 'cli',
            default => true,
        };
    }

    private static function attempt(string $store, #[\SensitiveParameter] string $address, string $place): Finding
    {
        try {
            $cache = Cache::open($address);
            $cache->reach();
        } catch (StoreUnavailable $missing) {
            return new Finding($store, false, $missing->what, $missing->how);
        }
        $key = 'larder-doctor-' . bin2hex(random_bytes(8));
        $isKept = $cache->set($key, $key, 60) && $cache->get($key) === $key;
        $cache->delete($key);
        $scheme = Dsn::parse($address)->scheme;
        if (!$isKept) {
            $reason = $scheme === Scheme::Larder ? larder_info()['reason'] : '';

            return new Finding($store, false, \is_string($reason) && $reason !== '' ? $reason : 'it opens, but did not keep a value');
        }

        return new Finding($store, true, ltrim($place . ', ', ', ') . self::sharers($scheme), $scheme === Scheme::PhpFile ? self::opcache() : '');
    }

    private static function opcache(): string
    {
        return match (true) {
            !\extension_loaded('Zend OPcache') => 'It is slow without opcache. ' . StoreUnavailable::install('opcache'),
            @opcache_get_status(false) === false => \PHP_SAPI === 'cli'
                ? 'It is slow without opcache. On the command line it is on with: php -d opcache.enable_cli=1'
                : 'It is slow without opcache. Set opcache.enable=1 in php.ini',
            default => '',
        };
    }

    /** @param array{list<string>, string} $places sockets and a host, of which the first that answers is taken */
    private static function server(string $store, string $scheme, string $options, array $places): Finding
    {
        [$sockets, $host] = $places;
        $at = static fn(string $place): Finding => self::attempt($store, \sprintf('%s://%s?timeout=%s%s', $scheme, $place, self::TIMEOUT, $options), $place);
        foreach (array_filter($sockets, file_exists(...)) as $socket) {
            $finding = $at($socket);
            if ($finding->isUsable === true) {
                return $finding;
            }
        }
        $finding = $at($host);
        if ($finding->isUsable === true) {
            return $finding;
        }
        $absent = implode(', ', array_filter($sockets, static fn(string $socket): bool => !file_exists($socket)));
        $hasClient = \in_array($store, ['predis', 'memcache'], true) || \extension_loaded($store);

        return new Finding($store, false, $finding->what . ($absent !== '' && $hasClient ? ', no socket ' . $absent : ''), $finding->how);
    }

    private static function mySql(): Finding
    {
        try {
            StoreUnavailable::unlessLoaded('mysql', 'pdo_mysql', 'mysql');
        } catch (StoreUnavailable $missing) {
            return new Finding('mysql', false, $missing->what, $missing->how);
        }
        foreach (self::MYSQL as $place) {
            if (@stream_socket_client((str_starts_with($place, '/') ? 'unix://' : 'tcp://') . $place, timeout: (float) self::TIMEOUT) !== false) {
                return new Finding('mysql', null, \sprintf('a server listens at %s', $place), 'To try it: larder doctor mysql://user:password@127.0.0.1/database');
            }
        }

        return new Finding('mysql', false, 'no server listens at ' . implode(' or ', self::MYSQL), 'To have one: apt-get install mariadb-server');
    }

    private static function files(string $store, string $file = ''): Finding
    {
        try {
            $directory = new TemporaryDirectory();
        } catch (\RuntimeException $none) {
            return new Finding($store, false, $none->getMessage(), 'Name a directory that you can write: TMPDIR=/path');
        }
        $path = implode('/', array_map(rawurlencode(...), explode('/', $directory->path . $file)));

        return self::attempt($store, \sprintf('%s://%s', $store, $path), '');
    }

    private static function sharers(Scheme $scheme): string
    {
        return match ($scheme) {
            Scheme::Memcached, Scheme::Memcache, Scheme::Redis, Scheme::MySql => 'shared by all who reach the server',
            Scheme::Apcu, Scheme::Yac => self::isShared($scheme) ? 'shared by the workers of one FPM master' : 'on the command line for one process alone',
            Scheme::None, Scheme::Array => 'for one process alone',
            Scheme::Tier => 'copies of what the shared tier keeps',
            Scheme::Auto => 'see below',
            default => \sprintf('shared by all processes of %s', SharingScope::cache($scheme)),
        };
    }
}
