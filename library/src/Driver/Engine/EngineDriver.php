<?php

declare(strict_types=1);

namespace Larder\Driver\Engine;

use Larder\Contract\Store;
use Larder\Driver\AutoCandidate;
use Larder\Driver\Diagnoses;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\StoreUnavailable;

/** larder: the engine, which is the extension of PHP of this project. */
final class EngineDriver implements AutoCandidate, Diagnoses
{
    public function scheme(): Scheme
    {
        return new Scheme('larder', ['namespace'], whyNoCodec: 'It keeps PHP\'s own values and makes no bytes of them');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseServers();

        return isset($dsn->options['namespace']) ? new NamespacedEngineStore($dsn->namespace(), $dsn->name()) : new EngineStore($dsn->name());
    }

    public function openAuto(Dsn $auto, Opener $opener): Store
    {
        if (EngineStore::isInPhp()) {
            throw StoreUnavailable::because('larder', 'the PHP extension larder is not loaded, and larder/polyfill keeps an array of each process', 'Take larder: for that');
        }

        return $this->open($auto, $opener);
    }

    public function isSplit(): bool
    {
        return false;
    }

    public function variants(): array
    {
        return [
            new Variant(
                'larder',
                EngineStore::class,
                EngineStore::isInPhp() ? Scope::Process : Scope::Machine,
                extension: 'larder',
                ini: ['larder.path' => Variant::FOLDER, 'larder.size' => Variant::ROOM],
                namespaced: NamespacedEngineStore::class,
                detail: EngineStore::isInPhp() ? 'this process alone, by larder/polyfill' : EngineStore::location(),
            ),
        ];
    }

    public function problem(): string
    {
        $info = larder_info();

        return $info['available'] === false && \is_string($info['reason']) ? $info['reason'] : '';
    }

    public function advice(): string
    {
        return '';
    }
}
