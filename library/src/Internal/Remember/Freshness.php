<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Psr\Clock\ClockInterface;
use Random\Randomizer;

/**
 * The time for which a value is fresh, and the chance that it is recomputed early: random, so that not all processes
 * recompute at once.
 */
final class Freshness
{
    private const STEPS = 2 ** 53;
    /** More than -log() of the smallest chance: further from its end, no value is early. */
    private const FURTHEST = 37.0;

    /** @param ClockInterface|null $clock null for that of the machine */
    public function __construct(
        private readonly ?ClockInterface $clock = null,
        private readonly Randomizer $random = new Randomizer(),
    ) {}

    /** @return float unix time */
    public function now(): float
    {
        return $this->clock === null ? microtime(true) : (float) $this->clock->now()->format('U.u');
    }

    /** @return float seconds, shorter than $ttl by up to this share; 0.0 forever */
    public function ttl(float $ttl, float $jitter): float
    {
        return $jitter > 0.0 ? $ttl * (1.0 - $jitter * $this->chance()) : $ttl;
    }

    /**
     * XFetch: the nearer the end and the dearer the value, the likelier. Of many processes that ask, one or a few are
     * early enough that the others never find it stale.
     *
     * A. Vattani, F. Chierichetti, K. Lowenstein: Optimal Probabilistic Cache Stampede Prevention, VLDB 2015.
     */
    public function isEarly(StoredValue $value, float $beta): bool
    {
        return $beta === \INF || $this->mayBeEarly($value, $beta)
            && -log($this->chance()) * $value->cost * $beta >= $value->freshUntil - $this->now();
    }

    /** True if it is near enough to its end. */
    public function mayBeEarly(StoredValue $value, float $beta): bool
    {
        return $value->freshUntil !== 0.0 && $value->freshUntil - $this->now() < self::FURTHEST * $value->cost * $beta;
    }

    /** @return float more than 0, 1 at most */
    private function chance(): float
    {
        return $this->random->getInt(1, self::STEPS) / self::STEPS;
    }
}
