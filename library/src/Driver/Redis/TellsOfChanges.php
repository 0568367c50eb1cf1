<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Server\ConnectionSettings;

/** A driver of servers that tell of changes by client tracking, as Redis 6 and Valkey do. */
interface TellsOfChanges
{
    /**
     * @return \Closure(): non-empty-list<ConnectionSettings> finds out which servers values are written to now; throws
     *                                                        ServerGone when none tells
     * @throws InvalidDsn|StoreUnavailable
     */
    public function written(Dsn $dsn): \Closure;

    /** @return non-empty-list<string> a command whose answer changes when values are written to other servers */
    public function question(): array;
}
