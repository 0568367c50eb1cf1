<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Tier;

use Larder\Contract\Decorator;
use Larder\Contract\NamesServer;
use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Internal\Codec\CodecOptions;

/** tier: copies of this machine in front of a store that several machines share. */
final class TierDriver implements Driver
{
    /** Also options of a store over a client of the application, if it has a local tier. */
    public const OPTIONS = ['local_ttl', 'poll'];

    public function scheme(): Scheme
    {
        return new Scheme('tier', self::OPTIONS, nesting: 'tier:(larder:)(redis://127.0.0.1:6379)?poll=1');
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        if ($opener->scope($dsn->tiers[0])->isWiderThan($opener->scope($dsn->tiers[1]))) {
            throw $dsn->invalid('names a local tier that more processes share than the shared one, so one process '
                . 'would read what another has in its own: name first the tier that fewer share');
        }
        [$local, $shared] = array_map($opener->open(...), $dsn->tiers);

        return self::tier($local, $shared, $dsn->tiers[1], $dsn);
    }

    /**
     * @param Store $shared over a client of the application
     * @param Dsn $dsn with its options, and those of the tier
     */
    public static function before(Store $local, Store $shared, Dsn $dsn): Store
    {
        $client = $shared;
        while ($client instanceof Decorator) {
            $client = $client->decorated();
        }

        return self::tier($local, $shared, $dsn, $dsn, $client);
    }

    /** @throws InvalidDsn */
    private static function tier(Store $local, Store $shared, Dsn $ofShared, Dsn $dsn, ?Store $client = null): TierStore
    {
        try {
            if ($client !== null && !$client instanceof NamesServer) {
                throw new NotSupported(\sprintf('%s does not tell which server it is on', $client::class));
            }
            $name = $client === null ? '' : $dsn->scheme;
            $identity = self::identity($ofShared, $dsn);

            return new TierStore($local, $shared, $identity, self::localTtl($dsn), $dsn->poll(), $client, $name);
        } catch (NotSupported $refusal) {
            throw $dsn->invalid('names a store that cannot be a tier: ' . $refusal->getMessage());
        }
    }

    /**
     * Properties that the copies of a tier share: a copy must satisfy every process that finds it, also one that
     * accepts only signed entries, or older ones for a shorter time.
     *
     * @param Dsn $shared of the shared tier
     * @param Dsn $tier with the options of the tier
     * @throws InvalidDsn
     */
    public static function identity(Dsn $shared, Dsn $tier): string
    {
        $keys = CodecOptions::signingKeys($shared);

        return serialize([$shared->identity(), $keys, self::localTtl($tier), $tier->poll()]);
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
