<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/** A store that can store only where there is something, in one step. */
interface Replaces
{
    /**
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is nothing; false too when refused (too large, full, away)
     * @throws InvalidKey
     * @throws InvalidTtl
     */
    public function replace(string $key, mixed $value, int|float $ttl = 0): bool;
}
