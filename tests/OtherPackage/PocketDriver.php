<?php

declare(strict_types=1);

namespace Larder\ProjectTests\OtherPackage;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Connection;

/** pocket: the driver of a store that Larder does not know. */
final class PocketDriver implements Driver
{
    public function __construct(private readonly string $scheme = 'pocket', private readonly string $name = 'pocket') {}

    public function scheme(): Scheme
    {
        return new Scheme($this->scheme);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        return new PocketStore($dsn->path());
    }

    public function variants(): array
    {
        return [new Variant($this->name, PocketStore::class, Scope::Machine, connections: [Connection::Tmpfs, Connection::Disk], file: '/pocket')];
    }
}
