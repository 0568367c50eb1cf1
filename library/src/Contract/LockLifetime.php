<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * What ends a lock that nobody releases: its ttl, or the end of the process that took it, its owner. A store on the same
 * machine sees whether the owner lives; where it cannot be seen (servers, another container), the ttl decides alone.
 *
 * The values are what stores keep.
 */
enum LockLifetime: string
{
    /** The ttl alone: for a job that another process goes on with when this one has ended. */
    case Ttl = 'ByTime';

    /** The ttl or the end of the owner, whichever comes first. */
    case TtlOrProcess = 'WithProcessOrByTime';

    /** The end of the owner, and not the ttl while the owner is seen alive: for what may take longer than expected. */
    case Process = 'WithProcess';
}
