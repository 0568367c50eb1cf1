<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** A value as it was stored, with what is known of it. */
final class Entry
{
    public bool $isUsed = false;

    /**
     * @param string|null $bytes serialized: every fetch gets a value of its own; null for a placeholder
     * @param float $until unix time in seconds until which it is fresh; 0.0 for no expiry
     * @param int $token another one for each value
     * @param float $since unix time in seconds
     * @param float $stale seconds for which it is kept after that
     * @param float $cost seconds that it took to compute
     */
    public function __construct(
        public readonly ?string $bytes,
        public readonly int $token,
        public readonly float $since,
        public float $until,
        public float $stale = 0.0,
        public readonly float $cost = 0.0,
    ) {}

    /** Whether it is not even kept any more. */
    public function hasExpired(float $now): bool
    {
        return $this->until !== 0.0 && $this->until + $this->stale <= $now;
    }

    /** Whether its key counts as missing. */
    public function isMissing(float $now): bool
    {
        return $this->bytes === null || ($this->until !== 0.0 && $this->until <= $now);
    }

    /** Bytes: as much as the extension counts besides key and value, and these. */
    public function size(string $key): int
    {
        return 32 + \strlen($key) + \strlen((string) $this->bytes);
    }

    /** @return array{ttl: float, age: int, size: int, used: bool, often: bool, stale?: float, cost?: float} as of larder_key_info() */
    public function info(string $key, float $now): array
    {
        return [
            'ttl' => $this->until === 0.0 ? 0.0 : max(0.001, $this->until - $now),
            'age' => (int) ($now - $this->since),
            'size' => $this->size($key),
            'used' => $this->isUsed,
            'often' => false, // it evicts nothing, so it does not count
        ] + ($this->stale > 0.0 || $this->cost > 0.0 ? ['stale' => $this->stale, 'cost' => $this->cost] : []);
    }
}
