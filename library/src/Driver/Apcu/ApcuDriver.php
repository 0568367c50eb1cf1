<?php

declare(strict_types=1);

namespace Larder\Driver\Apcu;

use Larder\Contract\Store;
use Larder\Driver\AutoCandidate;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** apcu: the memory that the workers of one FPM master share. */
final class ApcuDriver implements AutoCandidate
{
    public function scheme(): Scheme
    {
        return new Scheme('apcu', ['namespace'], whyNoCodec: 'It keeps PHP\'s own values and makes no bytes of them');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();

        return new ApcuStore($dsn->namespace(), $opener->failures());
    }

    public function openAuto(Dsn $auto, Opener $opener): Store
    {
        return $this->open($auto, $opener);
    }

    public function isSplit(): bool
    {
        return \extension_loaded('apcu') && \in_array(strtolower((string) ini_get('apc.enabled')), ['1', 'on', 'yes', 'true'], true);
    }

    public function variants(): array
    {
        return [
            new Variant(
                'apcu',
                ApcuStore::class,
                Scope::FpmWorkers,
                extension: 'apcu',
                package: 'apcu',
                ini: ['apc.enable_cli' => '1', 'apc.shm_size' => '64M'],
            ),
        ];
    }
}
