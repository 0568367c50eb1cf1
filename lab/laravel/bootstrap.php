<?php

declare(strict_types=1);

/* For Laravel's own tests, in which lab/laravel/prove puts TestedStore::open() in the place of new ArrayStore(). */

use Larder\Cache;
use Larder\Laravel\LarderCacheStore;

require __DIR__ . '/../../vendor/autoload.php';
require __DIR__ . '/../../var/laravel/vendor/autoload.php';

final class TestedStore
{
    public static function open(): LarderCacheStore
    {
        $store = new LarderCacheStore(Cache::open((string) getenv('LARDER_TEST_STORE')));
        $store->flush();
        $store->flushLocks();

        return $store;
    }
}
