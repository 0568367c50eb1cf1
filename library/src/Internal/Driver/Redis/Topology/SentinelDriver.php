<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Redis\ServerRole;
use Larder\Internal\Server\Credentials;
use Larder\Server\ConnectionSettings;

/** redis+sentinel: the master that sentinels watch under a name. The DSN names the sentinels. */
final class SentinelDriver extends TopologyDriver
{
    private const PORT = 26_379;

    public function scheme(): Scheme
    {
        $options = [...self::OPTIONS, 'sentinel_user', 'sentinel_password_file', 'database', 'master'];

        return new Scheme('redis+sentinel', $options, isRemote: true, path: 'master');
    }

    public function question(): array
    {
        return ['ROLE'];
    }

    protected function role(): ServerRole
    {
        return ServerRole::Master;
    }

    protected function named(Dsn $dsn): array
    {
        $sentinels = $dsn->hosts(self::PORT);
        if ($sentinels === [] || ($dsn->options['master'] ?? '') === '') {
            throw $dsn->invalid(
                'does not name sentinels and the name of the master: '
                    . 'redis+sentinel://10.0.0.5:26379,10.0.0.6:26379/mymaster',
            );
        }

        return $sentinels;
    }

    /** The sentinels are other servers, with another login or none. */
    protected function discovery(Dsn $dsn, array $named, ConnectionSettings $settings): \Closure
    {
        $credentials = Credentials::inFiles(
            '',
            $dsn->options['sentinel_password_file'] ?? '',
            $dsn->options['sentinel_user'] ?? '',
            options: 'sentinel_',
        );
        $sentinels = array_map(static fn(Endpoint $endpoint): ConnectionSettings
            => new ConnectionSettings(
                $endpoint,
                $settings->connectTimeout,
                $settings->readTimeout,
                credentials: $credentials,
                tls: $settings->tls,
            ), $named);

        return (new SentinelDiscovery($sentinels, $dsn->options['master'], self::readsReplicas($dsn)))->ask(...);
    }
}
