<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;

/**
 * The page that fills all stores that a site's pages read from. A page must do it, since APCu's memory is the web
 * server's.
 */
final class Filling
{
    public const PATH = '/fill.php';

    /**
     * The code answers with JSON: the loaded extensions, and the file of the engine's segment.
     *
     * @param string $directory of the values: the key with ".value" is the file's name
     */
    public static function code(string $directory, RedisServer $redis, MemcachedServer $memcached): string
    {
        $host = Address::HOST;

        return <<<PHP
            foreach (glob('$directory/*.value') as \$file) {
                \$key = basename(\$file, '.value');
                \$value = file_get_contents(\$file);
                if (extension_loaded('larder')) {
                    larder_store(\$key, \$value);
                }
                if (extension_loaded('apcu')) {
                    apcu_store(\$key, \$value);
                }
                if (extension_loaded('redis')) {
                    \$store = new Redis();
                    \$store->connect('$host', {$redis->port});
                    \$store->set(\$key, \$value);
                }
                if (extension_loaded('memcached')) {
                    \$store = new Memcached();
                    \$store->addServer('$host', {$memcached->port});
                    \$store->set(\$key, \$value);
                    \$store = new Memcached();
                    \$store->addServer('{$memcached->socket}', 0);
                    \$store->set(\$key, \$value);
                }
                if (extension_loaded('memcache')) {
                    \$store = new Memcache();
                    \$store->connect('$host', {$memcached->port});
                    \$store->set('memcache-' . \$key, \$value);
                }
            }
            echo json_encode(['extensions' => get_loaded_extensions(), 'segment' => extension_loaded('larder') ? larder_info()['path'] : null]);
            PHP;
    }
}
