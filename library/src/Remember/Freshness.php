<?php

declare(strict_types=1);

namespace Larder\Remember;

use Psr\Clock\ClockInterface;
use Random\Randomizer;

/** How long a computed value is fresh, and when it is recomputed before that. Both are randomized, so that not all processes recompute at once. */
final class Freshness
{
    private const STEPS = 2 ** 53;
    /** More than -log() of the smallest chance there is: nothing is early from further away. */
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

    /**
     * @param float $jitter the share of $ttl by which it may be shorter
     * @return float seconds, 0.0 forever
     */
    public function ttl(float $ttl, float $jitter): float
    {
        return $jitter > 0.0 ? $ttl * (1.0 - $jitter * $this->chance()) : $ttl;
    }

    /**
     * XFetch: the nearer the end and the dearer the value, the likelier. Of many that ask, one or a few are early enough
     * that the rest never find it stale.
     *
     * A. Vattani, F. Chierichetti, K. Lowenstein: Optimal Probabilistic Cache Stampede Prevention, VLDB 2015.
     */
    public function isEarly(StoredValue $value, float $beta): bool
    {
        if ($beta === \INF) {
            return true;
        }
        $span = $value->cost * $beta;
        if ($span <= 0.0 || $value->freshUntil === 0.0) {
            return false;
        }
        $left = $value->freshUntil - $this->now();

        return $left < self::FURTHEST * $span && -log($this->chance()) * $span >= $left;
    }

    /** @return float more than 0, 1 at most */
    private function chance(): float
    {
        return $this->random->getInt(1, self::STEPS) / self::STEPS;
    }
}
