<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Redis\ServerRole;
use Larder\Driver\Redis\TellsOfChanges;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;

/** redis+sentinel: the master that sentinels watch under a name. The DSN names the sentinels. */
final class SentinelDriver implements Driver, TellsOfChanges
{
    private const PORT = 26_379;

    public function scheme(): Scheme
    {
        return new Scheme('redis+sentinel', [...Routes::OPTIONS, 'database'], isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        return Routes::open($dsn, $opener, self::discovery($dsn), ServerRole::Master, $dsn->hosts(self::PORT)[0] ?? throw self::incomplete($dsn));
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
        return ['ROLE'];
    }

    private static function discovery(Dsn $dsn): SentinelDiscovery
    {
        $sentinels = $dsn->hosts(self::PORT);
        $name = substr($dsn->name(), 1);
        if ($sentinels === [] || $name === '') {
            throw self::incomplete($dsn);
        }

        return new SentinelDiscovery($sentinels, $name, Routes::readsReplicas($dsn), '', '', $dsn->timeout());
    }

    private static function incomplete(Dsn $dsn): InvalidDsn
    {
        return $dsn->invalid('does not name sentinels and the name of the master: redis+sentinel://10.0.0.5:26379,10.0.0.6:26379/mymaster');
    }
}
