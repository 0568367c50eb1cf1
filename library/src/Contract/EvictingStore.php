<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * A store that may drop values before they expire, to make room. One that refuses when it is full does not implement
 * this, or returns false.
 */
interface EvictingStore
{
    public function evicts(): bool;
}
