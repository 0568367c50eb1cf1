<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Connection;
use Larder\Server\ConnectionSettings;

/**
 * memcached: one or several servers, through Larder's own client, which needs no extension and supports TLS and logins.
 */
final class MemcachedDriver implements Driver
{
    public const PORT = 11211;

    public function scheme(): Scheme
    {
        return new Scheme(
            'memcached',
            ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::CONNECTION_OPTIONS],
            isRemote: true,
        );
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $codec = $opener->codec($dsn);

        return $opener->servers(
            $dsn,
            self::PORT,
            static fn(ConnectionSettings $settings): MemcachedStore => new MemcachedStore(
                $opener->shared(
                    TextConnection::class,
                    $dsn->family() . $settings->endpoint,
                    static fn(): TextConnection
                        => new TextConnection($dsn->isTls ? 'memcached' : $dsn->scheme, $settings),
                ),
                $dsn->namespace(),
                $codec,
            ),
        );
    }

    public function variants(): array
    {
        return [$this->variant('memcached'), $this->variant('memcache', isLegacy: true)];
    }

    /** @param bool $isLegacy true for the other name, under which the studies measured another client */
    private function variant(string $name, bool $isLegacy = false): Variant
    {
        return new Variant(
            $name,
            MemcachedStore::class,
            Scope::Server,
            connections: [Connection::Socket, Connection::Tcp],
            server: 'Memcached',
            serverPackage: 'memcached',
            endpoints: ['/run/memcached/memcached.sock', '127.0.0.1:' . self::PORT],
            isLegacy: $isLegacy,
        );
    }
}
