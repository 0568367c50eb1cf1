<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;

/** The client code of a program that needs only one store, over a private server. */
final class BareClient
{
    /**
     * @param string $address DSN of the same store, for the library
     * @param \Closure(): mixed $value reads the stored value
     * @param \Closure(int): void $gets makes this many gets
     * @param \Closure(mixed): (\Closure(int): void) $sets returns a closure that sets the value this many times
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

    /** @param 'php'|'igbinary' $serializer */
    public static function redis(TemporaryDirectory $directory, string $serializer): self
    {
        $server = RedisServer::start($directory->add('redis'));
        $client = new \Redis();
        $client->connect($server->socket);
        $client->setOption(\Redis::OPT_SERIALIZER, $serializer === 'php' ? \Redis::SERIALIZER_PHP : \Redis::SERIALIZER_IGBINARY);

        return self::of($client, "redis://$server->socket?serializer=$serializer", $server->stop(...));
    }

    /** @param 'php'|'igbinary' $serializer */
    public static function memcached(TemporaryDirectory $directory, string $serializer): self
    {
        $server = MemcachedServer::start($directory->add('memcached'));
        $client = new \Memcached();
        $client->addServer($server->socket, 0);
        $client->setOptions([\Memcached::OPT_SERIALIZER => $serializer === 'php' ? \Memcached::SERIALIZER_PHP : \Memcached::SERIALIZER_IGBINARY, \Memcached::OPT_COMPRESSION => false]);

        return self::of($client, "memcached://$server->socket?serializer=$serializer", $server->stop(...));
    }

    /**
     * Files in memory, named by a hash of the key. A file is written under another name and then renamed, so that a
     * reader never sees a partial file.
     *
     * @param 'php'|'igbinary' $serializer
     */
    public static function file(TemporaryDirectory $directory, string $serializer): self
    {
        $folder = $directory->add('bare');
        $serialize = $serializer === 'php' ? serialize(...) : igbinary_serialize(...);
        $unserialize = $serializer === 'php' ? unserialize(...) : igbinary_unserialize(...);

        return new self(
            "file://{$directory->add('larder')}?serializer=$serializer",
            static fn(): mixed => $unserialize((string) file_get_contents("$folder/" . hash('xxh128', 'bare'))),
            static function (int $times) use ($folder, $unserialize): void {
                for ($i = 0; $i < $times; $i++) {
                    $unserialize((string) file_get_contents("$folder/" . hash('xxh128', 'bare')));
                }
            },
            static fn(mixed $value): \Closure => static function (int $times) use ($folder, $value, $serialize): void {
                for ($i = 0; $i < $times; $i++) {
                    $file = "$folder/" . hash('xxh128', 'bare');
                    $beside = "$file." . getmypid();
                    file_put_contents($beside, $serialize($value));
                    rename($beside, $file);
                }
            },
            static function (): void {},
        );
    }

    /** @param \Closure(): void $stop */
    private static function of(\Redis|\Memcached $client, string $address, \Closure $stop): self
    {
        return new self(
            $address,
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
            $stop,
        );
    }
}
