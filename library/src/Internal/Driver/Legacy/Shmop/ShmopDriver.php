<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Legacy\Shmop;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** shmop: a block of System V shared memory for each value. */
final class ShmopDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('shmop', ['namespace', ...Scheme::CODEC_OPTIONS]);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();

        return new ShmopStore($dsn->namespace(), $opener->codec($dsn));
    }

    public function variants(): array
    {
        $variant = new Variant(
            'shmop',
            ShmopStore::class,
            Scope::Machine,
            extension: 'shmop',
            package: 'common',
            isLegacy: true,
        );

        return [$variant];
    }
}
