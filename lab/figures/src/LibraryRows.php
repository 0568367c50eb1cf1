<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cache;
use Larder\Cli\Compare\Value;
use Larder\Psr\SimpleCache;
use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Cache\Psr16Cache;

/** Gets of the library, compared with fetches from the engine and with symfony/cache, for each value of the studies. */
final class LibraryRows
{
    /** @return non-empty-list<Row> */
    public static function all(): array
    {
        $rows = [];
        foreach (Value::all() as $name => $value) {
            $short = strtr($name, ' ', '-');
            array_push(
                $rows,
                new Row("get-$short", "Cache::get, $name", 'larder_fetch', null, [], static fn(int $rounds): array => self::besideFetch(self::get(...), $value, $rounds), more: 40.0),
                new Row("psr16-$short", "PSR-16 get, $name", 'larder_fetch', null, [], static fn(int $rounds): array => self::besideFetch(self::psr16(...), $value, $rounds), more: 80.0),
                new Row("get-symfony-$short", "Cache::get, $name", 'symfony/cache ApcuAdapter', 0.5, [], static fn(int $rounds): array => self::besideSymfony(self::get(...), self::item(...), $value, $rounds)),
                new Row("psr16-symfony-$short", "PSR-16 get, $name", 'symfony/cache Psr16Cache', 0.5, [], static fn(int $rounds): array => self::besideSymfony(self::psr16(...), self::psr16OfSymfony(...), $value, $rounds)),
            );
        }

        return $rows;
    }

    /**
     * @param \Closure(Cache): (\Closure(int): void) $ours
     * @return non-empty-list<array{float, float}>
     */
    private static function besideFetch(\Closure $ours, Value $value, int $rounds): array
    {
        $fetch = static function (int $times): void {
            for ($i = 0; $i < $times; $i++) {
                \larder_fetch('figure');
            }
        };

        return Pair::measure($ours(self::cache($value)), $fetch, $rounds);
    }

    /**
     * @param \Closure(Cache): (\Closure(int): void) $ours
     * @param \Closure(ApcuAdapter): (\Closure(int): void) $theirs
     * @return non-empty-list<array{float, float}>
     */
    private static function besideSymfony(\Closure $ours, \Closure $theirs, Value $value, int $rounds): array
    {
        if (!class_exists(ApcuAdapter::class)) {
            throw new \RuntimeException('symfony/cache is not installed: composer require --dev symfony/cache');
        }
        $pool = new ApcuAdapter('figures');
        $pool->save($pool->getItem('figure')->set($value->make(0)));
        if ($pool->getItem('figure')->get() !== $value->make(0)) {
            throw new \RuntimeException('symfony/cache gave back another value');
        }

        return Pair::measure($ours(self::cache($value)), $theirs($pool), $rounds);
    }

    private static function cache(Value $value): Cache
    {
        $cache = Cache::open('larder:');
        $cache->set('figure', $value->make(0));
        if ($cache->get('figure') !== $value->make(0)) {
            throw new \RuntimeException('the value came back changed');
        }

        return $cache;
    }

    /** @return \Closure(int): void */
    private static function get(Cache $cache): \Closure
    {
        return static function (int $times) use ($cache): void {
            for ($i = 0; $i < $times; $i++) {
                $cache->get('figure');
            }
        };
    }

    /** @return \Closure(int): void */
    private static function psr16(Cache $cache): \Closure
    {
        $psr = new SimpleCache($cache);

        return static function (int $times) use ($psr): void {
            for ($i = 0; $i < $times; $i++) {
                $psr->get('figure');
            }
        };
    }

    /** @return \Closure(int): void */
    private static function item(ApcuAdapter $pool): \Closure
    {
        return static function (int $times) use ($pool): void {
            for ($i = 0; $i < $times; $i++) {
                $pool->getItem('figure')->get();
            }
        };
    }

    /** @return \Closure(int): void */
    private static function psr16OfSymfony(ApcuAdapter $pool): \Closure
    {
        $psr = new Psr16Cache($pool);

        return static function (int $times) use ($psr): void {
            for ($i = 0; $i < $times; $i++) {
                $psr->get('figure');
            }
        };
    }
}
