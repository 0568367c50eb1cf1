<?php

declare(strict_types=1);

/**
 * Larder: a cache in shared memory. Every process of one user on one machine sees the same values.
 *
 * Keys are any bytes, 1 to 65,535 of them; an empty or longer key is a ValueError. `$ttl` is in seconds,
 * 0 means no expiry, fractions are allowed, a negative or NAN one is a ValueError; null, or none, is what larder.default_ttl says. When there is no cache
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
 * Nothing was refused. With a `false`, or a key that is told as not stored: what was asked for does not apply, for there
 * is a value (larder_add()), none (larder_replace(), larder_touch(), larder_delete()) or another one (larder_cas()).
 *
 * @var int
 */
const LARDER_ERROR_NONE = 0;

/**
 * The value is too large: more than an eighth of the cache, 9 to 11 % of larder.size.
 *
 * @var int
 */
const LARDER_ERROR_SIZE = 1;

/**
 * No room could be made, because readers hold what would have to go.
 *
 * @var int
 */
const LARDER_ERROR_ROOM = 2;

/**
 * What is there is not an integer.
 *
 * @var int
 */
const LARDER_ERROR_TYPE = 3;

/**
 * The sum would leave the range of int.
 *
 * @var int
 */
const LARDER_ERROR_RANGE = 4;

/**
 * There is no cache here; larder_info()['reason'] says why.
 *
 * @var int
 */
const LARDER_ERROR_AWAY = 5;

/**
 * Why the last call in this process that was to change something did not: one of LARDER_ERROR_*. Every larder_store…(),
 * larder_add…(), larder_replace(), larder_touch(), larder_increment(), larder_decrement(), larder_cas(), larder_delete…()
 * and larder_clear() sets it, to LARDER_ERROR_NONE when nothing was refused; of the forms for many keys, which tell
 * this of each key, it is the last one. Reading leaves it.
 */
function larder_last_error(): int {}

/** The same in a sentence, with what to do: for a value that is too large, which larder.size would take it. '' if none. */
function larder_last_error_msg(): string {}

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
 * Stores $value under $key in place of what was there, for $ttl seconds (0: no expiry; null: larder.default_ttl).
 * false when it is refused: larger than an eighth of the cache, or no room could be made (larder_last_error() says which);
 * the old value is gone then, so that no stale one is ever read. An exception while serializing leaves the old value.
 */
function larder_store(string $key, mixed $value, int|float|null $ttl = null): bool {}

/**
 * Stores many values, all with the same $ttl; each is stored for itself.
 *
 * @param mixed[] $values key => value
 * @return int[] the keys that were refused, each with its LARDER_ERROR_*; none if every value was stored
 */
function larder_store_multiple(array $values, int|float|null $ttl = null): array {}

/** Stores $value only if there is nothing under $key. false if there is, or if it is refused. */
function larder_add(string $key, mixed $value, int|float|null $ttl = null): bool {}

/**
 * Stores those of the values under whose keys there is nothing, all with the same $ttl.
 *
 * @param mixed[] $values key => value
 * @return int[] the keys that were not stored: LARDER_ERROR_NONE for those that are there already, else why they were
 *               refused; none if every value was stored
 */
function larder_add_multiple(array $values, int|float|null $ttl = null): array {}

/** Stores $value only if there is something under $key. false if not, or if it is refused: what was there stays. */
function larder_replace(string $key, mixed $value, int|float|null $ttl = null): bool {}

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
function larder_store_cas(string $key, mixed $value, int $cas, int|float|null $ttl = null): bool {}

/** Deletes $key. true if there was a value, false if there was none. */
function larder_delete(string $key): bool {}

/**
 * Deletes many keys.
 *
 * @param mixed[] $keys strings or integers
 * @return mixed[] those under which there was nothing, as they were given; none if there was a value under each
 */
function larder_delete_multiple(array $keys): array {}

/**
 * Deletes every key that begins with $prefix, which is not empty (larder_clear() deletes all), and returns how many there
 * were. What is stored meanwhile may stay. It looks at every key: milliseconds for 100,000 of them. Where many are
 * thrown away often, a version number within the key costs nothing.
 */
function larder_delete_prefix(string $prefix): int {}

/**
 * Whether there is a value under $key; true also for an object that no longer unserializes, which larder_fetch() misses.
 * Counts neither as a hit nor as a miss.
 */
function larder_exists(string $key): bool {}

/**
 * Whether there are values under many keys.
 *
 * @param mixed[] $keys strings or integers
 * @return bool[] every asked key, in the order asked
 */
function larder_exists_multiple(array $keys): array {}

/** Gives the value under $key $ttl more seconds from now (0: no expiry). false if there is none. */
function larder_touch(string $key, int|float $ttl): bool {}

/**
 * Adds $step to the integer under $key and returns the sum; no other process can come between.
 * A missing key is created with the value $step and $ttl; an existing one keeps its expiry.
 * false, and nothing changes, when the value is no integer or the sum would leave the range of int, or when a missing key
 * is refused: larder_last_error() says which.
 */
function larder_increment(string $key, int $step = 1, int|float|null $ttl = null): int|false {}

/** As larder_increment(), but subtracts; a missing key is created with the value -$step. */
function larder_decrement(string $key, int $step = 1, int|float|null $ttl = null): int|false {}

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
 * What is known of the value under $key without looking at it; null when there is none. Counts as neither hit nor miss.
 * - ttl: float, seconds from now until it expires, 0.0 if it does not: as larder_store() takes it.
 * - age: int, whole seconds since it was stored. What is counted keeps its age, and so does what larder_touch() gives
 *   another expiry. After 388 days it begins anew.
 * - size: int, bytes of the cache that it takes: 32, the key, and the value as it lies in memory.
 * - used: bool, whether it was fetched since it was stored, or since it was last carried to another page to make room.
 * How often it was fetched and when last is not known: a fetch that wrote it down would no longer be one that only reads.
 *
 * @return mixed[]|null
 */
function larder_key_info(string $key): ?array {}

/**
 * Walks over the keys that begin with a prefix, '' for all of them, in no order: the key => what larder_key_info() says
 * of it. Others may store, delete and evict meanwhile; no lock is taken, and no value is held.
 *
 * Every key that is there from the beginning of the walk to its end is given, however often it is stored over; no key is
 * given twice, not even one that is deleted and stored anew (for this the iterator remembers 11 to 21 bytes a key); of
 * those that come or go meanwhile some. A segment that is made anew ends it. For a pattern, filter it:
 * new RegexIterator(new LarderIterator('user:'), '/^user:\d+$/', RegexIterator::MATCH, RegexIterator::USE_KEY).
 *
 * @strict-properties
 * @not-serializable
 * @implements Iterator<string, mixed[]>
 */
final class LarderIterator implements Iterator
{
    public function __construct(string $prefix = '') {}

    /** @return mixed[]|null null behind the last key */
    public function current(): ?array {}

    /** null behind the last key; strings of digits stay strings here. */
    public function key(): ?string {}

    public function next(): void {}

    /** Begins a new walk. */
    public function rewind(): void {}

    public function valid(): bool {}
}

/**
 * What the cache holds and what it did. All counts are since the segment was created and over all processes.
 * It looks at all tables, which takes from tens of microseconds to milliseconds: for people and dashboards. With $tables
 * false it looks at none and takes a microsecond or a few: for what asks every second.
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
 * - slots: int, entries that the index has room for.
 * - hits, misses, stores, deletes: int.
 * - unreadable: int, those of the misses at which there was an object that no longer unserializes. Some after a
 *   deployment are usual; when they go on, two versions of the code take turns, or a class throws.
 * - copies: int, hits that copied the value out instead of pointing to it.
 * - evictions: array of int, entries dropped: room (to make room), expired (their time was over), index (both
 *   buckets of a new key were full; many of these mean that larder.size is too small for so many keys).
 * - moves: int, entries carried to another page because they were in use.
 * - refusals: array of int, stores refused: size (too large), room (everything is held by readers).
 *
 * And if it looks at the tables:
 * - memory: array of int: page_size (bytes), pages (all of them), and how many are free, open (being written),
 *   closed (full), limbo (emptied, but still held by a reader), run (of values longer than half a page). And
 *   dead: bytes of entries that were replaced, deleted or dropped one by one, in pages that still hold others; the
 *   emptiest of those pages are reused first. And committed: bytes of memory that the segment has taken so far; it takes
 *   more as it is needed, up to size. Few free pages are no fault: a cache that works is full.
 * - entries: int, entries in the index, expired ones included until they are reclaimed.
 * - oldest: float, seconds since the oldest page that holds entries was begun: so long stays by now what nobody
 *   uses (what is used is carried to newer pages). In a full cache this is how far back it reaches; when it falls
 *   below the ttl that you give, larder.size is too small.
 * - pins: array of int: pages (held by readers), limit (how many may be), long_lived and long_lived_limit (the
 *   same for processes without request ends, such as the command line), mine (pages held by this process).
 * - processes: array: attached (int), limit (larder.processes), mine (int, this process's record), swept (int,
 *   dead ones cleaned up after), holders (list of the processes that hold most pages: record (int), pid (int, in
 *   that process's own namespace), pages (int), mine (bool), long_lived (bool)).
 *
 * @return mixed[]
 */
function larder_info(bool $tables = true): array {}

/**
 * The number of this process, as getmypid() gives it, but without asking the system: some nanoseconds. What keeps
 * connections compares it before each use, since a fork must not use those of its parent.
 */
function larder_pid(): int {}
