<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store over a client of the application: no DSN says which server that leads to. */
interface NamesServer
{
    /**
     * Calls no closure, and asks no server.
     *
     * @return string|null what tells the server, and the place there, from others: the same in all processes; null before
     *                     the first use, when it may not be known yet
     */
    public function server(): ?string;
}
