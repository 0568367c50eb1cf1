<?php

declare(strict_types=1);

namespace Larder\Lock;

/**
 * How long may be waited for a lock that another process holds: so long for one call, however many locks it needs. A
 * process that was stopped while it held some would otherwise hold up setMany() once for each key.
 */
final class WaitBudget
{
    private const SECONDS = 1.0;
    /** For each lock when all is used up: one that is only just held by somebody else is had in that time. */
    private const LEAST = 0.001;

    /** Seconds; null outside of calls that need several locks. */
    private ?float $left = null;

    /**
     * Does something as one call.
     *
     * @template T
     * @param \Closure(): T $call
     * @return T
     */
    public function of(\Closure $call): mixed
    {
        if ($this->left !== null) {
            return $call();
        }
        $this->left = self::SECONDS;

        try {
            return $call();
        } finally {
            $this->left = null;
        }
    }

    /** @return float seconds for which may be waited for the next lock */
    public function seconds(): float
    {
        return max(self::LEAST, $this->left ?? self::SECONDS);
    }

    /** @param float $seconds that were waited */
    public function use(float $seconds): void
    {
        if ($this->left !== null) {
            $this->left -= $seconds;
        }
    }
}
