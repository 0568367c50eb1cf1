<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/**
 * A store that reads and writes a key in one step: no other process comes between, and nobody's change is lost.
 *
 * A ttl is in seconds, 0 for no expiry. false also means that the store refused (too large, full, unreachable): what is there
 * stays then. A server that was lost meanwhile may or may not have done it.
 */
interface AtomicStore
{
    /**
     * Stores only where there is nothing: of processes that do so at once, one succeeds.
     *
     * @return bool false when there is a value
     * @throws InvalidKey|InvalidTtl
     * @phpstan-impure
     */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Stores only where there is something.
     *
     * @return bool false when there is nothing
     * @throws InvalidKey|InvalidTtl
     */
    public function replace(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Adds to an integer; get() gives it as one, and set() may have stored it. A missing one counts as $first and gets the
     * ttl; an existing one keeps its expiry.
     *
     * @param int $step negative to count down
     * @return int|false the sum; false when the value is no integer, or the sum would leave the range of int
     * @throws InvalidKey|InvalidTtl
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false;

    /**
     * Gives a value a new lifetime.
     *
     * @return bool false when there is nothing
     * @throws InvalidKey|InvalidTtl
     */
    public function touch(string $key, int|float $ttl): bool;

    /**
     * Compare and swap: puts the integer $new in the place of $old; the expiry stays.
     *
     * @return bool false when there is nothing or something else
     * @throws InvalidKey
     */
    public function swap(string $key, int $old, int $new): bool;

    /**
     * Compare and set: stores in the place of what is there, if that is what is expected.
     *
     * @param \Closure(mixed): bool $isExpected is given what is there, as get() gives it; not called when there is nothing.
     *        It may be called several times, and must not use the store
     * @return bool false when there is nothing or something else; when the store refused, what is there may be gone
     * @throws InvalidKey|InvalidTtl
     * @phpstan-impure
     */
    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool;
}
