<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;

/**
 * The pages of the study "sail", those of the engine, and two that no page can beat. Each client is used as its manual
 * shows.
 */
final class Pages
{
    /** Name of the study's value. */
    public const SHORT = '11 b';

    /** Value with the size of many pages today. */
    public const LONG = '60 KB';

    private const LONG_BYTES = 60 * 1024;

    /** @return array<string, string> expected bodies of the pages, by name */
    public static function bodies(): array
    {
        $long = '';
        // text that a compressor cannot reduce to almost nothing
        for ($line = 0; \strlen($long) < self::LONG_BYTES; ++$line) {
            $long .= \sprintf("<p>%s</p>\n", hash('sha256', (string) $line));
        }

        return [self::SHORT => 'Hello world', self::LONG => substr($long, 0, self::LONG_BYTES)];
    }

    /** @return array<string, string> values in the stores, by key */
    public static function values(): array
    {
        $values = [];
        foreach (self::bodies() as $body) {
            $values[self::key($body)] = $body;
        }

        return $values;
    }

    /**
     * @param string $directory of the values
     * @return list<Page>
     */
    public static function all(string $directory, RedisServer $redis, MemcachedServer $memcached): array
    {
        $pages = [new Page('empty', null, '', null, '', '')];
        $host = Address::HOST;
        foreach (self::bodies() as $name => $body) {
            $key = self::key($body);
            array_push(
                $pages,
                new Page('literal', null, '', $name, $body, \sprintf('echo %s;', var_export($body, true))),
                new Page('file', 'disk', '', $name, $body, "readfile('$directory/$key.value');"),
                new Page('larder', null, 'larder', $name, $body, "echo larder_fetch('$key');"),
                new Page('apcu', null, 'apcu', $name, $body, "echo apcu_fetch('$key');"),
                new Page('memcached', 'tcp', 'memcached', $name, $body, <<<PHP
                    \$memcached = new Memcached();
                    \$memcached->addServer('$host', {$memcached->port});
                    echo \$memcached->get('$key');
                    PHP),
                new Page('memcached', 'socket', 'memcached', $name, $body, <<<PHP
                    \$memcached = new Memcached('persistent');
                    if (\$memcached->getServerList() === []) {
                        \$memcached->addServer('{$memcached->socket}', 0);
                    }
                    echo \$memcached->get('$key');
                    PHP, isPersistent: true),
                new Page('redis', 'tcp', 'redis', $name, $body, <<<PHP
                    \$redis = new Redis();
                    \$redis->connect('$host', {$redis->port});
                    echo \$redis->get('$key');
                    PHP),
                new Page('redis', 'socket', 'redis', $name, $body, <<<PHP
                    \$redis = new Redis();
                    \$redis->pconnect('{$redis->socket}');
                    echo \$redis->get('$key');
                    PHP, isPersistent: true),
            );
        }

        return $pages;
    }

    private static function key(string $body): string
    {
        return 'page-' . \strlen($body);
    }
}
