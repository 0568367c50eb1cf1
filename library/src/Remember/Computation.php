<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Internal\Remember\Claim;
use Larder\Internal\Remember\Freshness;
use Larder\Internal\Remember\StoredValue;
use Larder\Internal\Tag\TaggedValue;
use Larder\Internal\Tag\Tags;
use Larder\Key\Ttl;
use Larder\Tag\TagVersions;

/** A running computation of Cache::remember(). The callback receives it to control how the result is stored. */
final class Computation
{
    public readonly string $key;
    /** The value that is recomputed: early, stale, or with a $beta of INF; null if there is none. */
    public readonly ?TaggedValue $previous;
    private float $ttl;
    private bool $isToBeStored = true;

    /** @var array<array-key, int>|null null if the store refused a tag */
    private ?array $tagVersions;

    /** @param RememberOptions<mixed> $options */
    public function __construct(
        private readonly RememberOptions $options,
        private readonly Store $store,
        private readonly ?Claim $claim,
        ?StoredValue $previous = null,
    ) {
        $this->key = $options->key;
        $this->previous = $previous?->tagged();
        $this->ttl = $options->ttl;
        $this->tagVersions = $options->tags === [] ? [] : (new Tags($store))->capture($options->tags);
    }

    /**
     * Replaces the ttl of the call.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @throws InvalidTtl
     */
    public function expireAfter(int|float $ttl): void
    {
        $this->ttl = Ttl::seconds($ttl);
    }

    /**
     * Adds tags. Call it before you read the data of these tags: an earlier invalidation is not noticed.
     *
     * @throws InvalidKey
     */
    public function tag(string ...$tags): void
    {
        if ($this->tagVersions !== null) {
            $captured = (new Tags($this->store))->capture($tags);
            // Versions from earlier stay: they notice more.
            $this->tagVersions = $captured === null ? null : $this->tagVersions + $captured;
        }
    }

    /**
     * @return TagVersions|null for Cache::set(); null if the store refused a tag: then the result must not be stored
     */
    public function tagVersions(): ?TagVersions
    {
        return $this->tagVersions === null ? null : new TagVersions($this->tagVersions);
    }

    /** Returns the result to the caller without storing it. */
    public function doNotStore(): void
    {
        $this->isToBeStored = false;
    }

    /**
     * Renews the lease, from now. Needed on servers for a computation that takes longer than the lease.
     *
     * @return bool false if the lease had ended, or there is none: another process may compute the same value
     */
    public function renew(): bool
    {
        return $this->claim?->renew((float) $this->options->lease) ?? false;
    }

    /**
     * @internal
     * @param float $cost seconds that the computation took
     * @return array{StoredValue, float}|null what to store, and for how many seconds; null to store nothing
     */
    public function made(mixed $value, float $cost, Freshness $freshness): ?array
    {
        if (!$this->isToBeStored || $this->tagVersions === null) {
            return null;
        }
        $ttl = $freshness->ttl($this->ttl, $this->options->jitter);
        $freshUntil = $ttl === 0.0 ? 0.0 : $freshness->now() + $ttl;

        return [new StoredValue($value, $freshUntil, $cost, $this->tagVersions), $ttl];
    }
}
