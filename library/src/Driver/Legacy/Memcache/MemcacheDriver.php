<?php

declare(strict_types=1);

namespace Larder\Driver\Legacy\Memcache;

use Larder\Contract\Store;
use Larder\Driver\Connection;
use Larder\Driver\Driver;
use Larder\Driver\Memcached\MemcachedNamespace;
use Larder\Driver\Memcached\MemcachedProtocol;
use Larder\Driver\Memcached\MemcacheStore;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Server\ConnectionSettings;

/** memcache: the servers of memcached, without any extension. */
final class MemcacheDriver implements Driver
{
    private const PORT = 11211;

    public function scheme(): Scheme
    {
        return new Scheme('memcache', ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::CONNECTION_OPTIONS], isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $codec = $opener->codec($dsn);

        return $opener->servers($dsn, self::PORT, static fn(ConnectionSettings $settings): MemcachedProtocol
            => MemcachedNamespace::of($opener->shared(MemcacheStore::class, $opener->way($dsn) . $settings->endpoint, static fn(): MemcacheStore
                => new MemcacheStore($settings, $dsn->namespace(), $codec)), $dsn->namespace(), $codec));
    }

    public function variants(): array
    {
        return [
            new Variant(
                'memcache',
                MemcacheStore::class,
                Scope::Server,
                connections: [Connection::Socket, Connection::Tcp],
                server: 'Memcached',
                serverPackage: 'memcached',
                endpoints: ['/run/memcached/memcached.sock', '127.0.0.1:' . self::PORT],
                isLegacy: true,
            ),
        ];
    }
}
