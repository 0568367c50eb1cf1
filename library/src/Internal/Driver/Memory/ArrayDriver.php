<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memory;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Memory\ArrayStore;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** array: keeps values in the process. */
final class ArrayDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('array', ['serializer']);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();

        return new ArrayStore($opener->codec($dsn));
    }

    public function variants(): array
    {
        return [new Variant('array', ArrayStore::class, Scope::Process)];
    }
}
