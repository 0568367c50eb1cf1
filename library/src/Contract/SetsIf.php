<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/** A store that can store only where nothing was written since somebody looked. */
interface SetsIf
{
    /**
     * Stores in the place of what is there, if that is what is expected and nobody writes or deletes meanwhile.
     *
     * @param \Closure(mixed): bool $isExpected is given what is there, as get() gives it; not called when there is nothing.
     *        It may be called several times, and must not use the store
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is nothing or something else, which stays; false too when the store refused: what is
     *              there stays then, or is gone
     * @throws InvalidKey
     * @throws InvalidTtl
     * @phpstan-impure
     */
    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool;
}
