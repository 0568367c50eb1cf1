<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;

/**
 * Servers that the examples of the pages expect at their usual addresses. A private one is started when an example
 * first names it, and its address replaces the usual one. They stop with this object.
 */
final class ExampleServers
{
    private ?TemporaryDirectory $folder = null;
    private ?RedisServer $redis = null;
    private ?RedisNodes $cluster = null;
    private ?MemcachedServer $memcached = null;
    private ?MariaDbServer $mariaDb = null;

    public function __destruct()
    {
        $this->redis?->stop();
        $this->cluster?->stop();
        $this->memcached?->stop();
        $this->mariaDb?->stop();
    }

    /**
     * Returns the example with the addresses of the private servers, and with a timeout longer than stalls of the
     * machine.
     */
    public function apply(string $code): string
    {
        $usual = [
            'redis+cluster://127.0.0.1:7000,127.0.0.1:7001' => fn(): string => \sprintf('redis+cluster://:%s@%s', RedisNodes::PASSWORD, $this->cluster()->addresses()),
            '//127.0.0.1:6379' => fn(): string => '//127.0.0.1:' . $this->redis()->port,
            '/run/redis/redis.sock' => fn(): string => $this->redis()->socket,
            '//127.0.0.1:11211' => fn(): string => '//127.0.0.1:' . $this->memcached()->port,
            '/run/memcached/memcached.sock' => fn(): string => $this->memcached()->socket,
            '//user:password@127.0.0.1/database' => function (): string {
                $server = $this->mariaDb();

                return \sprintf('//%s:%s@127.0.0.1:%d/%s', $server::USER, $server->password, $server->port, $server::DATABASE);
            },
        ];
        foreach ($usual as $address => $private) {
            if (str_contains($code, $address)) {
                $code = str_replace($address, $private(), $code);
            }
        }

        return (string) preg_replace_callback(
            '~\b(redis|memcached|memcache|mysql)://[^\s\'"()]+~',
            static fn(array $dsn): string => str_contains($dsn[0], 'timeout=') ? $dsn[0] : $dsn[0] . (str_contains($dsn[0], '?') ? '&' : '?') . 'timeout=30',
            $code,
        );
    }

    private function redis(): RedisServer
    {
        return $this->redis ??= RedisServer::start($this->folder('redis'));
    }

    private function cluster(): RedisNodes
    {
        return $this->cluster ??= RedisNodes::cluster($this->folder('cluster'), 2);
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
