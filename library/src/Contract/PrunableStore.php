<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store whose expired values use memory or disk until they are overwritten or removed. */
interface PrunableStore
{
    /**
     * Removes all expired values of this namespace. Reads every entry: for cron jobs, not for each request.
     *
     * @return int number of values removed; 0 if the store is unreachable
     */
    public function prune(): int;
}
