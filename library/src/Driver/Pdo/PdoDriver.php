<?php

declare(strict_types=1);

namespace Larder\Driver\Pdo;

use Larder\Contract\Store;
use Larder\Driver\ClientDriver;
use Larder\Driver\HeldClient;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

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

    public function over(HeldClient $client, Dsn $dsn, Opener $opener): Store
    {
        $there = $client->ifThere();
        if ($there instanceof \PDO) {
            PdoDialect::of($there);
        }

        return $opener->withOwnBreaker(new PdoStore(new PdoConnection($client), $dsn->namespace(), $opener->codec($dsn)), $dsn);
    }
}
