<?php

declare(strict_types=1);

namespace Larder\Tool\Figures;

use Larder\Tool\Server\MemcachedServer;
use Larder\Tool\Server\RedisServer;
use Larder\Tool\TemporaryDirectory;

/** What somebody would write who needs one place and nothing else: the client alone, over a server of its own. */
final class BareClient
{
    /**
     * @param string $address of the same place, for the library
     * @param \Closure(): mixed $value what is stored
     * @param \Closure(int): void $gets so many times
     * @param \Closure(mixed): (\Closure(int): void) $sets of a value, so many times
     * @param \Closure(): void $stop
     */
    private function __construct(
        public readonly string $address,
        public readonly \Closure $value,
        public readonly \Closure $gets,
        public readonly \Closure $sets,
        private readonly \Closure $stop,
    ) {}

    public function stop(): void
    {
        ($this->stop)();
    }

    public static function redis(TemporaryDirectory $directory): self
    {
        $server = RedisServer::start($directory->add('redis'));
        $client = new \Redis();
        $client->connect($server->socket);
        $client->setOption(\Redis::OPT_SERIALIZER, \Redis::SERIALIZER_PHP);

        return new self(
            'redis://' . $server->socket,
            static fn(): mixed => $client->get('bare'),
            static function (int $times) use ($client): void {
                for ($i = 0; $i < $times; $i++) {
                    $client->get('bare');
                }
            },
            static fn(mixed $value): \Closure => static function (int $times) use ($client, $value): void {
                for ($i = 0; $i < $times; $i++) {
                    $client->set('bare', $value);
                }
            },
            $server->stop(...),
        );
    }

    public static function memcached(TemporaryDirectory $directory): self
    {
        $server = MemcachedServer::start($directory->add('memcached'));
        $client = new \Memcached();
        $client->addServer($server->socket, 0);
        $client->setOptions([\Memcached::OPT_SERIALIZER => \Memcached::SERIALIZER_PHP, \Memcached::OPT_COMPRESSION => false]);

        return new self(
            'memcached://' . $server->socket,
            static fn(): mixed => $client->get('bare'),
            static function (int $times) use ($client): void {
                for ($i = 0; $i < $times; $i++) {
                    $client->get('bare');
                }
            },
            static fn(mixed $value): \Closure => static function (int $times) use ($client, $value): void {
                for ($i = 0; $i < $times; $i++) {
                    $client->set('bare', $value);
                }
            },
            $server->stop(...),
        );
    }

    /** A file in memory, so that no reader sees half of it: written beside, and renamed into place. */
    public static function file(TemporaryDirectory $directory): self
    {
        $file = $directory->path . '/bare';

        return new self(
            'file://' . $directory->add('larder'),
            static fn(): mixed => unserialize((string) file_get_contents($file)),
            static function (int $times) use ($file): void {
                for ($i = 0; $i < $times; $i++) {
                    unserialize((string) file_get_contents($file));
                }
            },
            static fn(mixed $value): \Closure => static function (int $times) use ($file, $value): void {
                for ($i = 0; $i < $times; $i++) {
                    $beside = "$file." . getmypid();
                    file_put_contents($beside, serialize($value));
                    rename($beside, $file);
                }
            },
            static function (): void {},
        );
    }
}
