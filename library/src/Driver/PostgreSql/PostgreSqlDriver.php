<?php

declare(strict_types=1);

namespace Larder\Driver\PostgreSql;

use Larder\Contract\Store;
use Larder\Driver\Connection;
use Larder\Driver\Erases;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\DsnError;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;

/** pgsql: a table in a database of PostgreSQL. */
final class PostgreSqlDriver implements Erases
{
    private const PORT = 5432;
    private const EXAMPLE = 'pgsql://user:password@127.0.0.1/database';

    public function scheme(): Scheme
    {
        return new Scheme('pgsql', ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::SERVER_OPTIONS, 'socket', 'sslmode'], isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $endpoint = $this->endpoint($dsn);
        $connection = $opener->shared(PostgreSqlConnection::class, $opener->way($dsn) . $endpoint, fn(): PostgreSqlConnection => $this->connection($dsn));

        return $opener->withBreaker(new PostgreSqlStore($connection, new PostgreSqlTable($dsn->namespace()), $opener->codec($dsn)), $dsn, $endpoint);
    }

    public function variants(): array
    {
        return [
            new Variant(
                'pgsql',
                PostgreSqlStore::class,
                Scope::Server,
                extension: 'pgsql',
                package: 'pgsql',
                connections: [Connection::Socket, Connection::Tcp],
                server: 'PostgreSql',
                serverPackage: 'postgresql',
                endpoints: ['/run/postgresql/.s.PGSQL.' . self::PORT, '127.0.0.1:' . self::PORT],
                needsLogin: true,
            ),
        ];
    }

    public function erase(Dsn $dsn): void
    {
        $table = new PostgreSqlTable($dsn->namespace());
        $this->connection($dsn)->change($table, \sprintf('DROP TABLE IF EXISTS %s', $table->quoted), []);
    }

    private function connection(Dsn $dsn): PostgreSqlConnection
    {
        $database = ltrim($dsn->name(), '/');
        if ($database === '' || str_contains(ltrim($dsn->rest, '/'), '/')) {
            throw $dsn->invalid(\sprintf('does not name one database: %s. %s', self::EXAMPLE, DsnError::ENCODING));
        }
        $tls = $dsn->choice('sslmode', ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'], 'prefer');

        return new PostgreSqlConnection($this->endpoint($dsn), $database, $dsn->user, $dsn->password(), $dsn->timeout(), $dsn->isPersistent(), $tls);
    }

    private function endpoint(Dsn $dsn): Endpoint
    {
        $socket = $dsn->options['socket'] ?? '';
        if ($socket === '' && \count($dsn->servers) !== 1) {
            throw $dsn->invalid(\sprintf('names no single server: %s, or socket=/path for a unix socket', self::EXAMPLE));
        }

        if ($socket !== '' && (!str_starts_with($socket, '/') || str_contains($socket, ','))) {
            throw $dsn->invalid('has a socket that is not the absolute path of one'); // libpq would take it for names of hosts
        }

        return $socket !== '' ? Endpoint::unix($socket) : $dsn->tcp($dsn->servers[0], self::PORT);
    }
}
