<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Contract\Store;
use Larder\Driver\Connection;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Server\ConnectionSettings;

/** memcached: one server or several, by the extension memcached; by Larder's own client where that has no TLS and no login. */
final class MemcachedDriver implements Driver
{
    private const PORT = 11211;

    public function scheme(): Scheme
    {
        return new Scheme('memcached', ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::CONNECTION_OPTIONS], isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $codec = $opener->codec($dsn);

        return $opener->servers($dsn, self::PORT, static fn(ConnectionSettings $settings): MemcachedProtocol
            => MemcachedNamespace::of($opener->shared(MemcachedProtocol::class, $opener->way($dsn) . $settings->endpoint, static fn(): MemcachedProtocol => $settings->tls === null && $settings->credentials->areNone()
                ? new MemcachedStore($settings, $dsn->namespace(), $codec)
                : new MemcacheStore($settings, $dsn->namespace(), $codec, 'memcached')), $dsn->namespace(), $codec));
    }

    public function variants(): array
    {
        return [
            new Variant(
                'memcached',
                MemcachedStore::class,
                Scope::Server,
                extension: 'memcached',
                package: 'memcached',
                connections: [Connection::Socket, Connection::Tcp],
                server: 'Memcached',
                serverPackage: 'memcached',
                endpoints: ['/run/memcached/memcached.sock', '127.0.0.1:' . self::PORT],
            ),
        ];
    }
}
