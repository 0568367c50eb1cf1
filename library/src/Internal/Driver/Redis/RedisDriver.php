<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Internal\Driver\Connection;
use Larder\Internal\Driver\ExaminesServers;
use Larder\Server\ConnectionSettings;

/** redis: and valkey: one or several servers of Redis or Valkey, through the extension redis or Predis. */
final class RedisDriver implements ExaminesServers
{
    public const PORT = 6379;

    public function scheme(): Scheme
    {
        return new Scheme(
            'redis',
            ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::CONNECTION_OPTIONS, 'client', 'database'],
            isRemote: true,
            path: 'database',
        );
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $class = self::client($dsn);
        $database = (int) $dsn->number('database', 0, 0, 1_000_000);
        $codec = $opener->codec($dsn, $database === 0 ? '' : (string) $database);

        return $opener->servers($dsn, self::PORT, static fn(ConnectionSettings $settings): RedisStore
            => new RedisStore($opener->shared($class, $dsn->family() . $settings->endpoint, static fn(): Phpredis|Predis
                => new $class($settings, $database)), $dsn->namespace(), $codec));
    }

    /**
     * @return class-string<Phpredis|Predis>
     * @throws InvalidDsn
     */
    public static function client(Dsn $dsn): string
    {
        return $dsn->choice('client', ['phpredis', 'predis'], 'phpredis') === 'phpredis'
            ? Phpredis::class
            : Predis::class;
    }

    public function variants(): array
    {
        $server = [
            'connections' => [Connection::Socket, Connection::Tcp],
            'server' => 'Redis',
            'serverPackage' => 'redis-server',
            'endpoints' => [
                '/run/redis/redis-server.sock',
                '/run/redis/redis.sock',
                '/run/valkey/valkey.sock',
                '127.0.0.1:' . self::PORT,
            ],
        ];

        return [
            new Variant(
                'redis',
                RedisStore::class,
                Scope::Server,
                ['client' => 'phpredis'],
                'redis',
                'redis',
                ...$server,
            ),
            new Variant(
                'predis',
                RedisStore::class,
                Scope::Server,
                ['client' => 'predis'],
                ...$server,
                library: 'predis/predis',
            ),
        ];
    }

    public function written(Dsn $dsn): \Closure
    {
        $servers = array_map(
            static fn(Endpoint $endpoint): ConnectionSettings => ConnectionSettings::of($dsn, $endpoint),
            $dsn->endpoints(self::PORT),
        );

        return static fn(): array => $servers;
    }

    public function examine(Dsn $dsn): array
    {
        return ServerInspection::ofAll($this, $dsn, null);
    }

    public function question(): array
    {
        return ['PING'];
    }
}
