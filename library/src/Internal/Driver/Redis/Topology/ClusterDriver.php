<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Redis\RedisDriver;
use Larder\Internal\Driver\Redis\ServerRole;
use Larder\Server\ConnectionSettings;

/**
 * redis+cluster: a cluster of Redis or Valkey, through the extension redis or Predis. The DSN names some of its
 * servers.
 */
final class ClusterDriver extends TopologyDriver
{
    public function scheme(): Scheme
    {
        return new Scheme('redis+cluster', self::OPTIONS, isRemote: true);
    }

    public function question(): array
    {
        return ['CLUSTER', 'SLOTS'];
    }

    protected function role(): ServerRole
    {
        return ServerRole::ClusterMaster;
    }

    protected function named(Dsn $dsn): array
    {
        $servers = $dsn->hosts(RedisDriver::PORT);
        if ($servers === [] || !\in_array($dsn->rest, ['', '/'], true)) {
            throw $dsn->invalid(
                'does not name some servers of the cluster, and nothing behind them: '
                    . 'redis+cluster://10.0.0.5:6379,10.0.0.6:6379',
            );
        }

        return $servers;
    }

    protected function discovery(Dsn $dsn, array $named, ConnectionSettings $settings): \Closure
    {
        return (new ClusterDiscovery(array_map(strval(...), $named), $settings))->ask(...);
    }
}
