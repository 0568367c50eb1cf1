<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Engine;

use Larder\Internal\Remember\Claim;
use Larder\Internal\Remember\StoredValue;

/** A claim in the engine, which ends with the request or the process, and never by a fork. */
final class EngineClaim implements Claim
{
    /** @param int|null $token of the state that the computation began on; null to store nothing */
    public function __construct(private readonly string $name, private readonly ?int $token, private bool $hasLease) {}

    public function __destruct()
    {
        $this->end();
    }

    public function store(StoredValue $made, float $ttl, float $stale): bool
    {
        $stored = StoredValue::tagging($made->value, $made->tagVersions);

        return $this->token !== null
            && \larder_store_cas($this->name, $stored, $this->token, $ttl, $stale, $made->cost);
    }

    public function renew(float $seconds): bool
    {
        return $this->hasLease && \larder_claim($this->name, $token) === \LARDER_CLAIM_OWN && $token === $this->token;
    }

    public function end(bool $isStored = false): void
    {
        if ($this->hasLease) {
            $this->hasLease = false;
            \larder_unclaim($this->name);
        }
    }
}
