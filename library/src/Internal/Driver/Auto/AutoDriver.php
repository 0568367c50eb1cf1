<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Auto;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;

/** auto: the first store that works here without configuration. */
final class AutoDriver implements Driver
{
    public function scheme(): Scheme
    {
        $why = 'It may find a store that makes no bytes of values: name the store';

        return new Scheme('auto', ['namespace', 'serializer'], whyNoCodec: $why);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $dsn->refuseName();
        // A mistake is refused for any store that is found.
        $dsn->namespace();
        $opener->codec($dsn);

        return $opener->search($dsn);
    }

    public function variants(): array
    {
        return [];
    }
}
