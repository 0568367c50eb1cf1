<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Apcu;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Internal\Driver\Diagnoses;
use Larder\Internal\Driver\Engine\Engine;
use Larder\Internal\Driver\Engine\EngineDriver;
use Larder\Internal\Driver\Engine\EngineStore;

/**
 * apcu: the memory that the workers of one FPM master share. If the loaded module apcu is Larder's, the engine's store,
 * in namespaces of its own: apcu_*() could compare and swap integers only.
 */
final class ApcuDriver implements Diagnoses
{
    public function scheme(): Scheme
    {
        return new Scheme('apcu', ['namespace'], whyNoCodec: 'It keeps PHP\'s own values and makes no bytes of them');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();
        if (!Apcu::isLarders()) {
            return new ApcuStore($dsn->namespace(), $opener->failures());
        }
        $store = new EngineStore(namespace: $dsn->namespace(), scheme: 'apcu');
        Apcu::checkEnabled();

        return $store;
    }

    public function variants(): array
    {
        $isEngine = Apcu::isLarders();
        $ini = ['apc.enable_cli' => '1', 'apc.shm_size' => '64M'];

        return [
            new Variant(
                'apcu',
                $isEngine ? EngineStore::class : ApcuStore::class,
                $isEngine ? Scope::Machine : Scope::FpmWorkers,
                extension: 'apcu',
                package: 'apcu',
                ini: $isEngine ? [...$ini, 'larder.path' => Variant::FOLDER, 'larder.size' => Variant::ROOM] : $ini,
                detail: $isEngine ? Engine::location() : '',
            ),
        ];
    }

    public function problem(): string
    {
        return Apcu::isLarders() ? (new EngineDriver())->problem() : '';
    }

    public function advice(): string
    {
        $name = ini_get('larder.segment');

        return Apcu::isLarders()
            ? "The module apcu is Larder's: apcu_*() use the engine, segment $name.apcu, and apcu: its segment $name"
            : '';
    }
}
