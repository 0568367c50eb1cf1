<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

/**
 * The state of a key when its computation began. The result is stored only if the key has not changed since, so a later
 * write wins. Several computations may begin on one state; the first one stores. One of them may have the lease, the
 * right to compute, which one process has at a time.
 */
interface Claim
{
    /**
     * @param float $stale seconds for which the value is kept after its ttl
     * @return bool false if another process wrote or deleted, or the store refused
     */
    public function store(StoredValue $made, float $ttl, float $stale): bool;

    /** @return bool false if there is no lease, another process took it over, or one has written */
    public function renew(float $seconds): bool;

    /**
     * Ends the lease, however the computation ends, but never in a fork. Then waiting processes learn if nothing was
     * stored.
     */
    public function end(bool $isStored = false): void;
}
