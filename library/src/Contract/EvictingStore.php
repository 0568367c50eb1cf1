<?php

declare(strict_types=1);

namespace Larder\Contract;

/**
 * A store that may drop values before they expire, to make room for others. A store that is full and refuses instead does
 * not implement this, or says so.
 */
interface EvictingStore
{
    public function evicts(): bool;
}
