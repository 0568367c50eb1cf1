<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * What ends a lock that nobody releases. Of the process that took it, its owner, a store on the same machine sees whether
 * it still lives; where it cannot be seen (servers, another container), the time decides alone.
 */
enum LockLifetime
{
    /** The time alone: for a job that another process goes on with when this one is gone. */
    case ByTime;

    /** The time or the end of the owner, whichever comes first. */
    case WithProcessOrByTime;

    /** The end of the owner, and not the time while the owner is seen alive: for what may take longer than was thought. */
    case WithProcess;
}
