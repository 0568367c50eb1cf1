<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Engine;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Diagnoses;

/** larder: the engine, this project's PHP extension. */
final class EngineDriver implements Diagnoses
{
    public function scheme(): Scheme
    {
        return new Scheme('larder', ['namespace'], whyNoCodec: 'It keeps PHP\'s own values and makes no bytes of them');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        if ($dsn->scheme === 'auto' && Engine::isInPhp()) {
            $what = 'the PHP extension larder is not loaded, and larder/polyfill keeps an array of each process';

            throw StoreUnavailable::because('larder', $what, 'Take larder: for that');
        }
        $dsn->refuseServers();

        return new EngineStore($dsn->name(), isset($dsn->options['namespace']) ? $dsn->namespace() : null);
    }

    public function variants(): array
    {
        return [
            new Variant(
                'larder',
                EngineStore::class,
                Engine::isInPhp() ? Scope::Process : Scope::Machine,
                extension: 'larder',
                ini: ['larder.path' => Variant::FOLDER, 'larder.size' => Variant::ROOM],
                detail: Engine::isInPhp() ? 'this process alone, by larder/polyfill' : Engine::location(),
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
