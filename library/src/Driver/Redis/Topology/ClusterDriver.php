<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Driver\ExaminesServers;
use Larder\Driver\Opener;
use Larder\Driver\Redis\Examination;
use Larder\Driver\Redis\RedisDriver;
use Larder\Driver\Redis\ServerRole;
use Larder\Driver\Redis\TellsOfChanges;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Server\ConnectionSettings;

/** redis+cluster: a cluster of Redis or Valkey, by the extension redis or by Predis. The DSN names some of its servers. */
final class ClusterDriver implements ExaminesServers, TellsOfChanges
{
    public function scheme(): Scheme
    {
        return new Scheme('redis+cluster', Routes::OPTIONS, isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $seeds = self::seeds($dsn);
        $settings = $opener->connection($dsn, $seeds[0]);

        return Routes::open($dsn, $opener, self::discovery($seeds, $settings), ServerRole::ClusterMaster, $settings);
    }

    public function variants(): array
    {
        return [];
    }

    public function written(Dsn $dsn): \Closure
    {
        $seeds = self::seeds($dsn);
        $settings = ConnectionSettings::of($dsn, $seeds[0]);

        return Routes::masters(self::discovery($seeds, $settings), $settings);
    }

    public function examine(Dsn $dsn): array
    {
        return Examination::ofAll($this, $dsn, ServerRole::ClusterMaster);
    }

    public function question(): array
    {
        return ['CLUSTER', 'SLOTS'];
    }

    /** @param non-empty-list<Endpoint> $seeds */
    private static function discovery(array $seeds, ConnectionSettings $settings): ClusterDiscovery
    {
        return new ClusterDiscovery(array_map(strval(...), $seeds), $settings);
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
