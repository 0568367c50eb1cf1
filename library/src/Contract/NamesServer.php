<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store over a client of the application, so that no DSN names its server. */
interface NamesServer
{
    /**
     * Calls no closure, and asks no server.
     *
     * @return string|null identity of the server, and of the place there, equal in all processes; null if it is not
     *         known before the first use
     */
    public function server(): ?string;
}
