<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/**
 * A store that reads and writes a key atomically: no other process comes between, and no change is lost.
 *
 * A ttl is in seconds, 0 for no expiry. false also means that the store refused (too large, full, unreachable); the
 * existing value stays then. If the connection is lost during a call, the server may or may not have executed it.
 */
interface AtomicStore
{
    /**
     * Stores only if there is no value. Of several processes that do so at once, one succeeds.
     *
     * @return bool false if there is a value
     * @throws InvalidKey|InvalidTtl
     * @phpstan-impure
     */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * @return bool false if there is no value to replace
     * @throws InvalidKey|InvalidTtl
     */
    public function replace(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Adds to an integer, also one that set() stored. A missing one counts as $first and gets the ttl; an existing one
     * keeps its expiry.
     *
     * @param int $step negative to count down
     * @return int|false the sum; false if the value is not an integer, or the sum is outside the range of int
     * @throws InvalidKey|InvalidTtl
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false;

    /**
     * @return bool false if there is no value
     * @throws InvalidKey|InvalidTtl
     */
    public function touch(string $key, int|float $ttl): bool;

    /**
     * Compare and swap: replaces the integer $old by $new; the expiry stays.
     *
     * @return bool false if there is no value, or another one
     * @throws InvalidKey
     */
    public function swap(string $key, int $old, int $new): bool;

    /**
     * Compare and set: replaces the existing value if it is the expected one.
     *
     * @param \Closure(mixed): bool $isExpected receives the existing value, as get() returns it; not called if there is
     *         none. It may be called several times, and must not use the store
     * @return bool false if there is no value, or another one. If the store refused, the existing value may be deleted
     * @throws InvalidKey|InvalidTtl
     * @phpstan-impure
     */
    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool;
}
