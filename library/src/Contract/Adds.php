<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/** A store that can store only where there is nothing: of processes that do so at once, one succeeds. */
interface Adds
{
    /**
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is a value, which stays; false too when refused (too large, full, away)
     * @throws InvalidKey
     * @throws InvalidTtl
     * @phpstan-impure
     */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool;
}
