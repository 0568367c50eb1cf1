<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Driver\ExaminesServers;
use Larder\Driver\Opener;
use Larder\Driver\Redis\Examination;
use Larder\Driver\Redis\ServerRole;
use Larder\Driver\Redis\TellsOfChanges;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Server\ConnectionSettings;
use Larder\Server\Credentials;

/** redis+sentinel: the master that sentinels watch under a name. The DSN names the sentinels. */
final class SentinelDriver implements ExaminesServers, TellsOfChanges
{
    private const PORT = 26_379;

    public function scheme(): Scheme
    {
        return new Scheme('redis+sentinel', [...Routes::OPTIONS, ...Scheme::SENTINEL_OPTIONS, 'database', 'master'], isRemote: true, path: 'master');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $settings = $opener->connection($dsn, self::sentinels($dsn)[0]);

        return Routes::open($dsn, $opener, self::discovery($dsn, $settings), ServerRole::Master, $settings);
    }

    public function variants(): array
    {
        return [];
    }

    public function written(Dsn $dsn): \Closure
    {
        $settings = ConnectionSettings::of($dsn, self::sentinels($dsn)[0]);

        return Routes::masters(self::discovery($dsn, $settings), $settings);
    }

    public function examine(Dsn $dsn): array
    {
        return Examination::ofAll($this, $dsn, ServerRole::Master);
    }

    public function question(): array
    {
        return ['ROLE'];
    }

    /** @param ConnectionSettings $settings of the servers: the sentinels are other servers, with another login or none */
    private static function discovery(Dsn $dsn, ConnectionSettings $settings): SentinelDiscovery
    {
        $credentials = Credentials::inFiles('', $dsn->options['sentinel_password_file'] ?? '', $dsn->options['sentinel_user'] ?? '', options: 'sentinel_');
        $sentinels = array_map(static fn(Endpoint $endpoint): ConnectionSettings
            => new ConnectionSettings($endpoint, $settings->connectTimeout, $settings->readTimeout, credentials: $credentials, tls: $settings->tls), self::sentinels($dsn));

        return new SentinelDiscovery($sentinels, $dsn->options['master'], Routes::readsReplicas($dsn));
    }

    /** @return non-empty-list<Endpoint> */
    private static function sentinels(Dsn $dsn): array
    {
        $sentinels = $dsn->hosts(self::PORT);
        if ($sentinels === [] || ($dsn->options['master'] ?? '') === '') {
            throw $dsn->invalid('does not name sentinels and the name of the master: redis+sentinel://10.0.0.5:26379,10.0.0.6:26379/mymaster');
        }

        return $sentinels;
    }
}
