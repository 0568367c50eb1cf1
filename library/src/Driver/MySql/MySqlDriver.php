<?php

declare(strict_types=1);

namespace Larder\Driver\MySql;

use Larder\Contract\Store;
use Larder\Driver\Connection;
use Larder\Driver\Erases;
use Larder\Driver\Legacy\MySqlMemory\MySqlMemoryStore;
use Larder\Driver\MySql\Server\MySqlConnection;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\DsnError;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;

/** mysql: a table in a database of MySQL or MariaDB. */
final class MySqlDriver implements Erases
{
    private const PORT = 3306;

    public function scheme(): Scheme
    {
        return new Scheme('mysql', ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::SERVER_OPTIONS, 'engine', 'socket'], isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $engine = $this->engine($dsn);
        $database = $this->database($dsn);
        $endpoint = $this->endpoint($dsn);
        $connection = $opener->shared(MySqlConnection::class, $opener->way($dsn) . $endpoint, static fn(): MySqlConnection
            => new MySqlConnection($endpoint, $database, $dsn->user, $dsn->password(), $dsn->timeout(), $dsn->isPersistent()));
        $codec = $opener->codec($dsn);
        $store = $engine === 'memory'
            ? new MySqlMemoryStore($connection, $dsn->namespace(), $codec)
            : new MySqlStore($connection, $engine, $dsn->namespace(), $codec);

        return $opener->withBreaker($store, $dsn, $endpoint);
    }

    public function variants(): array
    {
        $server = [
            'extension' => 'pdo_mysql',
            'package' => 'mysql',
            'connections' => [Connection::Socket, Connection::Tcp],
            'server' => 'MariaDb',
            'serverPackage' => 'mariadb-server',
            'endpoints' => ['/run/mysqld/mysqld.sock', '127.0.0.1:' . self::PORT],
            'needsLogin' => true,
        ];

        return [
            new Variant('mysql', MySqlStore::class, Scope::Server, ['engine' => 'innodb'], ...$server),
            new Variant('mysql-myisam', MySqlStore::class, Scope::Server, ['engine' => 'myisam'], ...$server),
            new Variant('mysql-memory', MySqlMemoryStore::class, Scope::Server, ['engine' => 'memory'], ...$server, isLegacy: true),
        ];
    }

    public function erase(Dsn $dsn): void
    {
        $endpoint = $this->endpoint($dsn);
        $where = $endpoint->socket === null ? \sprintf('host=%s;port=%d', $endpoint->host, $endpoint->port) : 'unix_socket=' . $endpoint->socket;
        $database = new \PDO(\sprintf('mysql:dbname=%s;%s', $this->database($dsn), $where), $dsn->user, $dsn->password());
        $database->exec(\sprintf('DROP TABLE IF EXISTS `larder_%s_%s`', $dsn->namespace(), $this->engine($dsn)));
    }

    private function database(Dsn $dsn): string
    {
        $database = ltrim($dsn->name(), '/');
        if (str_contains(ltrim($dsn->rest, '/'), '/')) {
            throw $dsn->invalid('has a path that is not the name of one database. ' . DsnError::ENCODING);
        }

        return $database !== '' ? $database : throw $dsn->invalid('names no database: mysql://user@127.0.0.1/database');
    }

    private function endpoint(Dsn $dsn): Endpoint
    {
        $socket = $dsn->options['socket'] ?? '';
        if ($socket === '' && \count($dsn->servers) !== 1) {
            throw $dsn->invalid('names no single server: mysql://user@127.0.0.1/database, or socket=/path for a unix socket');
        }

        return $socket !== '' ? Endpoint::unix($socket) : $dsn->tcp($dsn->servers[0], self::PORT);
    }

    /** @return 'memory'|'myisam'|'innodb' */
    private function engine(Dsn $dsn): string
    {
        return $dsn->choice('engine', ['memory', 'myisam', 'innodb'], 'innodb');
    }
}
