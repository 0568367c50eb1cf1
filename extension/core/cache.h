/*
 * Larder's engine: a cache in shared memory, seen from the language binding.
 *
 * This is the only header of core/ that a binding may include. Core knows bytes, keys, pages,
 * processes and time; it knows nothing of PHP.
 *
 * Promises
 *  - Reading never waits: not for a writer, not for a stopped process, not for a dead one. A fetch starts over only
 *    where somebody has put the key into another page, by a store or a move that is complete, between two of its loads.
 *  - A key that is there all the time is found: a read gives a value that it had at some moment during the call.
 *  - No key is locked: of several who change one key at a time each goes on, whether the others run, are slow, stopped
 *    or dead, and nothing is refused because of them.
 *  - A process may be killed at any instruction. Others go on, no wrong value is returned, at most
 *    the one value being written is lost.
 *  - The bytes of a value found with CACHE_PINNED never change and stay mapped until
 *    cache_request_end(), whatever anybody stores, deletes, clears or evicts meanwhile.
 *  - A full cache evicts a little; it is never wiped. An oversized store costs the others nothing.
 *  - A damaged header, page table, index word, entry header or key gives a miss, never a crash.
 *    Value bytes are trusted like the process's own memory.
 *
 * Caveats
 *  - Every process of one user can write the segment; it is one domain of trust.
 *  - A struct cache belongs to one thread. Different threads and processes use one each, at the same
 *    time, without any coordination of their own.
 *  - Between cache_reserve() and cache_commit(), cache_commit_cas() or cache_abandon() the caller must not call any other
 *    function of this header, must not run foreign code and must not leave by longjmp.
 */
#ifndef LARDER_CACHE_H
#define LARDER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cache;

/* ---- Keys and values ------------------------------------------------------------------------ */

enum { CACHE_KEY_MAX = 65535 }; /* bytes; the least is 1 */

struct cache_key {
    const char *bytes;
    uint32_t length; /* 1 to CACHE_KEY_MAX; the caller has checked it */
    uint64_t hash;   /* any 64-bit hash of the bytes, the same in every process; need not be secret */
};

/*
 * What kind of value an entry holds. Core knows one kind, the integer, which is counted in place: it is stored by
 * cache_store_integer() and cache_count(), and what is found are its 8 bytes. All other numbers (2 to 127) are the
 * binding's own.
 */
enum { CACHE_INTEGER = 1, CACHE_KIND_MAX = 127 };

enum cache_hold {
    CACHE_PINNED, /* bytes point into the read-only mapping and stay until cache_request_end() */
    CACHE_COPIED, /* bytes are private scratch, good until the next call with the same cache */
};

struct cache_value {
    const void *bytes; /* 8-byte aligned */
    size_t length;     /* bytes, a multiple of 8: what was reserved, rounded up */
    uintptr_t base;    /* the address that pointers inside the value assume for `bytes`;
                          equal to (uintptr_t)bytes when pinned */
    uint64_t expires;  /* milliseconds of cache_now(), 0 for never; what cache_expiry() gave */
    uint32_t kind;
    enum cache_hold hold;
};

/*
 * Adjusts the pointers inside a value after its bytes were moved. `bytes` is where the copy lies now,
 * in writable memory; the pointers in it still assume that it lies at `from` and must assume `to`
 * afterwards. Called under an announcement: it must not allocate, wait, or leave by longjmp.
 */
typedef void (*cache_rebase)(uint32_t kind, void *bytes, size_t length, uintptr_t from, uintptr_t to);

/* ---- Attaching ------------------------------------------------------------------------------ */

enum { CACHE_SEGMENT_MAX = 64, CACHE_PROCESSES_MAX = 4095 };
#define CACHE_SIZE_MIN (UINT64_C(8) << 20)
#define CACHE_SIZE_MAX (UINT64_C(64) << 30)
/* The rest is for those who store. In the test build readers may hold all, and the tests have to notice. */
#ifdef LARDER_UNREADABLE
#define CACHE_PIN_SHARE_MAX 1.0
#else
#define CACHE_PIN_SHARE_MAX 0.9
#endif

struct cache_options {
    const char *directory; /* the absolute path of an existing directory on a tmpfs, such as /dev/shm */
    const char *segment;   /* 1 to 64 bytes of [A-Za-z0-9._-], not starting with a dot */
    size_t size;           /* bytes wanted */
    unsigned processes;    /* how many processes may attach at once; at least 1 */
    double pin_share;      /* from 0.0: the share of pages that readers may hold */
    uint64_t value_layout; /* hash of what decides the shape of the binding's values */
    bool long_lived;       /* this process has no request ends: a command line, a worker loop */
    bool joins_only;       /* do not make a segment where there is none; a store makes it later all the same */
    bool replaces;         /* make a new segment in place of one of another size, processes or pin_share */
    cache_rebase rebase;   /* may be NULL if no value holds pointers into itself */
};

enum { CACHE_REASON_MAX = 1024 };

/*
 * What attaching needs once a process. Done before workers are forked, it is done once for all of them, and they attach
 * faster; else the first cache_attach() does it. Maps no segment and leaves nothing open. Any thread.
 */
void cache_prepare(void);

/* As getpid(), for some nanoseconds once it was asked for; right in every fork that copies memory. Any thread, after
 * cache_prepare(). */
pid_t cache_pid(void);

/*
 * Attaches to the segment of the effective user, creating it if there is none. One that is there is joined whatever size,
 * processes and pin_share the options say, unless they say that it is to be replaced. Returns NULL when there
 * is no cache to be had, and then `reason` says why in one sentence and what to do. `reason` is also
 * filled, and the cache returned, when it differs from what was asked; else it is "".
 * After NULL, errno is ENOENT if there is no segment and none was to be made: no fault to be reported. Waits for nobody
 * who creates; for one who replaces a damaged segment some milliseconds. May be tried again, at most once a request.
 */
struct cache *cache_attach(const struct cache_options *options, char reason[CACHE_REASON_MAX]);

/* Gives up pins and the process record, and unmaps unless another thread is attached to it. */
void cache_detach(struct cache *cache);

/*
 * The start and the end of a request. The end drops all pins, unless `keep_pins`: then they stay until
 * the next request begins. The beginning drops what a request that was cut short left behind, and
 * attaches anew if the segment was replaced or removed; false: there is no cache now, or the process has another user:
 * detach.
 * Processes with long_lived never need to call either.
 */
bool cache_request_begin(struct cache *cache);
void cache_request_end(struct cache *cache, bool keep_pins);

/*
 * The effective user may have changed: if so, gives the segment up at once, and the next call attaches to that of the
 * new user. What was fetched in this request stays readable until it ends, and nothing else of the segment is left: no
 * writable mapping, no descriptor. Where nobody calls this, a request notices at its beginning, a fork at its first call
 * and a process without request ends after a few calls.
 */
void cache_user_changed(struct cache *cache);

/* Why the cache has no segment at the moment, if it has none, or ""; good until the next call. */
const char *cache_reason(const struct cache *cache);

/*
 * Sets back, without giving up a pin, what a call left announced when it was left by longjmp.
 */
void cache_recover(struct cache *cache);

/* ---- Reading -------------------------------------------------------------------------------- */

/*
 * Looks a key up. True: `value` is filled. False: a miss (absent, expired, damaged, no record free, or no memory for a
 * copy). However often the key is stored meanwhile, it is not missed.
 * With `zero_copy` false the value is always CACHE_COPIED; with true it is CACHE_PINNED while the bound
 * on pinned pages allows (a copy past it costs the same in a segment of any size). Integers and values of up to 24 bytes
 * are always CACHE_COPIED.
 */
bool cache_find(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value);

/* What cache_find() has just found cannot be read here: it counts as a miss, and apart. */
void cache_unreadable(struct cache *cache);

/*
 * As cache_find(), and gives the token of the entry that was found: it names just this entry, for cache_commit_cas().
 * Any number may be one. It holds nothing, and is good in every process for as long as the segment is the same.
 */
bool cache_find_token(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value,
                      uint64_t *token);

/* Whether the key is there and not expired. Counts as neither hit nor miss. */
bool cache_exists(struct cache *cache, const struct cache_key *key);

/*
 * Whether an address lies in a read-only mapping of a segment that this process has mapped. For signal handlers: it only
 * reads memory, and takes no lock. Any thread. (Of more segments than 16 at once, the later ones are not known.)
 */
bool cache_is_mapped(const void *address);

/* ---- Writing -------------------------------------------------------------------------------- */

enum cache_result {
    CACHE_OK,
    CACHE_ABSENT,      /* replace, delete, touch, swap: no such key */
    CACHE_EXISTS,      /* add: the key is there */
    CACHE_DIFFERENT,   /* swap: not the expected one; over: another entry */
    CACHE_NOT_INTEGER, /* count, swap: what is there is no integer */
    CACHE_OVERFLOW,    /* count: the sum would leave the range */
    CACHE_TOO_LARGE,   /* over cache_value_max(): refused at once, others lose nothing */
    CACHE_NO_ROOM,     /* nothing could be evicted: everything is held by readers */
    CACHE_UNAVAILABLE, /* no process record is free, or the segment is gone */
};

/* The longest value, in bytes, that a store may bring; an eighth of the pages. */
size_t cache_value_max(const struct cache *cache);

struct cache_span {
    void *bytes;    /* write the value here, `length` bytes, 8-byte aligned, content undefined */
    uintptr_t base; /* pointers inside the value must assume that it lies here */
    size_t length;  /* what was asked for, rounded up to 8; the caller fills the rounding too */
};

enum cache_mode { CACHE_SET, CACHE_ADD, CACHE_REPLACE };

/*
 * Storing: reserve, write `length` bytes (0 is fine) to span->bytes, commit. cache_reserve() may evict. When it
 * fails in CACHE_SET mode the key's old value is gone, so no stale value stays behind; in the other
 * modes the old value stays. The same holds for a commit that fails. After a failed reserve there is
 * nothing to abandon.
 */
enum cache_result cache_reserve(struct cache *cache, const struct cache_key *key, size_t length,
                                enum cache_mode mode, struct cache_span *span);
enum cache_result cache_commit(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires,
                               enum cache_mode mode);
/*
 * Commits what was reserved with CACHE_REPLACE only if the key's entry is the one that the token names: else
 * CACHE_ABSENT (deleted, expired, evicted) or CACHE_DIFFERENT, and what is there stays. An entry that was carried to
 * another page or got another expiry meanwhile is a different one, although its value is the same.
 */
enum cache_result cache_commit_cas(struct cache *cache, const struct cache_key *key, uint32_t kind,
                                   uint64_t expires, uint64_t token);
void cache_abandon(struct cache *cache);

/*
 * A CACHE_SET store that the binding refused before reserving (an oversized or unserializable value):
 * unlinks the key's old value, so that it does not stay behind, and counts the refusal.
 */
void cache_refuse(struct cache *cache, const struct cache_key *key);

enum cache_result cache_delete(struct cache *cache, const struct cache_key *key);
enum cache_result cache_touch(struct cache *cache, const struct cache_key *key, uint64_t expires);
bool cache_clear(struct cache *cache);

/* Storing an integer, as by cache_reserve() and cache_commit(), or cache_commit_cas(). */
enum cache_result cache_store_integer(struct cache *cache, const struct cache_key *key, int64_t value,
                                      uint64_t expires, enum cache_mode mode);
enum cache_result cache_store_integer_cas(struct cache *cache, const struct cache_key *key, int64_t value,
                                          uint64_t expires, uint64_t token);

/*
 * Gives memory back to the system: that of pages in which nothing is of use any more, and of files in the segment's folder
 * that no process has been attached to for a day. No entry that could be fetched goes. Returns the bytes given back of
 * the segment. Milliseconds; others go on meanwhile.
 */
size_t cache_release(struct cache *cache);

/*
 * Adds `step` to an integer in place and gives the new value. A missing key is created with the value
 * `step` and `expires`; an existing one keeps its expiry. CACHE_NOT_INTEGER or CACHE_OVERFLOW change nothing.
 *
 * Counting is never refused because others do it too, waits for nobody, and no count is lost but with the key. What was
 * counted or swapped within the last minute is not evicted, as long as what is kept for that reason alone is at most
 * a quarter of the memory; its expiry, a store or a delete end it as ever.
 */
enum cache_result cache_count(struct cache *cache, const struct cache_key *key, int64_t step, uint64_t expires,
                              int64_t *result);

/* Replaces an integer `expected` by `desired`; CACHE_DIFFERENT if it is another. */
enum cache_result cache_swap(struct cache *cache, const struct cache_key *key, int64_t expected, int64_t desired);

/* ---- Seeing what is there -------------------------------------------------------------------- */

struct cache_entry {
    const char
        *key; /* private, good until the next call with the same walk; cache_describe() gives the caller's */
    uint32_t key_length;
    uint32_t kind;
    size_t size;      /* bytes of memory that it takes: header, key and value */
    uint64_t expires; /* milliseconds of cache_now(), 0 for never */
    uint64_t age; /* whole seconds since it was stored; begins anew after a year. Carrying and touching keep it */
    bool used;    /* it was fetched since it was stored, or since it was last carried to another page */
};

/*
 * What is known of a key: CACHE_OK and `entry` filled, CACHE_ABSENT, or CACHE_UNAVAILABLE. Counts neither as a hit nor as a use.
 */
enum cache_result cache_describe(struct cache *cache, const struct cache_key *key, struct cache_entry *entry);

/*
 * A walk over all entries whose keys begin with a prefix, while others store, delete and evict. It takes no lock, holds
 * no page between calls and one at a time within a call. It gives
 *  - every key that is there from the first call to the last, however often it is stored over or carried elsewhere;
 *  - no key twice. For this it remembers 64 bits of what it gave, hashed with the segment's secret: two keys that agree
 *    in all of them, one of 10^19 pairs, would be taken for one;
 *  - of keys that come or go meanwhile some.
 * It costs a look at the whole index, and at each entry. A walk is private to the caller; any thread may go on with it.
 */
struct cache_walk;

/* Of `length` bytes, 0 for all keys. NULL: out of memory. */
struct cache_walk *cache_walk_begin(const char *prefix, size_t length);

/* CACHE_OK and the next entry, CACHE_ABSENT after the last one or when the segment was replaced meanwhile, CACHE_NO_ROOM
 * when this process is out of memory, CACHE_UNAVAILABLE. After anything but CACHE_OK only cache_walk_end() may follow. */
enum cache_result cache_walk_next(struct cache *cache, struct cache_walk *walk, struct cache_entry *entry);

void cache_walk_end(struct cache_walk *walk);

/*
 * Deletes every key that begins with a prefix of `length` bytes and is there when this is called, but those that are
 * stored anew meanwhile; gives how many there were, expired ones not counted.
 */
uint64_t cache_delete_prefix(struct cache *cache, const char *prefix, size_t length);

/* ---- Time and figures ------------------------------------------------------------------------ */

/* Milliseconds of a clock that no one can set; ticks of 1 to 4 ms. Never 0. */
uint64_t cache_now(void);

/* The time, in cache_now() milliseconds, `ttl` seconds from now; 0 (never) if ttl is 0. Never later than 17 years after
 * the machine was started: entries have 39 bits for it. */
uint64_t cache_expiry(double ttl);

struct cache_info {
    const char *path;  /* of the segment's file */
    size_t size;       /* bytes of the file */
    size_t size_asked; /* bytes that the settings ask for */
    size_t memory;     /* bytes of the file that have their memory; the rest gets it when it is needed */
    /* What the creator's settings asked for, which holds for all: bytes, and millionths of the pages. */
    size_t size_made_for, pin_share_made_for;
    uintptr_t address; /* of the read-only mapping */
    bool fixed;        /* false: the address was taken here, every fetch copies */
    size_t page_size, pages, pages_free, pages_open, pages_closed, pages_limbo, pages_run;
    /* Of entries that were replaced, deleted or evicted one by one, in pages that are still in use. */
    size_t bytes_dead;
    /* Since the oldest page in use was begun or renewed: so long stays what nobody uses; 0: all free. */
    uint64_t oldest_ms;
    size_t entries; /* index words in use, expired entries included until they are reclaimed */
    size_t slots;   /* index words there are */
    size_t pages_pinned, pages_pinned_long; /* distinct pages in the two populations */
    size_t pin_limit, pin_limit_long;       /* their bounds, pages */
    size_t pages_held_by_me;
    unsigned record;    /* this process's record */
    unsigned processes; /* records in use by living processes */
    unsigned process_limit;
    uint64_t age_ms;                                /* since the segment was created */
    uint64_t hits, misses, stores, deletes, copies; /* copies: fetches that copied */
    uint64_t unreadable;                            /* found, but not readable: misses */
    uint64_t evicted;                               /* entries dropped for room */
    uint64_t expired;                               /* entries dropped because their time was over */
    uint64_t moved;                                 /* entries carried to another page because they were used */
    uint64_t displaced; /* entries dropped because both buckets of a new key were full */
    uint64_t refused_size, refused_room;
    uint64_t swept; /* dead processes whose records were cleared */
};

/*
 * Fills what needs no look at tables that grow with the segment: all but pages_free to pages_run, bytes_dead, oldest_ms,
 * entries, pages_pinned, pages_pinned_long and processes, which are 0. Some microseconds. False as cache_read_info().
 */
bool cache_read_counters(struct cache *cache, struct cache_info *info);

/* Fills `info`. Walks the tables: tens of microseconds to milliseconds. False, with zeros and no path, when this process
 * has no segment or no record at the moment: after a fork at the limit of processes, or where the segment was removed
 * and cannot be made anew. */
bool cache_read_info(struct cache *cache, struct cache_info *info);

/*
 * Names the processes that hold pages, most pages first: up to `most` of them; returns how many were
 * filled.
 */
struct cache_holder {
    unsigned record;
    long process; /* its id, as it knows itself: in a container that is not the host's */
    size_t pages;
    bool me;
    bool long_lived;
};
size_t cache_read_holders(struct cache *cache, struct cache_holder *holders, size_t most);

#endif
