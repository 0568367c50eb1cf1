<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that can list its keys. It reads all of them: for people and cron jobs, not for each request. */
interface ListableStore
{
    /**
     * @return iterable<string> the keys of this namespace that have a value, in no order, also Larder's own
     *         (ReservedKey). Keys that are stored or deleted during the walk may be missing. None if the store is
     *         unreachable
     */
    public function keys(): iterable;
}
