<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that reads from replicas of the servers to which it writes. */
interface ReadsReplicas extends StaleReads
{
    /**
     * @template T
     * @param \Closure(): T $calls calls that must read from the masters
     * @return T
     */
    public function fromMasters(\Closure $calls): mixed;
}
