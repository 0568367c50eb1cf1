<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Contract\Store;
use Larder\Driver\Connection;
use Larder\Driver\ExaminesServers;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Server\ConnectionSettings;

/** redis: and valkey: one server of Redis or Valkey, or several, by the extension redis or by Predis. */
final class RedisDriver implements ExaminesServers, TellsOfChanges
{
    public const PORT = 6379;

    public function scheme(): Scheme
    {
        return new Scheme('redis', ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::CONNECTION_OPTIONS, 'client', 'database'], isRemote: true, path: 'database');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $class = $dsn->choice('client', ['phpredis', 'predis'], 'phpredis') === 'phpredis' ? RedisStore::class : PredisStore::class;
        $database = (int) $dsn->number('database', 0, 0, 1_000_000);
        $codec = $opener->codec($dsn);

        return $opener->servers($dsn, self::PORT, static fn(ConnectionSettings $settings): RedisProtocol
            => RedisNamespace::of($opener->shared($class, $opener->way($dsn) . $settings->endpoint, static fn(): RedisStore|PredisStore
                => new $class($settings, $dsn->namespace(), $codec, $database)), $dsn->namespace(), $codec));
    }

    public function variants(): array
    {
        $server = [
            'connections' => [Connection::Socket, Connection::Tcp],
            'server' => 'Redis',
            'serverPackage' => 'redis-server',
            'endpoints' => ['/run/redis/redis-server.sock', '/run/redis/redis.sock', '/run/valkey/valkey.sock', '127.0.0.1:' . self::PORT],
        ];

        return [
            new Variant('redis', RedisStore::class, Scope::Server, ['client' => 'phpredis'], 'redis', 'redis', ...$server),
            new Variant('predis', PredisStore::class, Scope::Server, ['client' => 'predis'], ...$server, library: 'predis/predis'),
        ];
    }

    public function written(Dsn $dsn): \Closure
    {
        $servers = array_map(static fn(Endpoint $endpoint): ConnectionSettings => ConnectionSettings::of($dsn, $endpoint), $dsn->endpoints(self::PORT));

        return static fn(): array => $servers;
    }

    public function examine(Dsn $dsn): array
    {
        return Examination::ofAll($this, $dsn, ServerRole::Single);
    }

    public function question(): array
    {
        return ['PING'];
    }
}
