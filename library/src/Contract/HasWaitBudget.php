<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that waits for locks of other processes, and can limit the wait of several calls to that of one. */
interface HasWaitBudget
{
    /**
     * Runs several calls that together wait no longer than one would.
     *
     * @template T
     * @param \Closure(): T $calls
     * @return T
     */
    public function withinOneWaitBudget(\Closure $calls): mixed;
}
