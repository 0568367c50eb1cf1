<?php

declare(strict_types=1);

namespace Larder\Internal\Lock;

/**
 * Limits the wait for locks of other processes: for one call, however many locks it needs. Else a process that was
 * stopped while it held some would delay setMany() once for each key.
 */
final class WaitBudget
{
    private const SECONDS = 1.0;
    /** For each lock after all is used up: one that is held for a moment only is free by then. */
    private const LEAST = 0.001;

    /** Seconds; null outside of calls that need several locks. */
    private ?float $left = null;

    /**
     * Makes one call.
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

    /** @return float limit of the wait for the next lock */
    public function seconds(): float
    {
        return max(self::LEAST, $this->left ?? self::SECONDS);
    }

    /** @param float $seconds of waiting */
    public function use(float $seconds): void
    {
        if ($this->left !== null) {
            $this->left -= $seconds;
        }
    }
}
