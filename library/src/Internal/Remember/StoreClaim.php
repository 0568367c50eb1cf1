<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Larder\Contract\AtomicStore;
use Larder\Contract\Store;
use Larder\Exception\StoreFailed;

/** A claim in any store. Its lease is a placeholder of this process, under the key of the value or next to it. */
final class StoreClaim implements Claim
{
    /** Seconds that a released placeholder next to a value is kept: as short as stores can. */
    private const RELEASED = 0.001;

    private readonly string $name;

    /**
     * @param AtomicStore|NonAtomicFallback|null $comparing null to store without comparing
     * @param Placeholder|StoredValue|null $begun must still be there; null to store nothing
     * @param string $beside key of a placeholder next to the value; "" if it is $begun
     */
    public function __construct(
        private readonly Store $store,
        private readonly AtomicStore|NonAtomicFallback|null $comparing,
        private readonly string $key,
        public Placeholder|StoredValue|null $begun = null,
        private ?Placeholder $lease = null,
        private readonly string $beside = '',
    ) {
        $this->name = $beside === '' ? $key : $beside;
    }

    public function __destruct()
    {
        $this->end();
    }

    public function store(StoredValue $made, float $ttl, float $stale): bool
    {
        $stored = $ttl === 0.0 && $made->tagVersions === [] ? StoredValue::plain($made->value) : $made->stored();
        $kept = $ttl === 0.0 ? 0.0 : $ttl + $stale;
        if ($this->comparing === null) {
            return $this->store->set($this->key, $stored, $kept);
        }

        return $this->begun !== null && $this->comparing->setIf($this->key, $this->begun->isStill(...), $stored, $kept);
    }

    public function renew(float $seconds): bool
    {
        $renewed = $this->lease?->renewed($seconds);
        $kept = $this->beside === '' ? $renewed?->secondsOfValue() : $renewed?->secondsOfLease();
        if ($renewed === null || !$this->replaces($renewed, (float) $kept)) {
            return false;
        }
        $this->lease = $renewed;

        return true;
    }

    public function end(bool $isStored = false): void
    {
        $lease = $this->lease;
        if ($lease === null || ($isStored && $this->beside === '')) { // the value is in its place
            $this->lease = null;

            return;
        }

        try {
            $kept = $this->beside === '' ? $lease->secondsOfValue() : self::RELEASED;
            $isReleased = $this->replaces($lease->failure(), $kept);
            $this->lease = null;
            // A full store refuses, but deletes; else the others would wait for this computation.
            if (!$isReleased && $lease->isOfThisProcess() && $lease->isSame($this->store->get($this->name))) {
                $this->store->delete($this->name);
            }
        } catch (StoreFailed) {
            $this->lease = null; // the server is unreachable: the lease ends by its time
        }
    }

    /** @param float $seconds that it is kept */
    private function replaces(Placeholder $placeholder, float $seconds): bool
    {
        return $this->lease?->isOfThisProcess() === true && $this->comparing !== null
            && $this->comparing->setIf($this->name, $this->lease->isSame(...), $placeholder->stored(), $seconds);
    }
}
