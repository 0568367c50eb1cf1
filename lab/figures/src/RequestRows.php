<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\System\Php;
use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;

/**
 * The cost of a cache in one request, since PHP forgets everything after each: autoload, open and the first get. A real
 * worker measures it, compared with symfony/cache over the same kind of store. Both sides keep their connections.
 */
final class RequestRows
{
    /** Requests of each side for one pair. */
    private const REQUESTS = 5;

    private const REDIS = 'Larder\Cache::open("redis://{redis}?persistent=1")';
    private const REDIS_ADAPTER = 'new Symfony\Component\Cache\Adapter\RedisAdapter(Symfony\Component\Cache\Adapter\RedisAdapter::createConnection("redis://{redis}", ["persistent" => 1, "persistent_id" => "figures"]))';
    private const MEMCACHED = 'Larder\Cache::open("memcached://{memcached}?persistent=1")';
    private const MEMCACHED_ADAPTER = 'new Symfony\Component\Cache\Adapter\MemcachedAdapter(Symfony\Component\Cache\Adapter\MemcachedAdapter::createConnection("memcached://{memcached}", ["persistent_id" => "figures"]))';
    private const APCU_ADAPTER = 'new Symfony\Component\Cache\Adapter\ApcuAdapter()';

    /** @return non-empty-list<Row> */
    public static function all(): array
    {
        $rows = [];
        foreach (self::pages() as $name => $page) {
            $rows[] = new Row($name, $page->work, $page->peer, $page->bound, [], static fn(int $rounds): array => self::measure($page, $rounds));
        }

        return $rows;
    }

    /** @return non-empty-array<string, RequestPage> by the row's name */
    public static function pages(): array
    {
        return [
            'autoload' => new RequestPage('autoload alone', 'symfony/cache', '', '', null, '"x123456789"', '"x123456789"', '', ''),
            'larder' => new RequestPage('open larder: and get', 'ApcuAdapter', 'Larder\Cache::open("larder:")', self::APCU_ADAPTER, 0.5),
            'larder-namespace' => new RequestPage('open larder: with a namespace, and get', 'ApcuAdapter with one', 'Larder\Cache::open("larder:?namespace=figures")', 'new Symfony\Component\Cache\Adapter\ApcuAdapter("figures")', 0.75),
            'psr16' => new RequestPage('open larder: and get by PSR-16', 'Psr16Cache, ApcuAdapter', 'new Larder\Psr\SimpleCache(Larder\Cache::open("larder:"))', 'new Symfony\Component\Cache\Psr16Cache(' . self::APCU_ADAPTER . ')', 0.65, readTheirs: '$cache->get("key")', writeTheirs: '$cache->set("key", "x123456789")'),
            'psr6' => new RequestPage('open larder: and get by PSR-6', 'ApcuAdapter', 'new Larder\Psr\ItemPool(Larder\Cache::open("larder:"))', self::APCU_ADAPTER, 0.75, '$cache->getItem("key")->get()', write: '$cache->save($cache->getItem("key")->set("x123456789"))'),
            'auto' => new RequestPage('open the default store and get', 'ApcuAdapter', 'Larder\Cache::open()', self::APCU_ADAPTER, 0.6),
            'apcu' => new RequestPage('open apcu: and get', 'ApcuAdapter', 'Larder\Cache::open("apcu:")', self::APCU_ADAPTER, 0.8),
            'redis' => new RequestPage('open redis: and get', 'RedisAdapter', self::REDIS, self::REDIS_ADAPTER, 0.75),
            'redis-hit' => new RequestPage('open redis: and remember, a hit', 'RedisAdapter', self::REDIS, self::REDIS_ADAPTER, 0.75, ...self::remembered('"key"')),
            'redis-miss' => new RequestPage('open redis: and remember, a miss', 'RedisAdapter', self::REDIS, self::REDIS_ADAPTER, 0.8, ...self::remembered('"key" . hrtime(true)')),
            'memcached' => new RequestPage('open memcached: and get', 'MemcachedAdapter', self::MEMCACHED, self::MEMCACHED_ADAPTER, 0.9),
            'memcached-hit' => new RequestPage('open memcached: and remember, a hit', 'MemcachedAdapter', self::MEMCACHED, self::MEMCACHED_ADAPTER, 0.9, ...self::remembered('"key"')),
            'memcached-miss' => new RequestPage('open memcached: and remember, a miss', 'MemcachedAdapter', self::MEMCACHED, self::MEMCACHED_ADAPTER, 0.9, ...self::remembered('"key" . hrtime(true)')),
            'file' => new RequestPage('open file: and get', 'FilesystemAdapter', 'Larder\Cache::open("file://{folder}")', 'new Symfony\Component\Cache\Adapter\FilesystemAdapter(directory: "{folder}")', 1.3),
            'php-file' => new RequestPage('open php-file: and get', 'PhpFilesAdapter', 'Larder\Cache::open("php-file://{folder}")', 'new Symfony\Component\Cache\Adapter\PhpFilesAdapter(directory: "{folder}")', 1.3),
            'sqlite' => new RequestPage('open sqlite: and get', 'PdoAdapter', 'Larder\Cache::open("sqlite://{folder}/cache.db?persistent=1")', 'new Symfony\Component\Cache\Adapter\PdoAdapter("sqlite:{folder}/cache.db", "", 0, ["db_connection_options" => [\PDO::ATTR_PERSISTENT => true]])', 1.5),
            'pgsql' => new RequestPage('open pgsql: and get', 'PdoAdapter', 'Larder\Cache::open("pgsql://larder:{password}@localhost/larder?socket={pgsql}&persistent=1")', 'new Symfony\Component\Cache\Adapter\PdoAdapter("pgsql:host=" . dirname("{pgsql}") . ";port=" . substr("{pgsql}", strrpos("{pgsql}", ".") + 1) . ";dbname=larder", "", 0, ["db_username" => "larder", "db_password" => "{password}", "db_connection_options" => [\PDO::ATTR_PERSISTENT => true]])', 1.5),
        ];
    }

    /** @return array{read: string, readTheirs: string, write: string, writeTheirs: string} */
    private static function remembered(string $key): array
    {
        [$ours, $theirs] = [
            \sprintf('$cache->remember(%s, 3600, fn() => "x123456789")', $key),
            \sprintf('$cache->get(%s, fn($item) => $item->expiresAfter(3600) ? "x123456789" : null)', $key),
        ];

        return ['read' => $ours, 'readTheirs' => $theirs, 'write' => $ours, 'writeTheirs' => $theirs];
    }

    /** @return non-empty-list<array{float, float, int, int}> nanoseconds, and numbers of loaded files */
    private static function measure(RequestPage $page, int $rounds): array
    {
        $engine = getenv(Php::ENGINE_VARIABLE);
        $rig = RequestRig::start($engine === false ? null : $engine);

        try {
            [$ours, $theirs] = [$rig->page($page, true), $rig->page($page, false)];
            $worker = $rig->worker();
            $sockets = $rig->sockets();
            $pairs = [];
            for ($round = 0; $round < $rounds; ++$round) {
                $sides = Timer::interleave([$ours, $theirs], self::REQUESTS);
                [$mine, $other] = array_map(static fn(array $costs): float => Statistics::median(array_map(static fn(RequestCost $cost): int => $cost->nanoseconds, $costs)), $sides);
                $pairs[] = [$mine, $other, \count($sides[0][0]->files), \count($sides[1][0]->files)];
            }
            if ($rig->worker() !== $worker || $rig->sockets() !== $sockets) {
                throw new \RuntimeException('connections were not kept, or the worker was not');
            }

            return $pairs === [] ? throw new \RuntimeException('no rounds') : $pairs;
        } finally {
            $rig->stop();
        }
    }
}
