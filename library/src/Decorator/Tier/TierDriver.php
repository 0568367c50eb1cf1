<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;

/** tier: copies of this machine in front of a store that several machines share. */
final class TierDriver implements Driver
{
    /** Those of a store over a client of the application, too, if it has a local tier. */
    public const OPTIONS = ['local_ttl', 'poll'];

    public function scheme(): Scheme
    {
        return new Scheme('tier', self::OPTIONS, nesting: 'tier:(larder:)(redis://127.0.0.1:6379)?poll=1');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        [$local, $shared] = array_map($opener->open(...), $dsn->tiers);

        try {
            return new TierStore($local, $shared, $dsn->tiers[1]->identity(), self::localTtl($dsn), $dsn->poll());
        } catch (NotSupported $refusal) {
            throw $dsn->invalid('names a store that cannot be a tier: ' . $refusal->getMessage());
        }
    }

    /**
     * @param Store $shared over a client of the application
     * @param Dsn $dsn with its options, and those of the tier
     * @throws InvalidDsn
     */
    public static function before(Store $local, Store $shared, Dsn $dsn): Store
    {
        try {
            return new ClientTier($local, $shared, $dsn->scheme, $dsn->identity(), self::localTtl($dsn), $dsn->poll());
        } catch (NotSupported $refusal) {
            throw $dsn->invalid('names a store that cannot be a tier: ' . $refusal->getMessage());
        }
    }

    private static function localTtl(Dsn $dsn): float
    {
        return $dsn->number('local_ttl', 60.0, 0.001, 30 * 86_400.0);
    }

    public function variants(): array
    {
        return [];
    }
}
