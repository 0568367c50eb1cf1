<?php

declare(strict_types=1);

namespace Larder;

use Larder\Contract\Capability;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;
use Larder\Lock\Lock;
use Larder\Remember\Computation;
use Larder\Remember\RememberOptions;
use Larder\Tag\TagVersions;

/**
 * One cache over every store, for programs to type, decorate and mock; Cache is Larder's own. What only some stores can do
 * throws NotSupported by the others; what they do, they do in one step, whatever other processes do at the same time.
 */
interface CacheInterface
{
    public function store(): Store;

    /**
     * @return mixed the value, which may be null or false; on a miss the default
     * @throws InvalidKey when empty or longer than 65,535 bytes
     */
    public function get(string $key, mixed $default = null): mixed;

    /**
     * @param array<string|int> $keys PHP makes integers of array keys such as "7": they are taken back
     * @return array<array-key, mixed> every asked key in the order asked, misses as the default
     * @throws InvalidKey
     */
    public function getMany(array $keys, mixed $default = null): array;

    /** @throws InvalidKey */
    public function has(string $key): bool;

    /**
     * @param int|float $ttl seconds, fractions allowed; 0 for no expiry
     * @param array<string|int>|TagVersions $tags what invalidateTags() takes; a value that was computed from what may have
     *        changed meanwhile needs those that tagVersions() gave before
     * @return bool false when the store refused, also a tag; the old value is gone then too
     * @throws InvalidKey also for a tag
     * @throws InvalidTtl when negative or not a number
     */
    public function set(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool;

    /**
     * @param array<array-key, mixed> $values
     * @param array<string|int>|TagVersions $tags of each of them, as set() takes them
     * @return bool false when any was refused
     * @throws InvalidKey|InvalidTtl
     */
    public function setMany(array $values, int|float $ttl = 0, array|TagVersions $tags = []): bool;

    /**
     * The value, computed by $make when there is none. Of any number of processes that need it at once, one computes; the
     * others wait for it, 5 seconds at most, and compute for themselves then, or as soon as nothing was stored. An exception
     * of $make is the caller's; only where there is an old value, that is returned, and the exception goes to PHP's error
     * log. Bad input is refused by the exceptions of set().
     *
     * What is set, deleted or cleared while a value is computed is not written over by it, on stores that can compare.
     *
     * @template T
     * @param int|float $ttl seconds, 0 for no expiry; at random up to $jitter shorter, so that not all expire at once
     * @param callable(Computation): T $make what it returns is kept, null and false too
     * @param int|float $stale seconds after its ttl in which the old value is still returned while one makes the new one
     * @param list<string> $tags what invalidateTags() takes; noted before $make is called
     * @param int|float $wait seconds for which others wait
     * @param int|float $lease seconds after which another begins, where it is not to be seen whether the one that computes
     *        lives: on servers
     * @param float $beta how early a value is recomputed before its ttl is over, at random and by its cost (XFetch): 0.0
     *        never, INF now: nothing is waited for, those who began before store no more, and exceptions reach the caller
     * @param float $jitter less than 1
     * @return T
     * @phpstan-impure
     */
    public function remember(
        string $key,
        int|float $ttl,
        callable $make,
        int|float $stale = 0,
        array $tags = [],
        int|float $wait = RememberOptions::WAIT,
        int|float $lease = RememberOptions::LEASE,
        float $beta = 1.0,
        float $jitter = 0.05,
    ): mixed;

    /**
     * The present state of tags, for set(): to be asked for before what a value is computed from is read, so that the value
     * is not served if a tag is invalidated meanwhile.
     *
     * @param iterable<string|int> $tags 1 to 65,535 bytes each
     * @throws InvalidKey
     */
    public function tagVersions(iterable $tags): TagVersions;

    /**
     * Makes every value with one of these tags a miss from now on, and those that are being computed since before. Takes the
     * same time however many values there are.
     *
     * @param iterable<string|int> $tags
     * @return bool false when the store, or one of its servers, cannot be reached: it may serve such values when it is back
     * @throws InvalidKey before anything is invalidated
     */
    public function invalidateTags(iterable $tags): bool;

    /**
     * @return bool true also when there was nothing
     * @throws InvalidKey
     */
    public function delete(string $key): bool;

    /**
     * @param iterable<string|int> $keys
     * @throws InvalidKey
     */
    public function deleteMany(iterable $keys): bool;

    /** Removes what this cache stored under its namespace, and nothing else. */
    public function clear(): bool;

    /**
     * To be called between two requests where one process serves many: what belongs to one request goes, which are the values
     * of an array: store. Connections stay open, and what is known of servers that are unreachable is kept.
     */
    public function reset(): void;

    /** Whether the method that this is about works here. */
    public function can(Capability $capability): bool;

    /**
     * Stores where there is nothing, or a value that is out of date: past its freshness, or with a tag that was invalidated.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is a value, which stays, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Stores where there is something.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is nothing, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function replace(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Adds to an integer. A missing one counts as $first and gets the ttl; an existing one keeps its expiry. One with tags, or
     * from remember(), cannot be counted.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return int|false the sum; false, and nothing changes, when the value is no integer, the sum would leave the range
     *                   of int, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false;

    /**
     * As increment(), downwards, and below 0 too.
     *
     * @param int $step not PHP_INT_MIN, which has no negative
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function decrement(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false;

    /**
     * Gives a value $ttl seconds from now; 0 for no expiry. Its tags stay.
     *
     * @return bool false when there is none, it is one of remember() that is not to be fresh for so long, or the store
     *              refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function touch(string $key, int|float $ttl): bool;

    /**
     * When get() gives a value no longer.
     *
     * @return float|null unix time, 0.0 for never; null when there is none, or it is out of date
     * @throws NotSupported|InvalidKey
     * @phpstan-impure
     */
    public function expiry(string $key): ?float;

    /**
     * Puts the integer $new in the place of $old; the expiry stays.
     *
     * @return bool false when there is nothing or something else, which stays, or the store refused
     * @throws NotSupported|InvalidKey
     */
    public function swap(string $key, int $old, int $new): bool;

    /**
     * A lock that one process has at a time, until it releases it, $seconds are over, or it ends: a holder that died is
     * succeeded at once on stores of this machine, after its ttl on servers. It protects work that several must not begin
     * at once, not data against a holder that went on too long; a store that loses values may lose a lock too.
     *
     * @param int|float $seconds more than 0, a year at most
     * @param int|float $wait seconds to wait for it, 0 to try once; looked at every few milliseconds
     * @param LockLifetime $ends Ttl for a lock that stays when this process ends, as another goes on
     * @return Lock|null null when another has it
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function lock(string $key, int|float $seconds, int|float $wait = 0, LockLifetime $ends = LockLifetime::TtlOrProcess): ?Lock;

    /**
     * The keys that have a value here; not for each request, since all of them are looked at.
     *
     * @param string $prefix with which they begin
     * @return iterable<string>
     * @throws NotSupported
     */
    public function keys(string $prefix = ''): iterable;

    /**
     * Removes what has expired and still takes memory or disk. Stores that offer it remove some at each write too; this looks at all
     * of them, so it is for a cron job.
     *
     * @return int how many values were removed
     * @throws NotSupported by a store that leaves nothing behind, or removes it by itself
     */
    public function prune(): int;
}
