<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * What ends a lock that nobody releases: its ttl, or the end of its owner, the process that acquired it. A store on the
 * same machine can see whether the owner lives. Where that is impossible (servers, another container), only the ttl counts.
 *
 * Stores keep the values.
 */
enum LockLifetime: string
{
    /** The ttl alone: for a job that another process continues after this one has ended. */
    case Ttl = 'ByTime';

    /** The ttl or the end of the owner, whichever comes first. */
    case TtlOrProcess = 'WithProcessOrByTime';

    /** The end of the owner; the ttl does not count while the owner is known to live. For what may take longer than expected. */
    case Process = 'WithProcess';
}
