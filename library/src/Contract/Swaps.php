<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;

/** A store that can compare and swap: of processes that swap the same integer at once, one succeeds. */
interface Swaps
{
    /**
     * Puts $new in the place of $old; the expiry stays. Integers only, since some places compare nothing else: give data
     * a version number beside it, and swap that.
     *
     * @return bool false when there is nothing or something else, which stays; false too when the store refused
     * @throws InvalidKey
     */
    public function swap(string $key, int $old, int $new): bool;
}
