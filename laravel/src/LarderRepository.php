<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Session\CacheBasedSessionHandler;
use Larder\Cache;
use Larder\Drivers;
use Larder\Exception\InvalidDsn;

/** A repository in which one process computes a missing value. */
final class LarderRepository extends Repository
{
    use ReadsLarder;

    /** The namespace of an application is "<the DSN's>-<hash>". This many bytes has the hash, at most and at least. */
    private const HASH = 12;
    private const SHORTEST_HASH = 6;
    /** Of both together: 32, without the hyphen, and without "-locks". */
    private const BYTES = 25;

    /** @param array<mixed> $config a store of config/cache.php, with its name */
    public static function open(Application $app, array $config): self
    {
        /** @var Config $settings */
        $settings = $app->make(Config::class);
        $prefix = self::text($config['prefix'] ?? $settings->get('cache.prefix'));
        // Applications of one user share memory, and new ones have equal prefixes.
        $key = self::text($settings->get('app.key'));
        $hash = substr(hash_hmac('sha256', $prefix, $key === '' ? $app->basePath() : $key), 0, self::HASH);
        $dsn = self::text($config['dsn'] ?? ''); // LARDER_DSN= is an empty text
        $dsn = $dsn === '' ? 'auto:' : $dsn;
        $classes = $settings->get('cache.serializable_classes');
        // LarderCacheStore serializes objects by itself then, so all others were there before, or are another's.
        $options = $classes === null || $classes === true ? [] : ['classes' => 'nothing'];
        $store = new LarderCacheStore(
            static fn(bool $throws = false): Cache
                => self::cache($dsn, $hash, $options + ($throws ? ['on_failure' => 'throw'] : [])),
            $prefix,
            $classes,
        );
        $repository = new self($store, ['store' => $config['store'] ?? null]);
        if (($config['events'] ?? true) !== false && $app->bound(Dispatcher::class)) {
            /** @var Dispatcher $events */
            $events = $app->make(Dispatcher::class);
            $repository->setEventDispatcher($events);
        }

        return $repository;
    }

    /** For session.driver: sessions in the cache store that session.store names. */
    public static function sessions(Application $app): CacheBasedSessionHandler
    {
        /** @var Config $settings */
        $settings = $app->make(Config::class);
        $name = self::text($settings->get('session.store'));
        /** @var CacheManager $caches */
        $caches = $app->make(CacheManager::class);
        $cache = clone $caches->store($name === '' ? 'larder' : $name);
        $store = $cache->getStore();
        if ($store instanceof LarderCacheStore) {
            $cache->setStore($store->forSessions());
        }

        return new CacheBasedSessionHandler($cache, (int) self::text($settings->get('session.lifetime')));
    }

    /**
     * @param array<string, string> $options for each DSN that may have it, and does not
     * @throws InvalidDsn
     */
    private static function cache(#[\SensitiveParameter] string $dsn, string $hash, array $options): Cache
    {
        if (($dsn === 'auto:' && \extension_loaded('larder')) || $dsn === 'larder:') {
            return Cache::open("larder:?namespace=larder-$hash"); // the library does not parse this form
        }
        foreach ($options as $option => $value) {
            $dsn = self::with($option, $value, $dsn);
        }
        if (preg_match('~[?&]serializer=igbinary(&[^()]*)?&classes=nothing~', $dsn) === 1) {
            throw new InvalidDsn('cache.serializable_classes is set, and the DSN has serializer=igbinary, which cannot '
                . 'limit classes: take it out of the DSN, or set cache.serializable_classes to null');
        }
        preg_match_all('~[?&]namespace=([^&()]*)~', $dsn, $namespaces);
        $left = self::BYTES - max([0, ...array_map(\strlen(...), $namespaces[1])]);
        if ($left < self::SHORTEST_HASH) {
            throw new InvalidDsn(\sprintf('The namespace in a DSN has %d characters at most in Laravel, because hash and '
                . '-locks follow it: take a shorter one', self::BYTES - self::SHORTEST_HASH));
        }

        return Cache::open($dsn)->withSubNamespace(substr($hash, 0, $left));
    }

    private static function with(string $option, string $value, #[\SensitiveParameter] string $dsn): string
    {
        $scheme = (new Drivers())->scheme(strtolower((string) strstr($dsn, ':', true)));
        if ($scheme !== null && $scheme->nesting !== '') {
            return (string) preg_replace_callback(
                '~\(((?:[^()]++|(?R))*+)\)~',
                static fn(array $nested): string => '(' . self::with($option, $value, $nested[1]) . ')',
                $dsn,
            );
        }
        if (!\in_array($option, $scheme->options ?? [], true) || preg_match("~[?&]$option=~", $dsn) === 1) {
            return $dsn;
        }
        [$place, $options] = [...explode('?', $dsn, 2), ''];

        return "$place?" . ($options === '' ? '' : "$options&") . "$option=$value";
    }

    private static function text(mixed $setting): string
    {
        return \is_scalar($setting) ? (string) $setting : '';
    }
}
