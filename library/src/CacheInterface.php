<?php

declare(strict_types=1);

namespace Larder;

use Larder\Contract\Capability;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;
use Larder\Internal\Tag\TaggedValue;
use Larder\Lock\Lock;
use Larder\Remember\Computation;
use Larder\Remember\RememberOptions;
use Larder\Tag\TagVersions;

/**
 * The same interface to every store, for programs to use as a type, decorate and mock. Cache implements it. Methods
 * that only some stores support throw NotSupported on the others (see can()). Where they are supported they are atomic.
 */
interface CacheInterface
{
    public function store(): Store;

    /**
     * The ttl for values that PSR-6 and PSR-16 store without one, from the DSN option default_ttl. The methods of this
     * interface do not use it.
     *
     * @return float seconds, 0.0 for no expiry
     */
    public function defaultTtl(): float;

    /**
     * @return mixed the value, which may be null or false; on a miss the default
     * @throws InvalidKey if it is empty or longer than 65,535 bytes. Calls that write also throw it for a key that
     *         begins with "\0larder-", as Larder's own do
     */
    public function get(string $key, mixed $default = null): mixed;

    /**
     * @param array<string|int> $keys integers too, because PHP turns array keys such as "7" into them
     * @return array<array-key, mixed> every requested key, in the order requested; the default for a miss
     * @throws InvalidKey
     */
    public function getMany(array $keys, mixed $default = null): array;

    /**
     * Like getMany(), and with the tags of each value.
     *
     * @param array<string|int> $keys
     * @return array<array-key, TaggedValue> those that have a value, in the order requested; a miss is left out
     * @throws InvalidKey
     */
    public function getManyWithTags(array $keys): array;

    /**
     * Gets and deletes in one step: of several processes that pull a value at once, one gets it.
     *
     * @return mixed the value, which may be null or false; on a miss, or if the store refused, the default
     * @throws NotSupported|InvalidKey
     * @phpstan-impure
     */
    public function pull(string $key, mixed $default = null): mixed;

    /** @throws InvalidKey */
    public function has(string $key): bool;

    /**
     * @param int|float $ttl seconds, fractions allowed; 0 for no expiry
     * @param array<string|int>|TagVersions $tags for invalidateTags(). For a value computed from data that may have
     *         changed since, pass the result of tagVersions() from before the data were read
     * @return bool false if the store refused the value or a tag; the old value is deleted then
     * @throws InvalidKey also for a tag
     * @throws InvalidTtl if it is negative or not a number
     */
    public function set(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool;

    /**
     * @param array<array-key, mixed> $values
     * @param array<string|int>|TagVersions $tags of each value, as for set()
     * @return bool false if any was refused
     * @throws InvalidKey|InvalidTtl
     */
    public function setMany(array $values, int|float $ttl = 0, array|TagVersions $tags = []): bool;

    /**
     * Returns the value. If there is none, $make computes it. If several processes need it at once, one computes, and
     * the others wait for up to $wait seconds; after that, or as soon as they learn that nothing was stored, they
     * compute it themselves. An exception of $make reaches the caller, unless there is a stale value: that is returned,
     * and the exception goes to PHP's error log. Invalid arguments throw what set() throws.
     *
     * A set, delete or clear during the computation wins over its result, on stores that can compare and set.
     *
     * @template T
     * @param int|float $ttl seconds, 0 for no expiry. Shortened at random by up to $jitter, so that not all expire at
     *         once
     * @param callable(Computation): T $make its result is stored, null and false too
     * @param int|float $stale seconds after the ttl in which the stale value is returned while one process recomputes
     *         it
     * @param list<string> $tags for invalidateTags(); their versions are read before $make is called
     * @param int|float $wait seconds for which the others wait
     * @param int|float $lease seconds after which another process computes if it cannot see whether the first one
     *         lives: on servers
     * @param float $beta how early a value is recomputed before it expires, at random and by its cost (XFetch): 0.0
     *         never; INF now, without waiting: earlier computations no longer store their results, and exceptions reach
     *         the caller
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
     * Returns the values of the keys. Missing ones are computed together, by one call, and stored. There is no lease:
     * if several processes miss the same keys at once, each computes them, and the last result stays. Invalid arguments
     * throw what setMany() throws, before anything is computed.
     *
     * @template T
     * @param array<string|int> $keys
     * @param int|float $ttl seconds, 0 for no expiry
     * @param callable(list<string>): array<array-key, T> $make receives the missing keys and returns their values by
     *         key. A key that it leaves out stays a miss, and other keys are ignored
     * @param array<string|int> $tags of the computed values; their versions are read before $make is called
     * @return array<array-key, T> in the order requested, without misses
     * @throws InvalidKey|InvalidTtl
     * @phpstan-impure
     */
    public function rememberMany(array $keys, int|float $ttl, callable $make, array $tags = []): array;

    /**
     * The current versions of tags, for set(). Call it before you read the data that a value is computed from: the
     * value is then not served if a tag was invalidated since.
     *
     * @param iterable<string|int> $tags 1 to 65,535 bytes each
     * @throws InvalidKey
     */
    public function tagVersions(iterable $tags): TagVersions;

    /**
     * Makes every value with one of these tags a miss, also those that are being computed now. The time does not depend
     * on the number of values.
     *
     * @param iterable<string|int> $tags
     * @return bool false if the store, or one of its servers, is unreachable: it may serve such values when it is back
     * @throws InvalidKey before anything is invalidated
     */
    public function invalidateTags(iterable $tags): bool;

    /**
     * @return bool true also if there was nothing
     * @throws InvalidKey
     */
    public function delete(string $key): bool;

    /**
     * In as few steps as the store can: one round trip for each thousand keys on a server.
     *
     * @param iterable<string|int> $keys
     * @return bool false if one of them may still be there
     * @throws InvalidKey before anything is deleted
     */
    public function deleteMany(iterable $keys): bool;

    /** Removes what this cache stored under its namespace, and nothing else. */
    public function clear(): bool;

    /**
     * Drops the data of one request, which is the content of an array: store. Call it between two requests if one
     * process serves many. Connections stay open, and so does what is known about unreachable servers.
     */
    public function reset(): void;

    /** True if the store of this cache has the capability. */
    public function can(Capability $capability): bool;

    /**
     * Stores only if there is no value, or one that is out of date: past its freshness, or with an invalidated tag.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @param array<string|int>|TagVersions $tags as for set()
     * @return bool false if there is a value, which stays, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function add(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool;

    /**
     * Stores only if there is a value.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false if there is none, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function replace(string $key, mixed $value, int|float $ttl = 0): bool;

    /**
     * Adds to an integer. A missing one counts as $first and gets the ttl; an existing one keeps its expiry. A value
     * with tags, or from remember(), is no counter.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return int|false the sum; false, and nothing changes, if the value is not an integer, the sum is outside the
     *         range of int, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false;

    /**
     * Like increment(), but subtracts. The result may be negative.
     *
     * @param int $step not PHP_INT_MIN, which cannot be negated
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function decrement(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false;

    /**
     * Sets a new ttl, from now; 0 for no expiry. The tags stay.
     *
     * @return bool false if there is no value, if it came from remember() and is not fresh for that long, or if the
     *         store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function touch(string $key, int|float $ttl): bool;

    /**
     * The time from which get() is a miss.
     *
     * @return float|null unix time, 0.0 for never; null if there is no value, or it is out of date
     * @throws NotSupported|InvalidKey
     * @phpstan-impure
     */
    public function expiry(string $key): ?float;

    /**
     * Compare and swap: replaces the integer $old by $new; the expiry stays.
     *
     * @return bool false if there is no value, or another one, which stays, or the store refused
     * @throws NotSupported|InvalidKey
     */
    public function swap(string $key, int $old, int $new): bool;

    /**
     * Like get(), for a change by setIfUnchanged().
     *
     * @param string|null $token names the value; null on a miss
     * @param-out string|null $token
     * @throws InvalidKey
     */
    public function getWithToken(string $key, mixed $default = null, ?string &$token = null): mixed;

    /**
     * Compare and swap of any value: stores if the value is still the one of the token. Values that the store keeps as
     * equal bytes are the same.
     *
     * @param string $token from getWithToken(), of any process
     * @param int|float $ttl seconds, 0 for no expiry
     * @param array<string|int>|TagVersions $tags as for set()
     * @return bool false if there is no value, or another one, which stays. If the store refused, the value may be gone
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function setIfUnchanged(
        string $key,
        string $token,
        mixed $value,
        int|float $ttl = 0,
        array|TagVersions $tags = [],
    ): bool;

    /**
     * A lock that one process holds at a time, until it releases it, $seconds have passed, or it ends. If the holder
     * dies, the lock is free at once on stores of this machine, and after its ttl on servers. It keeps several
     * processes from starting the same work; it does not protect data from a holder that continues after the ttl. A
     * store that loses values may lose a lock too.
     *
     * @param int|float $seconds more than 0, at most a year
     * @param int|float $wait seconds to wait for it, polling every few milliseconds; 0 to try once
     * @param LockLifetime $ends Ttl for a lock that stays when this process ends, because another continues the work
     * @return Lock|null null if another process holds it
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function lock(
        string $key,
        int|float $seconds,
        int|float $wait = 0,
        LockLifetime $ends = LockLifetime::TtlOrProcess,
    ): ?Lock;

    /**
     * The holder of a lock, as of now.
     *
     * @return string|null the token of the lock, as in Lock::$token; null if it is free, or the store is unreachable
     * @throws NotSupported|InvalidKey
     * @phpstan-impure
     */
    public function lockHolder(string $key): ?string;

    /**
     * The keys that have a value. Reads all of them, so it is not for each request.
     *
     * @param string $prefix only keys that begin with it
     * @return iterable<string>
     * @throws NotSupported
     */
    public function keys(string $prefix = ''): iterable;

    /**
     * Removes expired values that still use memory or disk. Stores that support it also remove a few with some writes;
     * this reads all entries, so it is for a cron job.
     *
     * @return int number of values removed
     * @throws NotSupported if the store keeps no expired values, or removes them by itself
     */
    public function prune(): int;
}
