<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that can tell its keys. It looks at all of them: for people and cron jobs, not for each request. */
interface ListableStore
{
    /**
     * @return iterable<string> the keys that have a value in this namespace, in no order; of those that come or go meanwhile
     *                          some. Larder's own too (ReservedKey). None when the store is unreachable
     */
    public function keys(): iterable;
}
