<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store before servers, which knows of outages. */
interface ReportsOutages
{
    /** @return float seconds until the server of a key is asked again; 0.0 while it may be asked */
    public function secondsToProbe(string $key): float;
}
