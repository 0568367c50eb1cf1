<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * A store whose get(), getMany() and has() may return older values for a while: from copies, or from a replica that is
 * behind. Its atomic operations, locks, entries() and getWithToken() never do.
 */
interface StaleReads
{
    /** @return bool false if its options exclude that */
    public function hasStaleReads(): bool;
}
