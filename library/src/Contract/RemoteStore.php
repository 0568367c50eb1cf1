<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\StoreUnavailable;

/**
 * A store on a server. It connects when it is first used. Where the server does not answer, or not as it should, its
 * methods throw StoreFailed, and what was stored, or not, is unknown; a BreakerStore in front makes misses of that.
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
