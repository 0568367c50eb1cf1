<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Pdo;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\BorrowedClient;
use Larder\Internal\Driver\ClientDriver;
use Larder\Internal\Driver\Sql\RemoteSqlStore;

/** A table in the application's database, by its PDO object. */
final class PdoDriver implements ClientDriver
{
    public function clients(): array
    {
        return [\PDO::class];
    }

    public function scheme(): Scheme
    {
        return new Scheme('pdo', ['namespace', ...Scheme::CODEC_OPTIONS, 'on_failure'], isRemote: true);
    }

    public function over(BorrowedClient $client, Dsn $dsn, Opener $opener): Store
    {
        $there = $client->ifThere();
        if ($there instanceof \PDO) {
            BorrowedPdo::dialectOf($there);
        }

        $store = new RemoteSqlStore(new BorrowedPdo($client), $dsn->namespace(), $opener->codec($dsn));

        return $opener->withOwnBreaker($store, $dsn);
    }
}
