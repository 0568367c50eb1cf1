<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Decorator\Breaker\Breaker;
use Larder\Decorator\Breaker\OutageRecord;
use Larder\Driver\Opener;
use Larder\Driver\Redis\PredisStore;
use Larder\Driver\Redis\RedisProtocol;
use Larder\Driver\Redis\RedisStore;
use Larder\Driver\Redis\ServerRole;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** Opens the store of a DSN whose servers are found by asking. */
final class Routes
{
    public const OPTIONS = ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::SERVER_OPTIONS, 'client', 'read'];

    /**
     * @param ServerRole $role of the masters
     * @param Endpoint $first a server of the DSN
     * @throws InvalidDsn|StoreUnavailable
     */
    public static function open(Dsn $dsn, Opener $opener, Discovery $discovery, ServerRole $role, Endpoint $first): Store
    {
        $class = $dsn->choice('client', ['phpredis', 'predis'], 'phpredis') === 'phpredis' ? RedisStore::class : PredisStore::class;
        $database = $role->hasSlots() ? 0 : (int) $dsn->number('database', 0, 0, 1_000_000);
        $codec = $opener->codec($dsn);
        $connect = static function (Endpoint $endpoint, ServerRole $role) use ($class, $dsn, $opener, $codec, $database): Node {
            $server = new $class($endpoint, $dsn->namespace(), $codec, $dsn->timeout(), $dsn->isPersistent(), $dsn->user, $dsn->password(), $database, $role);

            return new Node($server, $opener->withBreaker($server, $dsn, $endpoint, throws: true));
        };
        $way = serialize([$dsn->identity(), $dsn->user, $dsn->password()]);
        $breaker = new Breaker($dsn->scheme, implode(',', $dsn->servers), OutageRecord::ofThisUser($way), $opener->logger(), probe: 1.0 + \count($dsn->servers) * $dsn->timeout());
        $topology = new Topology($discovery, TopologyRecord::ofThisUser($way), $breaker);
        $store = new RoutedStore($topology, $connect, $role, RedisProtocol::prefix($dsn->namespace()), (string) $first, self::readsReplicas($dsn), $dsn->throws());
        $connect($first, $role); // so that a missing client is told now

        return $store;
    }

    /** @throws InvalidDsn */
    public static function readsReplicas(Dsn $dsn): bool
    {
        return $dsn->choice('read', ['master', 'replica'], 'master') === 'replica';
    }
}
