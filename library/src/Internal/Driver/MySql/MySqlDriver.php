<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\MySql;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Connection;
use Larder\Internal\Driver\LeavesResidue;
use Larder\Internal\Driver\Legacy\MySqlMemory\MySqlMemoryStore;
use Larder\Internal\Driver\MySql\Server\MySqlConnection;
use Larder\Internal\Driver\MySql\Server\MySqlLink;
use Larder\Internal\Driver\Sql\RemoteSqlStore;
use Larder\Internal\Dsn\DsnError;

/** mysql: a table in a database of MySQL or MariaDB. */
final class MySqlDriver implements LeavesResidue
{
    private const PORT = 3306;

    public function scheme(): Scheme
    {
        $options = ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::SERVER_OPTIONS, 'engine', 'socket'];

        return new Scheme('mysql', $options, isRemote: true);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $engine = $this->engine($dsn);
        $database = $this->database($dsn);
        $endpoint = $this->endpoint($dsn);
        $connect = static fn() => new MySqlConnection(
            $endpoint,
            $database,
            $dsn->user,
            $dsn->password(),
            $dsn->timeout(),
            $dsn->isPersistent(),
        );
        $connection = $opener->shared(MySqlConnection::class, $dsn->family() . $endpoint, $connect);
        $namespace = $dsn->namespace();
        $codec = $opener->codec($dsn, $database);
        $store = $engine === 'memory'
            ? new MySqlMemoryStore($connection, $namespace, $codec)
            : new RemoteSqlStore($connection->forTable($namespace, $engine), $namespace, $codec, isShared: false);

        return $opener->withBreaker($store, $dsn, $endpoint);
    }

    public function variants(): array
    {
        $server = [
            'scope' => Scope::Server,
            'extension' => 'pdo_mysql',
            'package' => 'mysql',
            'connections' => [Connection::Socket, Connection::Tcp],
            'server' => 'MariaDb',
            'serverPackage' => 'mariadb-server',
            'endpoints' => ['/run/mysqld/mysqld.sock', '127.0.0.1:' . self::PORT],
            'needsLogin' => true,
        ];
        $memory = ['options' => ['engine' => 'memory'], 'isLegacy' => true];

        return [
            new Variant('mysql', RemoteSqlStore::class, ...$server, options: ['engine' => 'innodb']),
            new Variant('mysql-myisam', RemoteSqlStore::class, ...$server, options: ['engine' => 'myisam']),
            new Variant('mysql-memory', MySqlMemoryStore::class, ...[...$server, ...$memory]),
        ];
    }

    public function erase(Dsn $dsn): void
    {
        $address = MySqlLink::address($this->endpoint($dsn), $this->database($dsn));
        $database = new \PDO($address, $dsn->user, $dsn->password());
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
            throw $dsn->invalid(
                'names no single server: mysql://user@127.0.0.1/database, or socket=/path for a unix socket',
            );
        }

        return $socket !== '' ? Endpoint::unix($socket) : $dsn->tcp($dsn->servers[0], self::PORT);
    }

    /** @return 'memory'|'myisam'|'innodb' */
    private function engine(Dsn $dsn): string
    {
        return $dsn->choice('engine', ['memory', 'myisam', 'innodb'], 'innodb');
    }
}
