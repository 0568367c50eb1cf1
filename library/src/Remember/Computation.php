<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Key\Ttl;
use Larder\Tag\TaggedValue;
use Larder\Tag\Tags;
use Larder\Tag\TagVersions;

/** A running computation of Cache::remember(). The callback receives it, to change what becomes of the result. */
final class Computation
{
    public readonly string $key;
    /** What is there and is recomputed: early, stale, or by $beta of INF; null if there is nothing. */
    public readonly ?TaggedValue $previous;
    private float $ttl;
    private bool $isToBeStored = true;

    /** @var array<array-key, int>|null of its tags; null when the store refused one */
    private ?array $tagVersions;

    /** @param RememberOptions<mixed> $options */
    public function __construct(private readonly RememberOptions $options, private readonly Tags $tags, private readonly ?Lease $lease, ?StoredValue $previous = null)
    {
        $this->key = $options->key;
        $this->previous = $previous?->tagged();
        $this->ttl = $options->ttl;
        $this->tagVersions = $options->tags === [] ? [] : $tags->capture($options->tags);
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
     * Adds tags. Call it before you read the data that the tags stand for: an earlier invalidation is not noticed.
     *
     * @throws InvalidKey
     */
    public function tag(string ...$tags): void
    {
        if ($this->tagVersions !== null) {
            $captured = $this->tags->capture($tags);
            // Those that were captured earlier stay: they notice more.
            $this->tagVersions = $captured === null ? null : $this->tagVersions + $captured;
        }
    }

    /** @return TagVersions|null of its tags, for Cache::set(); null if the store refused one: then the result is not to be stored */
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
        return $this->lease?->renew((float) $this->options->lease) ?? false;
    }

    /**
     * What to store, and for how many seconds.
     *
     * @param float $cost seconds that the computation took
     * @return array{mixed, float}|null null to store nothing
     */
    public function stored(mixed $value, float $cost, Freshness $freshness): ?array
    {
        if (!$this->isToBeStored || $this->tagVersions === null) {
            return null;
        }
        if ($this->ttl === 0.0) {
            return [$this->tagVersions === [] ? StoredValue::plain($value) : (new StoredValue($value, 0.0, $cost, $this->tagVersions))->stored(), 0.0];
        }
        $ttl = $freshness->ttl($this->ttl, $this->options->jitter);

        return [(new StoredValue($value, $freshness->now() + $ttl, $cost, $this->tagVersions))->stored(), $ttl + $this->options->stale];
    }
}
