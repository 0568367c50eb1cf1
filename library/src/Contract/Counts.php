<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/** A store that can count: additions of any number of processes at once all arrive. */
interface Counts
{
    /**
     * Adds to an integer; get() gives it as one, and set() may have stored it. A missing one counts as $first and gets the
     * ttl; an existing one keeps its expiry.
     *
     * @param int $step negative to count down
     * @param int|float $ttl seconds, 0 for no expiry
     * @return int|false the sum; false, and nothing changes, when the value is no integer, the sum would leave the range
     *                   of int, or the store refused. A place that went away meanwhile may or may not have counted
     * @throws InvalidKey
     * @throws InvalidTtl
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false;
}
