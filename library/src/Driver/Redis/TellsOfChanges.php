<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Driver\Redis\Wire\ServerGone;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Exception\InvalidDsn;

/** A driver of servers that tell of changes by client tracking, as Redis 6 and Valkey do. */
interface TellsOfChanges
{
    /**
     * @return non-empty-list<Endpoint> the servers that values are written to now
     * @throws ServerGone when no server tells which these are
     * @throws InvalidDsn
     */
    public function written(Dsn $dsn): array;

    /** @return non-empty-list<string> a command whose answer changes when values are written to other servers */
    public function question(): array;
}
