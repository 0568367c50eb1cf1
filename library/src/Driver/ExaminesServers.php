<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** A driver that can tell how the settings of a server suit a cache. */
interface ExaminesServers extends Driver
{
    /**
     * Connects to the servers of the DSN. What it stores for a test is deleted.
     *
     * @return list<Remark> empty when no server can be asked
     * @throws InvalidDsn|StoreUnavailable
     */
    public function examine(Dsn $dsn): array;
}
