<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Held;

use Larder\Contract\Store;
use Larder\Driver\ClientDriver;
use Larder\Driver\HeldClient;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Predis\ClientInterface;
use Redis;
use RedisCluster;

/** Redis and Valkey servers by a client of the application: phpredis and its RedisCluster, what has the same methods, or Predis. */
final class HeldRedisDriver implements ClientDriver
{
    /** With the methods of phpredis, and not tried. */
    private const ALIKE = ['Relay\Relay', 'ValkeyGlide'];

    public function clients(): array
    {
        return [Redis::class, RedisCluster::class, ClientInterface::class, ...self::ALIKE];
    }

    public function scheme(): Scheme
    {
        return new Scheme('redis', ['namespace', ...Scheme::CODEC_OPTIONS, 'on_failure'], isRemote: true);
    }

    public function over(HeldClient $client, Dsn $dsn, Opener $opener): Store
    {
        $class = match (true) {
            is_a($client->class, ClientInterface::class, true) => HeldPredisStore::class,
            is_a($client->class, RedisCluster::class, true) => HeldClusterStore::class,
            default => HeldRedisStore::class,
        };

        return $opener->withOwnBreaker(new $class($client, $dsn->namespace(), $opener->codec($dsn)), $dsn);
    }
}
