<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Contract\Store;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** A driver whose store auto: may choose: it opens without a path or a host. */
interface AutoCandidate extends Driver
{
    /**
     * @param Dsn $auto its options apply to this store
     * @throws InvalidDsn
     * @throws StoreUnavailable when it does not work here
     */
    public function openAuto(Dsn $auto, Opener $opener): Store;

    /** Whether the web server's PHP and the command line have separate caches, if both have the settings of this process. */
    public function isSplit(): bool;
}
