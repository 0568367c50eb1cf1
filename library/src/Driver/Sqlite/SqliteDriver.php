<?php

declare(strict_types=1);

namespace Larder\Driver\Sqlite;

use Larder\Contract\Store;
use Larder\Driver\Connection;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** sqlite: one file that is a database. */
final class SqliteDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('sqlite', ['namespace', ...Scheme::CODEC_OPTIONS, 'max_size']);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $connection = $opener->shared(SqliteConnection::class, $dsn->path(), static fn(): SqliteConnection => SqliteStore::connect($dsn->path(), $dsn->maxSize()));

        return new SqliteStore($connection, $dsn->namespace(), $opener->codec($dsn));
    }

    public function variants(): array
    {
        return [
            new Variant(
                'sqlite',
                SqliteStore::class,
                Scope::Machine,
                extension: 'pdo_sqlite',
                package: 'sqlite3',
                connections: [Connection::Tmpfs, Connection::Disk],
                file: '/cache.sqlite',
            ),
        ];
    }
}
