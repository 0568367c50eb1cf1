<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that waits for locks which other processes hold: for several calls no longer than for one. */
interface HasWaitBudget
{
    /**
     * Does several calls as one (see WaitBudget).
     *
     * @template T
     * @param \Closure(): T $calls
     * @return T
     */
    public function withinOneWaitBudget(\Closure $calls): mixed;
}
