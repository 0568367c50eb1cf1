<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that can use the connection of another store for the same server, which differs in its namespace alone. */
interface SharesConnection
{
    /** @return RemoteStore for the namespace of this store, over the connection of the other one */
    public function over(RemoteStore $other): RemoteStore;
}
