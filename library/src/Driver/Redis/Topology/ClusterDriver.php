<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Redis\RedisDriver;
use Larder\Driver\Redis\ServerRole;
use Larder\Driver\Redis\TellsOfChanges;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;

/** redis+cluster: a cluster of Redis or Valkey, by the extension redis or by Predis. The DSN names some of its servers. */
final class ClusterDriver implements Driver, TellsOfChanges
{
    public function scheme(): Scheme
    {
        return new Scheme('redis+cluster', Routes::OPTIONS, isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        return Routes::open($dsn, $opener, self::discovery($dsn), ServerRole::ClusterMaster, self::seeds($dsn)[0]);
    }

    public function variants(): array
    {
        return [];
    }

    public function written(Dsn $dsn): array
    {
        return array_map(Endpoint::parse(...), self::discovery($dsn)->ask([], [])->masters());
    }

    public function question(): array
    {
        return ['CLUSTER', 'SLOTS'];
    }

    private static function discovery(Dsn $dsn): ClusterDiscovery
    {
        return new ClusterDiscovery(array_map(strval(...), self::seeds($dsn)), $dsn->user, $dsn->password(), $dsn->timeout());
    }

    /** @return non-empty-list<Endpoint> */
    private static function seeds(Dsn $dsn): array
    {
        $servers = $dsn->hosts(RedisDriver::PORT);
        if ($servers === [] || !\in_array($dsn->rest, ['', '/'], true)) {
            throw $dsn->invalid('does not name some servers of the cluster, and nothing behind them: redis+cluster://10.0.0.5:6379,10.0.0.6:6379');
        }

        return $servers;
    }
}
