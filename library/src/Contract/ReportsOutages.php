<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A decorator of servers that knows of their outages. */
interface ReportsOutages
{
    /** @return float seconds until the server of a key is asked again; 0.0 while it may be asked */
    public function secondsToProbe(string $key): float;
}
