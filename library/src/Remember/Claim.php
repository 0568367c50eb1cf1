<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Contract\AtomicStore;
use Larder\Contract\Store;
use Larder\Exception\StoreFailed;
use Larder\Process\Pid;

/**
 * What was under a key when its computation began, which is to be there still when the computed value is stored: who has
 * written or deleted there meanwhile was later, and wins. Several computations may have the same claim; the first one stores.
 */
final class Claim
{
    private readonly int $process;

    private function __construct(
        private readonly string $key = '',
        private readonly AtomicStore|InTwoSteps|null $comparing = null,
        private readonly ?StoredValue $begun = null,
        private readonly ?Store $store = null,
    ) {
        $this->process = Pid::own();
    }

    /** @param StoredValue $begun what was there, or was put there: told from all else by isStill() */
    public static function on(AtomicStore|InTwoSteps $store, string $key, StoredValue $begun): self
    {
        return new self($key, $store, $begun);
    }

    /** Stores over whatever is there: for stores that cannot compare. */
    public static function onAnything(Store $store, string $key): self
    {
        return new self($key, store: $store);
    }

    /** Stores nothing. */
    public static function none(): self
    {
        return new self();
    }

    /**
     * @param float $ttl seconds, 0.0 for no expiry
     * @return bool false when another has written or deleted, or the store refused
     */
    public function store(mixed $stored, float $ttl): bool
    {
        $begun = $this->begun;
        if ($this->comparing === null || $begun === null) {
            return $this->store !== null && $this->store->set($this->key, $stored, $ttl);
        }
        $isExpected = static fn(mixed $there): bool => $begun->isStill($there) || $begun->isFollowedBy($there);

        return $this->comparing->setIf($this->key, $isExpected, $stored, $ttl);
    }

    /**
     * Tells those who wait for the value that this computation stored nothing. A fork of its process does not.
     *
     * @param float $seconds for which it is told
     */
    public function fail(float $seconds): void
    {
        if ($this->comparing === null || $this->begun?->isPlaceholder() !== true || $this->process !== Pid::own()) {
            return;
        }

        try {
            $this->comparing->setIf($this->key, $this->begun->isStill(...), $this->begun->failure()->stored(), $seconds);
        } catch (StoreFailed) {
            // Who waits looks for the lease too.
        }
    }
}
