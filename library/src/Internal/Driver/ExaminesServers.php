<?php

declare(strict_types=1);

namespace Larder\Internal\Driver;

use Larder\Driver\Driver;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Server\ConnectionSettings;

/** A driver of servers that report their settings, and changes by client tracking, as Redis 6 and Valkey do. */
interface ExaminesServers extends Driver
{
    /**
     * Connects to the servers of the DSN, and deletes what it stores for tests.
     *
     * @return list<Remark> on settings that matter to a cache; empty if no server can be asked
     * @throws InvalidDsn|StoreUnavailable
     */
    public function examine(Dsn $dsn): array;

    /**
     * @return \Closure(): non-empty-list<ConnectionSettings> finds the servers to which values are written now; throws
     *         ServerGone if none of them answers
     * @throws InvalidDsn|StoreUnavailable
     */
    public function written(Dsn $dsn): \Closure;

    /** @return non-empty-list<string> a command whose answer changes when values are written to other servers */
    public function question(): array;
}
