<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PostgreSql;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Connection;
use Larder\Internal\Driver\LeavesResidue;
use Larder\Internal\Driver\Sql\RemoteSqlStore;
use Larder\Internal\Dsn\DsnError;

/** pgsql: a table in a database of PostgreSQL. */
final class PostgreSqlDriver implements LeavesResidue
{
    private const PORT = 5432;
    private const EXAMPLE = 'pgsql://user:password@127.0.0.1/database';

    public function scheme(): Scheme
    {
        $options = ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::SERVER_OPTIONS, 'socket', 'sslmode'];

        return new Scheme('pgsql', $options, isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $endpoint = $this->endpoint($dsn);
        $namespace = $dsn->namespace();
        $way = $dsn->family() . $endpoint;
        $connection = $opener->shared(PostgreSqlConnection::class, $way, fn() => $this->connection($dsn));
        $statements = new PostgreSqlStatements($connection, new PostgreSqlTable($namespace));
        $codec = $opener->codec($dsn, ltrim($dsn->name(), '/'));

        $store = new RemoteSqlStore($statements, $namespace, $codec, isShared: false);

        return $opener->withBreaker($store, $dsn, $endpoint);
    }

    public function variants(): array
    {
        return [
            new Variant(
                'pgsql',
                RemoteSqlStore::class,
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
        $statements = new PostgreSqlStatements($this->connection($dsn), new PostgreSqlTable($dsn->namespace()));
        $statements->change('DROP TABLE IF EXISTS {table}', []);
    }

    private function connection(Dsn $dsn): PostgreSqlConnection
    {
        $database = ltrim($dsn->name(), '/');
        if ($database === '' || str_contains(ltrim($dsn->rest, '/'), '/')) {
            throw $dsn->invalid('does not name one database: ' . self::EXAMPLE . '. ' . DsnError::ENCODING);
        }

        return new PostgreSqlConnection(
            $this->endpoint($dsn),
            $database,
            $dsn->user,
            $dsn->password(),
            $dsn->timeout(),
            $dsn->isPersistent(),
            $dsn->choice('sslmode', ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'], 'prefer'),
        );
    }

    private function endpoint(Dsn $dsn): Endpoint
    {
        $socket = $dsn->options['socket'] ?? '';
        if ($socket === '' && \count($dsn->servers) !== 1) {
            throw $dsn->invalid('names no single server: ' . self::EXAMPLE . ', or socket=/path for a unix socket');
        }
        if ($socket !== '' && (!str_starts_with($socket, '/') || str_contains($socket, ','))) {
            // libpq would treat it as names of hosts.
            throw $dsn->invalid('has a socket that is not the absolute path of one');
        }

        return $socket !== '' ? Endpoint::unix($socket) : $dsn->tcp($dsn->servers[0], self::PORT);
    }
}
