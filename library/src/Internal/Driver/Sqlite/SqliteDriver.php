<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sqlite;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Connection;
use Larder\Internal\Driver\Sql\SqlStore;

/** sqlite: one file that is a database. */
final class SqliteDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('sqlite', ['namespace', ...Scheme::CODEC_OPTIONS, 'max_size', 'persistent']);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $connection = $opener->shared(SqliteConnection::class, $dsn->path(), static fn(): SqliteConnection
            => new SqliteConnection($dsn->path(), $dsn->maxSize(), $dsn->isPersistent()));

        return new SqlStore($connection, $dsn->namespace(), $opener->codec($dsn));
    }

    public function variants(): array
    {
        return [
            new Variant(
                'sqlite',
                SqlStore::class,
                Scope::Machine,
                extension: 'pdo_sqlite',
                package: 'sqlite3',
                connections: [Connection::Tmpfs, Connection::Disk],
                file: '/cache.sqlite',
            ),
        ];
    }
}
