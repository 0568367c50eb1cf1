<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * The end of a lock that nobody releases: its ttl, or the end of its owner, the process that acquired it. Where a store
 * cannot see whether the owner lives (servers, another container), only the ttl counts. Stores keep the values.
 */
enum LockLifetime: string
{
    /** The ttl alone: for work that another process continues. */
    case Ttl = 'ByTime';

    /** Whichever comes first. */
    case TtlOrProcess = 'WithProcessOrByTime';

    /**
     * The owner's end; the ttl does not count while the owner is known to live. For work that may take longer than
     * expected.
     */
    case Process = 'WithProcess';
}
