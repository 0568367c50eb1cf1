<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\NotSupported;

/** tier: copies of this machine in front of a store that several machines share. */
final class TierDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('tier', ['local_ttl', 'poll'], nesting: 'tier:(larder:)(redis://127.0.0.1:6379)?poll=1');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        [$local, $shared] = array_map($opener->open(...), $dsn->tiers);
        $localTtl = $dsn->number('local_ttl', 60.0, 0.001, 30 * 86_400.0);
        $poll = $dsn->poll();

        try {
            return new TierStore($local, $shared, $dsn->tiers[1]->identity(), $localTtl, $poll);
        } catch (NotSupported $refusal) {
            throw $dsn->invalid('names a store that cannot be a tier: ' . $refusal->getMessage());
        }
    }

    public function variants(): array
    {
        return [];
    }
}
