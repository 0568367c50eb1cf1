<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\TemporaryDirectory;

/**
 * What the examples of the pages take for granted: servers at their usual places. Private ones are started when
 * an example first names one, and put in its place. They end with this object.
 */
final class Surroundings
{
    private ?TemporaryDirectory $folder = null;
    private ?RedisServer $redis = null;
    private ?MemcachedServer $memcached = null;
    private ?MariaDbServer $mariaDb = null;

    public function __destruct()
    {
        $this->redis?->stop();
        $this->memcached?->stop();
        $this->mariaDb?->stop();
    }

    /** The example with the addresses of the private servers. */
    public function place(string $code): string
    {
        $usual = [
            '//127.0.0.1:6379' => fn(): string => '//127.0.0.1:' . $this->redis()->port,
            '/run/redis/redis.sock' => fn(): string => $this->redis()->socket,
            '//127.0.0.1:11211' => fn(): string => '//127.0.0.1:' . $this->memcached()->port,
            '/run/memcached/memcached.sock' => fn(): string => $this->memcached()->socket,
            '//user:password@127.0.0.1/database' => function (): string {
                $server = $this->mariaDb();

                return \sprintf('//%s:%s@127.0.0.1:%d/%s', $server::USER, $server->password, $server->port, $server::DATABASE);
            },
        ];
        foreach ($usual as $place => $private) {
            if (str_contains($code, $place)) {
                $code = str_replace($place, $private(), $code);
            }
        }

        return $code;
    }

    private function redis(): RedisServer
    {
        return $this->redis ??= RedisServer::start($this->folder('redis'));
    }

    private function memcached(): MemcachedServer
    {
        return $this->memcached ??= MemcachedServer::start($this->folder('memcached'));
    }

    private function mariaDb(): MariaDbServer
    {
        return $this->mariaDb ??= MariaDbServer::start($this->folder('mariadb'));
    }

    private function folder(string $name): string
    {
        $this->folder ??= new TemporaryDirectory();

        return $this->folder->add($name);
    }
}
