<?php

declare(strict_types=1);

namespace Larder\Driver\Apcu;

use Larder\Contract\Store;
use Larder\Driver\AutoCandidate;
use Larder\Driver\Diagnoses;
use Larder\Driver\Engine\EngineDriver;
use Larder\Driver\Engine\EngineStore;
use Larder\Driver\Engine\NamespacedEngineStore;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/**
 * apcu: the memory that the workers of one FPM master share. If the module apcu that is loaded is Larder's, the engine's own
 * store, in namespaces of its own: through apcu_*() it could compare and swap integers only.
 */
final class ApcuDriver implements AutoCandidate, Diagnoses
{
    public function scheme(): Scheme
    {
        return new Scheme('apcu', ['namespace'], whyNoCodec: 'It keeps PHP\'s own values and makes no bytes of them');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();

        if (!ApcuStore::isLarders()) {
            return new ApcuStore($dsn->namespace(), $opener->failures());
        }
        $store = new NamespacedEngineStore($dsn->namespace(), scheme: 'apcu');
        ApcuStore::checkEnabled();

        return $store;
    }

    public function openAuto(Dsn $auto, Opener $opener): Store
    {
        return $this->open($auto, $opener);
    }

    public function isSplit(): bool
    {
        return \extension_loaded('apcu') && !ApcuStore::isLarders() && \in_array(strtolower((string) ini_get('apc.enabled')), ['1', 'on', 'yes', 'true'], true);
    }

    public function variants(): array
    {
        $isEngine = ApcuStore::isLarders();
        $ini = ['apc.enable_cli' => '1', 'apc.shm_size' => '64M'];

        return [
            new Variant(
                'apcu',
                $isEngine ? NamespacedEngineStore::class : ApcuStore::class,
                $isEngine ? Scope::Machine : Scope::FpmWorkers,
                extension: 'apcu',
                package: 'apcu',
                ini: $isEngine ? [...$ini, 'larder.path' => Variant::FOLDER, 'larder.size' => Variant::ROOM] : $ini,
                detail: $isEngine ? EngineStore::location() : '',
            ),
        ];
    }

    public function problem(): string
    {
        return ApcuStore::isLarders() ? (new EngineDriver())->problem() : '';
    }

    public function advice(): string
    {
        return ApcuStore::isLarders() ? \sprintf('The module apcu is Larder\'s: apcu_*() use the engine, segment %1$s.apcu, and apcu: its segment %1$s', ini_get('larder.segment')) : '';
    }
}
