<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Legacy\Yac;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** yac: memory that the workers of one FPM master share, without locks. */
final class YacDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('yac', ['namespace', ...Scheme::CODEC_OPTIONS]);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();

        return new YacStore($dsn->namespace(), $opener->codec($dsn));
    }

    public function variants(): array
    {
        return [
            new Variant(
                'yac',
                YacStore::class,
                Scope::FpmWorkers,
                extension: 'yac',
                package: 'yac',
                ini: ['yac.enable_cli' => '1', 'yac.values_memory_size' => '64M'],
                excludes: 'apcu',
                isLegacy: true,
            ),
        ];
    }
}
