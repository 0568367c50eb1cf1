<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store in which what has expired keeps its memory or disk, until it is written over or removed. */
interface PrunableStore
{
    /**
     * Removes all values of this namespace that have expired. Looks at every one of them: for cron jobs, not for each request.
     *
     * @return int how many were removed; 0 when the store is unreachable
     */
    public function prune(): int;
}
