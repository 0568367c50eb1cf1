<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;
use Illuminate\Console\Events\CommandStarting;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Session\CacheBasedSessionHandler;
use Illuminate\Session\SessionManager;
use Illuminate\Support\ServiceProvider;
use Larder\Internal\Driver\Engine\Segments;

/**
 * The driver "larder" of caches and of sessions. Nothing is opened before the first call of a store, so commands that
 * build an application need neither the engine nor a server.
 */
final class LarderServiceProvider extends ServiceProvider
{
    /** Commands that work by the cache. Each user has a cache of its own. */
    private const COMMANDS = [
        'cache:clear', 'cache:forget', 'optimize:clear', 'queue:pause', 'queue:restart', 'queue:resume', 'reload',
        'schedule:clear-cache', 'schedule:interrupt',
    ];

    public function register(): void
    {
        $this->mergeConfigFrom(\dirname(__DIR__) . '/config/stores.php', 'cache.stores');
        // No closure is static, because Laravel binds them.
        $this->callAfterResolving('cache', function (CacheManager $caches): void {
            $caches->extend('larder', fn(Application $app, array $config): Repository
                => LarderRepository::open($app, $config));
        });
        $this->callAfterResolving('session', function (SessionManager $sessions): void {
            $sessions->extend('larder', fn(Application $app): CacheBasedSessionHandler
                => LarderRepository::sessions($app));
        });
    }

    public function boot(): void
    {
        if ($this->app->runningInConsole() && \extension_loaded('larder')) {
            /** @var Dispatcher $events */
            $events = $this->app->make(Dispatcher::class);
            $events->listen(CommandStarting::class, $this->warn(...));
        }
    }

    private function warn(CommandStarting $starting): void
    {
        /** @var Config $settings */
        $settings = $this->app->make(Config::class);
        $isByCache = \in_array($starting->command, self::COMMANDS, true)
            || (\in_array($starting->command, ['down', 'up'], true)
                && $settings->get('app.maintenance.driver') === 'cache');
        $store = $settings->get('cache.default');
        if ($isByCache && \is_string($store) && $settings->get("cache.stores.$store.driver") === 'larder') {
            Segments::warnWhoClears();
        }
    }
}
