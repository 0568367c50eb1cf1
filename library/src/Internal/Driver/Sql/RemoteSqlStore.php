<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

use Larder\Contract\NamesServer;
use Larder\Contract\RemoteStore;

/** A SqlStore on a server, or in a database of the application: a lock does not end with its process. */
final class RemoteSqlStore extends SqlStore implements RemoteStore, NamesServer
{
    public function reach(): void
    {
        $this->connection->reach();
    }

    public function server(): ?string
    {
        return $this->connection->server();
    }
}
