<?php

declare(strict_types=1);

/**
 * Larder: a cache in shared memory. Every process of one user on one machine sees the same values.
 *
 * Keys are any bytes, 1 to 65,535 of them; an empty or longer key is a ValueError. `$ttl` is in seconds,
 * 0 means no expiry, fractions are allowed, a negative or NAN one is a ValueError. When there is no cache
 * (larder.enabled=0, no room in the directory, all process records taken, not Linux on 64 bits) every function
 * behaves as an empty cache that keeps nothing, and larder_info()['reason'] says why.
 *
 * Values: null, bool, int, float, string and arrays of these come back as they were, without being copied;
 * objects, and arrays that hold objects or shared references, are serialized. Closures, generators and
 * resources are refused with an Exception and nothing is stored.
 *
 * An object that no longer unserializes here is a miss, never an error, and so is whatever holds one: its class or enum
 * case is gone, a property has another type, its code or an autoloader throws, igbinary made it and is not loaded. No
 * handler hears of it; larder_info()['unreadable'] counts it. It stays for those who can read it (while a deployment
 * goes on, others do) until it is stored over, deleted, expired or evicted.
 */

/**
 * Returns the value stored under $key, or $default when there is none (never stored, expired, evicted).
 * null and false are values: give a $default of your own to tell a miss from a stored null.
 * A fetched value belongs to the script: it never changes behind its back, whatever others store.
 */
function larder_fetch(string $key, mixed $default = null): mixed {}

/**
 * Fetches many keys: an array with every asked key, in the order asked; $default for those that are missing.
 * Keys may be strings or integers. As in every PHP array, a key like "12" is the integer 12 in the result.
 *
 * @param mixed[] $keys strings or integers
 * @return mixed[]
 */
function larder_fetch_multiple(array $keys, mixed $default = null): array {}

/**
 * Stores $value under $key in place of what was there, for $ttl seconds (0: no expiry).
 * false when it is refused: larger than an eighth of the cache, or no room could be made; the old value is gone
 * then, so that no stale one is ever read. An exception while serializing leaves the old value.
 */
function larder_store(string $key, mixed $value, int|float $ttl = 0): bool {}

/**
 * Stores many values, all with the same $ttl. true if every one was stored; each is stored for itself.
 *
 * @param mixed[] $values key => value
 */
function larder_store_multiple(array $values, int|float $ttl = 0): bool {}

/** Stores $value only if there is nothing under $key. false if there is, or if it is refused. */
function larder_add(string $key, mixed $value, int|float $ttl = 0): bool {}

/** Stores $value only if there is something under $key. false if not, or if it is refused: what was there stays. */
function larder_replace(string $key, mixed $value, int|float $ttl = 0): bool {}

/**
 * As larder_fetch(), and sets $cas to a token that names just this value as it lies there: give it to larder_store_cas()
 * to store only if nothing else was stored, deleted or cleared since. null when there is nothing under $key: then
 * larder_add() stores only if that is still so. An object that no longer unserializes gives $default and a token, so that
 * it can be stored over. The number itself means nothing; it serves any process of this user.
 */
function larder_fetch_cas(string $key, mixed $default = null, ?int &$cas = null): mixed {}

/**
 * Stores $value under $key only in place of the value that $cas names, for $ttl seconds (0: no expiry). false if that is
 * not there any more (stored anew even with an equal value, counted, deleted, cleared, expired, evicted), or if it is
 * refused: what is there stays. It may also be false although nobody stored: larder_touch() and making room carry a
 * value to another place. So: fetch again and try again, or give up. (An integer that was counted up and down again
 * to what it was is still the same.)
 */
function larder_store_cas(string $key, mixed $value, int $cas, int|float $ttl = 0): bool {}

/** Deletes $key. true if there was a value, false if there was none. */
function larder_delete(string $key): bool {}

/**
 * Deletes many keys. true if there was a value under each of them.
 *
 * @param mixed[] $keys strings or integers
 */
function larder_delete_multiple(array $keys): bool {}

/**
 * Whether there is a value under $key; true also for an object that no longer unserializes, which larder_fetch() misses.
 * Counts neither as a hit nor as a miss.
 */
function larder_exists(string $key): bool {}

/** Gives the value under $key $ttl more seconds from now (0: no expiry). false if there is none. */
function larder_touch(string $key, int|float $ttl): bool {}

/**
 * Adds $step to the integer under $key and returns the sum; no other process can come between.
 * A missing key is created with the value $step and $ttl; an existing one keeps its expiry.
 * false, and nothing changes, when the value is no integer or the sum would leave the range of int.
 */
function larder_increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

/** As larder_increment(), but subtracts; a missing key is created with the value -$step. */
function larder_decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

/** Replaces the integer $old under $key by $new. false if there is no integer or another one. Keeps the expiry. */
function larder_cas(string $key, int $old, int $new): bool {}

/** Deletes everything in the segment, for every process of this user. Values already fetched stay whole. */
function larder_clear(): bool {}

/**
 * Gives memory back to the system, of pages in which nothing is of use any more: after larder_clear(), or when much has
 * expired. No value that could be fetched goes. Also removes the files of segments that no process was attached to for a
 * day. Returns the bytes given back; the cache takes memory again as it needs it.
 */
function larder_release(): int {}

/**
 * Makes the segment anew, empty, if it was made with another larder.size, larder.processes or larder.pin_share than this
 * process has. The others come to the new one within a second, or with their next request. true when the segment is as
 * the settings say; false when none can be made: larder_info()['reason']. `larder resize` calls it.
 */
function larder_resize(): bool {}

/**
 * What the cache holds and what it did. All counts are since the segment was created and over all processes.
 * Costs from tens of microseconds to milliseconds: for people and dashboards, not for every request.
 *
 * Always there:
 * - available: bool, whether there is a cache here. When false, only the keys up to `user` are there.
 * - reason: string, why there is none, or in what it differs from the settings; '' when all is as asked.
 * - version: string, of this extension.
 * - segment: string, its name (larder.segment).
 * - user: int, the effective user id. Each user has a cache of their own: a cron job of root does not see
 *   the one of www-data.
 *
 * When available:
 * - path: string, the file in which the segment lives; '' while nothing has been stored: the first store makes it, and
 *   all figures are 0 until then.
 * - age: float, seconds since the segment was created.
 * - size, size_asked: int, bytes of the segment, and what larder.size asks for.
 * - settings: array, the settings that the segment was made with others for: name => [here, segment]. It is used as it
 *   is; `larder resize` makes it anew.
 * - zero_copy: bool, whether fetches here point into the segment; false: larder.zero_copy=0, or the address
 *   was taken in this process, so values are copied out.
 * - serializer: string, 'igbinary' or 'php': what serializes objects stored from here.
 * - memory: array of int: page_size (bytes), pages (all of them), and how many are free, open (being written),
 *   closed (full), limbo (emptied, but still held by a reader), run (of values longer than half a page). And
 *   dead: bytes of entries that were replaced, deleted or dropped one by one, in pages that still hold others; the
 *   emptiest of those pages are reused first. And committed: bytes of memory that the segment has taken so far; it takes
 *   more as it is needed, up to size. Few free pages are no fault: a cache that works is full.
 * - entries, slots: int, entries in the index, expired ones included until they are reclaimed, and its capacity.
 * - oldest: float, seconds since the oldest page that holds entries was begun: so long stays by now what nobody
 *   uses (what is used is carried to newer pages). In a full cache this is how far back it reaches; when it falls
 *   below the ttl that you give, larder.size is too small.
 * - hits, misses, stores, deletes: int.
 * - unreadable: int, those of the misses at which there was an object that no longer unserializes. Some after a
 *   deployment are usual; when they go on, two versions of the code take turns, or a class throws.
 * - copies: int, hits that copied the value out instead of pointing to it.
 * - evictions: array of int, entries dropped: room (to make room), expired (their time was over), index (both
 *   buckets of a new key were full; many of these mean that larder.size is too small for so many keys).
 * - moves: int, entries carried to another page because they were in use.
 * - refusals: array of int, stores refused: size (too large), room (everything is held by readers).
 * - pins: array of int: pages (held by readers), limit (how many may be), long_lived and long_lived_limit (the
 *   same for processes without request ends, such as the command line), mine (pages held by this process).
 * - processes: array: attached (int), limit (larder.processes), mine (int, this process's record), swept (int,
 *   dead ones cleaned up after), holders (list of the processes that hold most pages: record (int), pid (int, in
 *   that process's own namespace), pages (int), mine (bool), long_lived (bool)).
 *
 * @return mixed[]
 */
function larder_info(): array {}

/**
 * The number of this process, as getmypid() gives it, but without asking the system: some nanoseconds. What keeps
 * connections compares it before each use, since a fork must not use those of its parent.
 */
function larder_pid(): int {}
