<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/** A store that can change the expiry of a value and leave the value. */
interface Touches
{
    /**
     * @param int|float $ttl seconds from now, 0 for no expiry
     * @return bool false when there is nothing, or the place is away
     * @throws InvalidKey
     * @throws InvalidTtl
     */
    public function touch(string $key, int|float $ttl): bool;
}
