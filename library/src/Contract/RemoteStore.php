<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\StoreUnavailable;

/**
 * A store on a server. It connects when it is first used. If the server does not answer, or answers wrongly, its methods
 * throw StoreFailed; whether something was stored is unknown then. A BreakerStore in front turns that into misses.
 */
interface RemoteStore extends Store
{
    /**
     * Connects now, unless it is connected.
     *
     * @throws StoreUnavailable naming what is missing and how to get it
     */
    public function reach(): void;
}
