<?php

/*
 * Each class here runs tests of php-cache or Symfony, which lab/software/cache-tests unpacks, over one store:
 *
 *     LARDER_TEST_STORE=Redis dev/checks/phpunit adapters
 *
 * The store is a name of Larder\Tests\Driver\TestedStore, or a DSN.
 */

declare(strict_types=1);

use Larder\Cache;
use Larder\Tests\Driver\TestedStore;

require __DIR__ . '/../../vendor/autoload.php';
require __DIR__ . '/KeysAreStrings.php';
require __DIR__ . '/../../var/cache-tests/root/usr/share/php/Cache/IntegrationTests/autoload.php';

spl_autoload_register(static function (string $class): void {
    foreach (['Symfony\\Component\\Cache\\Tests\\' => 'symfony', 'Symfony\\Component\\Lock\\Tests\\' => 'lock'] as $prefix => $folder) {
        $file = __DIR__ . "/../../var/cache-tests/$folder/Tests/" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
        }
    }
});

/** The same object in every test, because the values of many stores exist only in the object. */
function tested_cache(): Cache
{
    static $cache = null;
    $name = (string) getenv('LARDER_TEST_STORE');

    return $cache ??= str_contains($name, ':') ? Cache::open($name) : TestedStore::all()[$name]->open('cache-tests');
}
