<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Key\Ttl;
use Larder\Tag\Tags;

/** What is being computed for Cache::remember(): given to the function that does it, for what turns out on the way. */
final class Computation
{
    public readonly string $key;
    private float $ttl;
    private bool $isToBeStored = true;

    /** @var array<array-key, int>|null of its tags; null when the store refused one */
    private ?array $tagVersions;

    /** @param RememberOptions<mixed> $options */
    public function __construct(private readonly RememberOptions $options, private readonly Tags $tags, private readonly ?Lease $lease)
    {
        $this->key = $options->key;
        $this->ttl = $options->ttl;
        $this->tagVersions = $options->tags === [] ? [] : $tags->capture($options->tags);
    }

    /**
     * In place of the ttl that remember() was called with.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @throws InvalidTtl
     */
    public function expireAfter(int|float $ttl): void
    {
        $this->ttl = Ttl::seconds($ttl);
    }

    /**
     * Further tags. Call this before what the tags are about is read: an invalidation before this call is not noticed.
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

    /** Gives the value to the caller alone. */
    public function doNotStore(): void
    {
        $this->isToBeStored = false;
    }

    /**
     * Gives the computation its whole lease again, from now. Needed on servers, for what takes longer than the lease.
     *
     * @return bool false when the lease had fallen, or there is none: another may compute the same
     */
    public function renew(): bool
    {
        return $this->lease?->renew((float) $this->options->lease) ?? false;
    }

    /**
     * What is to be stored, and for how many seconds.
     *
     * @param float $cost seconds that it took
     * @return array{mixed, float}|null null for nothing
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
