<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\None;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** none: keeps nothing. */
final class NoneDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('none');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();

        return new NullStore();
    }

    public function variants(): array
    {
        return [new Variant('none', NullStore::class, Scope::Process, isMeasured: false)];
    }
}
