<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\BorrowedClient;
use Larder\Internal\Driver\ClientDriver;
use Predis\ClientInterface;
use Redis;
use RedisCluster;

/**
 * Redis and Valkey servers through a client of the application: phpredis and its RedisCluster, objects with the same
 * methods, or Predis.
 */
final class BorrowedRedisDriver implements ClientDriver
{
    /** They have the methods of phpredis, and are not tested. */
    private const ALIKE = ['Relay\Relay', 'ValkeyGlide'];

    public function clients(): array
    {
        return [Redis::class, RedisCluster::class, ClientInterface::class, ...self::ALIKE];
    }

    public function scheme(): Scheme
    {
        return new Scheme('redis', ['namespace', ...Scheme::CODEC_OPTIONS, 'on_failure'], isRemote: true);
    }

    public function over(BorrowedClient $client, Dsn $dsn, Opener $opener): Store
    {
        $class = match (true) {
            is_a($client->class, ClientInterface::class, true) => BorrowedPredis::class,
            is_a($client->class, RedisCluster::class, true) => BorrowedCluster::class,
            default => BorrowedPhpredis::class,
        };
        $connection = new $class($client);

        return $opener->withOwnBreaker(
            new RedisStore($connection, $dsn->namespace(), $opener->codec($dsn, $connection->database(...))),
            $dsn,
        );
    }
}
