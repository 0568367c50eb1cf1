<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Contract\Store;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** A driver whose store auto: may take: it opens without being told where. */
interface AutoCandidate extends Driver
{
    /**
     * @param Dsn $auto whose options hold for this store too
     * @throws InvalidDsn
     * @throws StoreUnavailable when it does not work here
     */
    public function openAuto(Dsn $auto, Opener $opener): Store;

    /** Whether the web server's PHP and the command line's, by the extensions and settings of this one, would have a cache each. */
    public function isSplit(): bool;
}
