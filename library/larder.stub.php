<?php

/**
 * @generate-function-entries
 * @generate-class-entries
 * @generate-legacy-arginfo 80200
 *
 * Larder: a cache in shared memory, shared by all processes of one user on one machine.
 *
 * Keys are any 1 to 65,535 bytes; an empty or longer key throws a ValueError. `$ttl` is in seconds: 0 means no expiry,
 * fractions are allowed, a negative number or NAN throws a ValueError, and null means larder.default_ttl. When no cache
 * is available (larder.enabled=0, no memory in larder.path, no free process record, not 64-bit Linux), every function
 * behaves like an empty cache that stores nothing, and larder_info()['reason'] says why.
 *
 * Values: null, bool, int, float, string and arrays of these are returned without copying. Objects are created by each
 * fetch, and their methods called, as by unserialize(). Closures, generators and resources throw an Exception.
 *
 * Fetching an object that can no longer be created is a miss, never an error: its class or enum case is gone or not in
 * larder.classes, a property has another type, its code or an autoloader throws, or it was serialized by igbinary,
 * which is not loaded. Error handlers do not see it; larder_info()['unreadable'] counts it. The entry stays for
 * processes that can read it (during a deployment, those with the other code) until it is overwritten, deleted,
 * expired or evicted.
 */

/**
 * No error. When a call that was to change something returned false all the same, its condition was not met: there is
 * already a value (larder_add()), none (larder_replace(), larder_touch(), larder_delete()) or another (larder_cas()).
 *
 * @var int
 */
const LARDER_ERROR_NONE = 0;

/**
 * The value is too large: over an eighth of the cache, which is 9 to 11 % of larder.size.
 *
 * @var int
 */
const LARDER_ERROR_SIZE = 1;

/**
 * No memory could be freed because readers hold it.
 *
 * @var int
 */
const LARDER_ERROR_ROOM = 2;

/**
 * The stored value is not an integer.
 *
 * @var int
 */
const LARDER_ERROR_TYPE = 3;

/**
 * The result is outside the range of int.
 *
 * @var int
 */
const LARDER_ERROR_RANGE = 4;

/**
 * No cache is available; larder_info()['reason'] says why.
 *
 * @var int
 */
const LARDER_ERROR_UNAVAILABLE = 5;

/**
 * Returns why the last call in this process that was to change something did not: one of LARDER_ERROR_*. Every store,
 * add, replace, touch, increment, decrement, cas, delete and clear sets it; reading does not. For the functions that
 * take many keys it is the last error of any key.
 */
function larder_last_error(): int {}

/** Returns the last error as a message that says what to do, such as which larder.size accepts the value; '' if none. */
function larder_last_error_msg(): string {}

/**
 * Returns the value of $key, or $default on a miss (never stored, expired, evicted). null and false are values: pass
 * your own default to tell a miss from a stored null. A fetched value does not change, whatever others store. A key
 * that begins with a NUL byte counts neither as a hit nor as a miss, so a library's bookkeeping leaves the hit ratio
 * as it is.
 */
function larder_fetch(string $key, mixed $default = null): mixed {}

/**
 * Returns a value that is valid only as long as another entry says so, such as a copy under a lease. $guard has
 * [$version, ...]; the key $guard . $key has [$version, $value, ...]; this returns $value if both versions are the
 * same integer, and $default if either is missing or has another form or version. So all such values become invalid at
 * once when $guard is deleted, expires or gets another version. It is two fetches in one call, $guard first, and
 * counts as one.
 */
function larder_fetch_if(string $key, string $guard, mixed $default = null): mixed {}

/**
 * Fetches many keys. Returns an array with every requested key, in the order requested, and $default for misses.
 * As in every PHP array, a key like "12" becomes the integer 12.
 *
 * @param mixed[] $keys strings or integers
 * @return mixed[]
 */
function larder_fetch_multiple(array $keys, mixed $default = null): array {}

/**
 * Stores $value under $key for $ttl seconds, and replaces the old value. Returns false if it is refused, because it is
 * larger than an eighth of the cache or no memory could be freed (see larder_last_error()); then the old value is
 * deleted, so no stale value is read. An exception while serializing keeps the old value.
 *
 * $stale: seconds for which the value is kept after its ttl, for larder_fetch_entry(). To all other functions the key
 * does not exist then. $cost: seconds that the value took to compute, for larder_fetch_fresh(); kept to a tenth of a
 * millisecond, up to 55 minutes. With either an entry takes 8 bytes more; without a ttl they are ignored.
 */
function larder_store(string $key, mixed $value, int|float|null $ttl = null, int|float $stale = 0, float $cost = 0.0): bool {}

/**
 * Stores many values with the same $ttl, independently of each other.
 *
 * @param mixed[] $values key => value
 * @return int[] the keys that were refused => LARDER_ERROR_*; empty if every value was stored
 */
function larder_store_multiple(array $values, int|float|null $ttl = null): array {}

/** Stores $value only if $key does not exist. Returns false if it does, or if the value is refused. */
function larder_add(string $key, mixed $value, int|float|null $ttl = null): bool {}

/**
 * Stores those values whose keys do not exist, with the same $ttl.
 *
 * @param mixed[] $values key => value
 * @return int[] the keys that were not stored => LARDER_ERROR_NONE if the key exists, else why it was refused; empty if
 *               every value was stored
 */
function larder_add_multiple(array $values, int|float|null $ttl = null): array {}

/** Stores $value only if $key exists. Returns false if not, or if the value is refused; then the old value stays. */
function larder_replace(string $key, mixed $value, int|float|null $ttl = null): bool {}

/**
 * Like larder_fetch(), and sets $cas to a token of this value: larder_store_cas() with it stores only if the key was
 * not stored, deleted or cleared since. On a miss $cas is null; then use larder_add(). An object that cannot be
 * unserialized gives $default and a token, so that it can be replaced. A token is valid in every process of this user.
 *
 * @param-out int|null $cas
 */
function larder_fetch_cas(string $key, mixed $default = null, mixed &$cas = null): mixed {}

/**
 * Stores $value only if $cas is the token of the current value. Returns false if it is not (stored again, even with an
 * equal value, counted, deleted, expired or evicted), or if the value is refused; then the current value stays. It may
 * also fail although nobody stored, because larder_touch() and eviction move entries: fetch and try again. (An integer
 * that was incremented and decremented to the same number still has the same token.) $stale and $cost: see
 * larder_store().
 */
function larder_store_cas(string $key, mixed $value, int $cas, int|float|null $ttl = null, int|float $stale = 0, float $cost = 0.0): bool {}

/** Deletes $key. Returns whether it existed. */
function larder_delete(string $key): bool {}

/**
 * Deletes many keys.
 *
 * @param mixed[] $keys strings or integers
 * @return mixed[] the keys that did not exist, as given
 */
function larder_delete_multiple(array $keys): array {}

/**
 * Deletes every key that begins with $prefix, which must not be empty (larder_clear() deletes everything), and returns
 * their number. Keys that are stored meanwhile may stay. It looks at every key: milliseconds for 100,000. To invalidate
 * many keys often, put a version number into the key instead.
 */
function larder_delete_prefix(string $prefix): int {}

/**
 * Returns whether $key exists, also if larder_fetch() misses because the object cannot be unserialized. Counts neither
 * as a hit nor as a miss.
 */
function larder_exists(string $key): bool {}

/**
 * Returns whether many keys exist.
 *
 * @param mixed[] $keys strings or integers
 * @return bool[] every requested key, in the order requested
 */
function larder_exists_multiple(array $keys): array {}

/**
 * Sets the ttl of $key, counted from now (0: no expiry). Returns false if it does not exist. A value that is kept when
 * it is stale is kept for as many seconds after the new ttl; with no expiry their number is lost.
 */
function larder_touch(string $key, int|float $ttl): bool {}

/**
 * Adds $step to the integer under $key atomically, and returns the result. A missing key is created with the value
 * $step and $ttl; an existing key keeps its expiry. Returns false, and changes nothing, if the value is not an
 * integer, the result is outside the range of int, or a missing key is refused (see larder_last_error()).
 */
function larder_increment(string $key, int $step = 1, int|float|null $ttl = null): int|false {}

/** Like larder_increment(), but subtracts; a missing key is created with the value -$step. */
function larder_decrement(string $key, int $step = 1, int|float|null $ttl = null): int|false {}

/** Replaces the integer $old under $key by $new. Returns false if the value is another. Keeps the expiry. */
function larder_cas(string $key, int $old, int $new): bool {}

/**
 * Returns a value that was stored with $stale or $cost as long as it need not be computed again. Like larder_fetch(),
 * but returns $default also for
 * - a stale value, and
 * - some of the calls shortly before its ttl ends (XFetch): the likelier the nearer the end, the greater its $cost,
 *   and the greater $beta. So one process recomputes it early, and nobody waits. $beta 0: never. A negative one or NAN throws a
 *   ValueError.
 * Then larder_fetch_entry() has the value, and larder_claim() the right to compute it. A stale or early value counts
 * as a hit. Values stored without $cost are never early.
 */
function larder_fetch_fresh(string $key, mixed $default = null, float $beta = 1.0): mixed {}

/**
 * Returns the value of $key, a stale one too, with what is known of it; null on a miss, or if it cannot be
 * unserialized. Counts neither as a hit nor as a miss.
 * - value: mixed.
 * - ttl: float, seconds until it is stale; negative: since then. 0.0 for no expiry.
 * - stale: float, seconds for which it is kept after its ttl.
 * - cost: float, seconds that it took to compute; 0.0 if not known.
 * - cas: int, its token for larder_store_cas().
 *
 * @return mixed[]|null
 */
function larder_fetch_entry(string $key): ?array {}

/**
 * This process has the claim, and no value is there: compute it.
 *
 * @var int
 */
const LARDER_CLAIM_MISSING = 1;

/**
 * This process has the claim, and a value is there: a stale or early one, or another process has just stored it.
 *
 * @var int
 */
const LARDER_CLAIM_VALUE = 2;

/**
 * Another process has the claim: larder_await() it.
 *
 * @var int
 */
const LARDER_CLAIM_OTHER = 3;

/**
 * This process has the claim already.
 *
 * @var int
 */
const LARDER_CLAIM_OWN = 4;

/**
 * No cache is available, so there is no claim: compute the value, and do not store it.
 *
 * @var int
 */
const LARDER_CLAIM_UNAVAILABLE = 0;

/**
 * Claims the right to compute the value of $key, which one process (or thread) has at a time; returns one of
 * LARDER_CLAIM_*. It does not wait, makes no system call, and keeps nobody from anything who does not ask for it.
 *
 * $cas is set to the token of what is there; null if there is nothing. Where no value is, the claim leaves a
 * placeholder, which has a token and otherwise counts as missing. Store the computed value by larder_store_cas() with
 * that token: it fails if $key was stored or deleted since, as that was later. Then call larder_unclaim().
 *
 * $useless: the token of a value that nobody may take any more, or of a placeholder that nobody may store over any
 * more, whoever has the claim; a new placeholder replaces it. If there is no room for one, $cas is the token of that
 * value.
 *
 * With LARDER_CLAIM_OTHER, $cas is null also if a fresh value is there that is not useless, as when it was stored
 * after this process missed it: larder_await() then returns true at once.
 *
 * The claim ends with larder_unclaim(), at the very end of the request (after shutdown functions and destructors), and
 * within some milliseconds after its process died; then another process can claim. Processes without request ends (the
 * command line, workers) keep it until they call larder_unclaim(). A forked child does not have it, and cannot end it.
 * The placeholder stays for a day at most, or until it is evicted; after that the value is not stored.
 *
 * @param-out int|null $cas
 */
function larder_claim(string $key, mixed &$cas = null, ?int $useless = null): int {}

/**
 * Waits for the process that has the claim of $key, after LARDER_CLAIM_OTHER, for at most $seconds and some
 * milliseconds; $cas as larder_claim() gave it. Returns
 * - true if something else is there now, or the claim can be had: fetch or claim again. Also for a signal that PHP is
 *   to handle first.
 * - false if it is time to compute without the claim: the computation has stored nothing, $seconds are over, this
 *   process has the claim itself, or no cache is available. Whoever stores first with $cas succeeds.
 */
function larder_await(string $key, float $seconds, ?int $cas = null): bool {}

/**
 * Ends this process's claim of $key. If the placeholder is still there, nothing was stored, and those who wait compute
 * at once; its token stays valid until another computation stores nothing. Does nothing if this process does not have
 * the claim.
 */
function larder_unclaim(string $key): void {}

/** Deletes everything in the segment, for every process of this user. Fetched values stay intact. */
function larder_clear(): bool {}

/**
 * Returns memory of unused pages to the system, after larder_clear() or when many entries have expired. No live entry
 * is deleted. Also deletes files of segments that no process has used for a day. Returns the number of bytes; the
 * cache takes memory again as it needs it.
 */
function larder_release(): int {}

/**
 * Replaces the segment by a new, empty one if it was created with another larder.size, larder.processes or
 * larder.pin_share than this process has. Other processes switch to it within a second, or with their next request.
 * Returns whether the segment now has these settings; if not, larder_info()['reason'] says why. The command
 * `larder resize` calls it.
 */
function larder_resize(): bool {}

/**
 * Describes the entry of $key without decoding its value; null if it does not exist. Counts neither as a hit nor as a
 * miss.
 * - ttl: float, seconds until it expires; 0.0 for no expiry.
 * - age: int, whole seconds since it was stored. Counting and larder_touch() do not change it. It wraps after 388 days.
 * - size: int, bytes of memory: 32, the key, and the value as it is in memory.
 * - used: bool, whether it was fetched since it was stored, or since eviction last moved it.
 * - often: bool, whether that was so often that eviction counts no further: three or four times.
 * - stale, cost: float, as of larder_fetch_entry(); only if one of them is not 0.
 * The time and number of fetches are not known: recording them would make every fetch a write.
 *
 * @return mixed[]|null
 */
function larder_key_info(string $key): ?array {}

/**
 * Like larder_fetch(), for tools that look into a cache: it counts nothing, and eviction does not take the entry for a
 * used one. It copies the value. With $incomplete, objects whose class is missing or has changed are no reason to
 * return $default: they become __PHP_Incomplete_Class, whose properties may have numbers for names.
 */
function larder_peek(string $key, mixed $default = null, bool $incomplete = false): mixed {}

/**
 * Iterates over the keys that begin with a prefix ('' for all), in no particular order: key => larder_key_info(). Takes
 * no lock and holds no value; others may store, delete and evict meanwhile.
 *
 * Every key that exists from start to end is returned, however often it is overwritten. No key is returned twice; for
 * this the iterator remembers 11 to 21 bytes a key. Keys that are created or deleted meanwhile may be returned or not.
 * Replacing the segment ends the iteration. For a pattern, filter it:
 * new RegexIterator(new LarderIterator('user:'), '/^user:\d+$/', RegexIterator::MATCH, RegexIterator::USE_KEY).
 *
 * @strict-properties
 * @not-serializable
 * @implements Iterator<string, mixed[]>
 */
final class LarderIterator implements Iterator
{
    public function __construct(string $prefix = '') {}

    /** @return mixed[]|null null after the last key */
    public function current(): ?array {}

    /** Returns null after the last key. Strings of digits stay strings. */
    public function key(): ?string {}

    public function next(): void {}

    /** Starts again. */
    public function rewind(): void {}

    public function valid(): bool {}
}

/**
 * Returns the state of the cache and its counters, which count all processes since the segment was created. Reading all
 * tables takes from tens of microseconds to milliseconds. With $tables false it takes about a microsecond, for monitors
 * that ask every second.
 *
 * Always there:
 * - available: bool, whether a cache is available. If false, only the keys up to `user` are there.
 * - reason: string, why no cache is available, or how it differs from the settings; '' if neither.
 * - version: string, of this extension.
 * - segment: string, its name (larder.segment).
 * - user: int, the effective user id. Each user has a separate cache: a cron job of root does not see the cache of
 *   www-data.
 *
 * If available:
 * - path: string, the file of the segment; '' until the first store creates it, and all counters are 0 until then.
 * - age: float, seconds since the segment was created.
 * - size, size_asked: int, bytes of the segment, and larder.size.
 * - settings: array, settings that differ from those that the segment was created with: name => [here, segment]. The
 *   segment keeps its own until `larder resize` replaces it.
 * - zero_copy: bool, whether fetches point into the segment. If false, they copy: larder.zero_copy=0, or the address of
 *   the segment is taken in this process.
 * - serializer: string, 'igbinary' or 'php': the serializer of objects stored from here.
 * - slots: int, entries that the index can hold.
 * - hits, misses, stores, deletes, clears: int. What a call deletes that clears the cache is not in `deletes`.
 * - unreadable: int, misses because an object could not be unserialized. Some are normal after a deployment. If they
 *   continue, two versions of the code take turns, or a class throws.
 * - copies: int, hits that copied the value instead of pointing to it.
 * - moves: int, entries that eviction moved to another page because they were in use.
 * - evictions: array of int, evicted entries: room (for memory), expired, index (both buckets of a new key were full;
 *   many of these mean that larder.size is too small for so many keys). Of those for memory: unread (that nobody had
 *   read, but once just after they were stored; an eighth of them at most is missing), seconds (the sum of the times
 *   since they were stored or moved).
 * - evicted_ages: list of 16 int, those for memory by that time: under 1 s, 2 s, 4 s and so on, the last without limit.
 * - refusals: array of int, refused stores: size (value too large), room (readers hold the memory).
 *
 * With $tables:
 * - memory: array of int: page_size (bytes), pages (number of all pages), and how many are free, open (being written),
 *   closed (full), limbo (reclaimed, but still held by a reader), large (used by values longer than half a page). Also
 *   dead: bytes of replaced or deleted entries in pages that still hold others. And committed: bytes of memory that the
 *   segment uses so far; it grows up to size. Few free pages are normal: a working cache is full.
 * - entries: int, entries in the index, including expired ones until they are reclaimed.
 * - oldest: float, seconds since the oldest page in use was opened: how long an unused entry stays. Used entries move
 *   to newer pages.
 * - pins: array of int: pages (held by readers), limit (of these), long_lived and long_lived_limit (the same for
 *   processes without request ends, such as the command line), mine (held by this process); scans (of this process's
 *   memory for the pages that it does not use any more), released (pages that they found), scan_us (microseconds that
 *   the last one took).
 * - processes: array: attached (int), limit (larder.processes), mine (int, the record of this process), reaped (int,
 *   dead processes that were cleaned up), holders (list of the processes that hold most pages: record (int), pid (int,
 *   in the process's own namespace), pages (int), mine (bool), long_lived (bool)).
 *
 * @return mixed[]
 */
function larder_info(bool $tables = true): array {}

/**
 * Predicts the hit rate of segments of other sizes: what a quarter, half, twice and four times the size of this one
 * would give under the latest requests, smallest first, with the hit rate that these had. The engine notes what happens
 * to one key in 64 or fewer, and replays its own policy on these notes. At half and twice the size the prediction is
 * mostly within two points, otherwise within four. Large values and keys that return in a fixed order are harder to
 * predict.
 *
 * Returns [] while that is not known: until something was evicted (before that, more memory would change nothing),
 * then for some 50 fetches and stores of each entry that fits, which fill the memory for the notes, and again after
 * larder_clear(). Also for a segment below 12 MiB or with fewer than some ten thousand keys, and for one that does not
 * get all of its memory. A replay takes up to 20 ms, in which other processes go on; a process returns the same
 * prediction for 30 seconds. Keys that are noted, and are in use, take some ten nanoseconds more to fetch.
 *
 * @return list<array{size: int, hit_rate: float}> size as larder_info()['size']; hit_rate from 0.0 to 1.0
 */
function larder_predict(): array {}

/**
 * Returns the process id like getmypid(), but in nanoseconds, without a system call. A client that keeps connections
 * compares it before each use, because a fork must not use its parent's connections.
 */
function larder_pid(): int {}
