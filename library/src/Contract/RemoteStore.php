<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\StoreUnavailable;

/**
 * A store on a server, connected on first use. If the server does not answer, or answers wrongly, methods throw
 * StoreFailed, and whether something was stored is unknown. A BreakerStore in front turns that into misses.
 */
interface RemoteStore extends Store
{
    /**
     * Connects, unless it is connected.
     *
     * @throws StoreUnavailable naming what is missing and how to get it
     */
    public function reach(): void;
}
