/*
 * Larder's engine: a cache in shared memory, as the language binding sees it.
 *
 * This is the only header of core/ that a binding may include. Core knows bytes, keys, pages, processes and time; it
 * knows nothing of PHP.
 *
 * Promises
 *  - Reading never waits for a writer, nor for a stopped or dead process. A fetch starts over only if another process
 *    completed a store or a move of the key to another page between two of its loads.
 *  - A key that is there all the time is found, with a value that it had at some moment during the call.
 *  - Keys are not locked: of several processes that change a key each proceeds, whether the others run, are slow,
 *    stopped or dead, and nothing is refused because of them.
 *  - A process may be killed at any instruction. Others go on, no wrong value is returned, and at most the one value
 *    being written is lost.
 *  - The bytes of a value found with CACHE_PINNED never change and stay mapped until cache_request_end(), whatever is
 *    stored, deleted, cleared or evicted meanwhile; but in a process that has used up its share only as long as an
 *    address of them is kept where a call of this header finds it: in a register, or in private memory of the process
 *    at a multiple of 8 (scan.h).
 *  - A full cache evicts a little; it is never wiped. An oversized store costs the others nothing.
 *  - A damaged header, page table, index word, entry header or key gives a miss, never a crash. Value bytes are
 *    trusted like the process's own memory.
 *
 * Caveats
 *  - Every process of the user can write the segment; they trust each other.
 *  - A struct cache belongs to one thread. Threads and processes use one each, without coordination.
 *  - Between cache_reserve() and cache_commit() or cache_abandon() the caller must not call any
 *    other function of this header, run foreign code or leave by longjmp.
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

/* What an entry's value is. Core knows integers, which are counted in place: stored by cache_store_integer() and
 * cache_count(), and found as 8 bytes. The numbers 2 to 62 are the binding's own. */
enum { CACHE_INTEGER = 1, CACHE_KIND_MAX = 62, CACHE_PLACEHOLDER = 63 /* core's own, see "Computing once" */ };

/*
 * A value may be kept for longer than it is fresh, and have a cost: the time that it took to compute. Both are one word
 * with the value, 8 bytes of memory. When it is stale its key counts as missing in each function, but for those that take
 * CACHE_STALE, and for a store with its token.
 *
 * `fresh_until`: milliseconds of cache_now(), 0 for as long as it is kept. `cost`: seconds; kept in tenths of a
 * millisecond, up to 55 minutes. The result is 0 if there is nothing to keep.
 */
uint64_t cache_freshness(uint64_t fresh_until, double cost);
enum { CACHE_COSTS_A_SECOND = 10000 };

enum cache_hold {
    CACHE_PINNED, /* bytes are in the read-only mapping and stay while an address of them is kept */
    CACHE_COPIED, /* bytes are private, valid until the next call with the same cache */
};

struct cache_value {
    const void *bytes; /* 8-byte aligned */
    size_t length;     /* the reserved bytes, rounded up to 8 */
    uintptr_t base;    /* the address that pointers inside the value assume for `bytes`; bytes itself if pinned */
    uint64_t expires;  /* until when it is fresh, milliseconds of cache_now(), 0 forever */
    uint32_t kind;
    enum cache_hold hold;
    /* only where stale values are found, too: */
    uint32_t cost;  /* tenths of a millisecond, 0 if not known */
    uint64_t kept;  /* until when it is kept, as `expires` */
    uint64_t found; /* if it has a cost or may be stale: the time now */
};

/* Adjusts the pointers inside a copied value. `bytes` is the copy, in writable memory; its pointers assume that it
 * lies at `from` and must assume `to` afterwards. Called while a page is announced: it must not allocate, wait, or
 * leave by longjmp. */
typedef void (*cache_rebase)(uint32_t kind, void *bytes, size_t length, uintptr_t from, uintptr_t to);

/* ---- Attaching ------------------------------------------------------------------------------ */

enum { CACHE_SEGMENT_MAX = 64, CACHE_PROCESSES_MAX = 4095 };
#define CACHE_SIZE_MIN (UINT64_C(8) << 20)
#define CACHE_SIZE_MAX (UINT64_C(64) << 30)
/* The rest is for stores. In the test build readers may hold all, and the tests must notice. */
#ifdef LARDER_UNREADABLE
#define CACHE_PIN_SHARE_MAX 1.0
#else
#define CACHE_PIN_SHARE_MAX 0.9
#endif

struct cache_options {
    const char *directory; /* absolute path of an existing directory on a tmpfs, such as /dev/shm */
    const char *segment;   /* 1 to 64 bytes of [A-Za-z0-9._-], not starting with a dot */
    size_t size;           /* bytes wanted */
    unsigned processes;    /* how many processes may attach at once; at least 1 */
    double pin_share;      /* share of pages that readers may hold, from 0.0 */
    uint64_t value_layout; /* hash of all that decides the shape of the binding's values */
    bool long_lived;       /* this process has no request ends: a command line, a worker loop */
    bool joins_only;       /* do not create a segment; a later store does */
    bool replaces;         /* replace a segment of another size, processes or pin_share */
    bool keeps;            /* nothing unexpired is evicted, see below; a segment that does not is not joined */
    cache_rebase rebase;   /* may be NULL if no value holds pointers into itself */
};

/*
 * A segment that keeps is for data of which no other copy exists, such as sessions. An entry stays until it expires or is
 * deleted; when there is no room, a store fails with CACHE_NO_ROOM, and the key's old value stays in every mode. Stores
 * compact pages, so that the room of replaced and expired entries comes back. New keys and longer values are refused
 * before they take the last sixteenth, so that what is there can be replaced at its length, if that is up to half a
 * page. All of its memory is taken when it is created, and nothing else can take it. Its file is removed only when no
 * process was attached for 30 days.
 */

enum { CACHE_REASON_MAX = 1024 };

/* Does what attaching needs once a process. Done before workers are forked it is done for all of them; else the first
 * cache_attach() does it. Maps nothing and leaves nothing open. Any thread. */
void cache_prepare(void);

/* getpid() in some nanoseconds; correct in every fork that copies memory. Any thread, after cache_prepare(). */
pid_t cache_pid(void);

/*
 * Attaches to the segment of the effective user, creating it if there is none. An existing one is joined whatever its
 * size, processes and pin_share are, unless it is to be replaced. NULL if no cache is available; `reason` says in a
 * sentence why and what to do. `reason` is also filled if the segment differs from the options, else it is "". After
 * NULL errno is ENOENT if there is no segment and none was to be created: no fault to report. Does not wait for
 * creators; for the replacer of a damaged segment some milliseconds. May be retried, at most once a request.
 */
struct cache *cache_attach(const struct cache_options *options, char reason[CACHE_REASON_MAX]);

/* Drops pins, releases the process record, and unmaps unless another thread is attached. */
void cache_detach(struct cache *cache);

/*
 * The start and the end of a request. The end drops all pins, or with `keep_pins` leaves them until the next request
 * begins. The beginning drops what an interrupted request left, and attaches again if the segment was replaced or
 * removed; false: no cache is available now, or the user has changed: detach. Processes with long_lived need to call
 * neither.
 */
bool cache_request_begin(struct cache *cache);
void cache_request_end(struct cache *cache, bool keep_pins);

/*
 * Call it when the effective user may have changed: then the segment is left, and the next call attaches to the new
 * user's. Values fetched in this request stay readable until it ends; no writable mapping and no descriptor remains.
 * Without this call a request notices at its beginning, a fork at its first call, a process without request ends after
 * a few calls.
 */
void cache_user_changed(struct cache *cache);

/* Why the cache has no segment now, or no record of it, or ""; valid until the next call. */
const char *cache_reason(const struct cache *cache);

/* Clears what a call left announced that was left by longjmp. Pins stay. */
void cache_recover(struct cache *cache);

/* ---- Reading -------------------------------------------------------------------------------- */

/*
 * Looks a key up. True: `value` is filled. False: a miss (absent, expired, damaged, no record free, or no memory for a
 * copy). A key that begins with a NUL byte counts neither as a hit nor as a miss: it is the bookkeeping of a library. A key is
 * not missed however often it is stored meanwhile. CACHE_COPIED without `zero_copy`, and for integers
 * and values of up to 24 bytes; else CACHE_PINNED while the bound on pinned pages allows. A copy past the bound costs
 * the same in a segment of any size.
 */
bool cache_find(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value);

/* The same, but finds stale values too: those that were found after they `expires`. */
bool cache_find_kept(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value);

/* The same beside another value that was just found: `not_yet` is when that one expires, so what lasts as long has not
 * expired either, and the clock need not be read. 0: that one does not expire, or there is none. Counts neither as a hit nor
 * as a miss. */
bool cache_find_beside(struct cache *cache, const struct cache_key *key, bool zero_copy, uint64_t not_yet,
                       struct cache_value *value);

#ifdef LARDER_UNREADABLE
/* For tests: drops the pins of pages that are used no more, now. `omitted` are kinds of memory in which pointers to them
 * are not looked for, see scan.h. */
void cache_scan(struct cache *cache, unsigned omitted);
#endif

/* Counts a hit, or a miss: for what was looked for by cache_find_beside(). */
void cache_count_fetch(struct cache *cache, bool hit);

/* The binding cannot read what cache_find() just found: counts as a miss, and separately. */
void cache_unreadable(struct cache *cache);

/* cache_find() with the token of the entry, for cache_commit(). It may be any number, holds nothing, and is valid
 * in every process while the segment is the same. With CACHE_STALE in `how` it finds stale values
 * too, as cache_find_kept(); with CACHE_UNCOUNTED it counts neither as a hit nor as a miss, but as a use. With
 * CACHE_UNTRACED it counts nothing at all, is no use of the entry, and leaves an expired one where it is. `token` may be
 * NULL. */
enum { CACHE_ZERO_COPY = 1, CACHE_STALE = 2, CACHE_UNCOUNTED = 4, CACHE_UNTRACED = 8 };
bool cache_find_token(struct cache *cache, const struct cache_key *key, unsigned how, struct cache_value *value,
                      uint64_t *token);

/* True if the key is there and unexpired. Counts as neither hit nor miss. */
bool cache_exists(struct cache *cache, const struct cache_key *key);

/* True if an address is in a segment that this process maps read-only. For signal handlers: only reads memory, without
 * a lock. Any thread. (Knows the first 16 segments.) */
bool cache_is_mapped(const void *address);

/* ---- Writing -------------------------------------------------------------------------------- */

enum cache_result {
    CACHE_OK,
    CACHE_ABSENT,      /* replace, delete, touch, swap: no such key */
    CACHE_EXISTS,      /* add: the key is there */
    CACHE_DIFFERENT,   /* swap: another value; cas: another entry */
    CACHE_NOT_INTEGER, /* count, swap: the value is no integer */
    CACHE_OVERFLOW,    /* count: the sum would leave the range */
    CACHE_TOO_LARGE,   /* over cache_value_max(): refused at once */
    CACHE_NO_ROOM,     /* nothing can be evicted: readers hold everything, or the segment keeps its entries */
    CACHE_UNAVAILABLE, /* no process record is free, or the segment is gone */
    CACHE_FAILED,      /* lock: a call of the system failed, see errno */
};

/* The longest value, in bytes: an eighth of the pages. */
size_t cache_value_max(const struct cache *cache);

struct cache_span {
    void *bytes;    /* write the value here, `length` bytes, 8-byte aligned, content undefined */
    uintptr_t base; /* pointers inside the value must assume that it lies here */
    size_t length;  /* as asked for, rounded up to 8; fill the rounding too */
    bool cold;      /* not in the processor's caches: write long values past them */
};

/* The last one: CACHE_ADD, but not over stale values and placeholders. */
enum cache_mode { CACHE_SET, CACHE_ADD, CACHE_REPLACE, CACHE_ADD_IF_GONE };

/* Storing: reserve, write `length` bytes (0 is fine) to span->bytes, commit. cache_reserve() may evict. If it or the
 * commit fails, CACHE_SET removes the key's old value, so that it does not get stale (not in a segment that keeps); the
 * other modes keep it. After a failed reserve there is nothing to abandon. */
enum cache_result cache_reserve(struct cache *cache, const struct cache_key *key, size_t length,
                                enum cache_mode mode, struct cache_span *span);
/* The same for a value with a cache_freshness(), unless that is 0. */
enum cache_result cache_reserve_fresh(struct cache *cache, const struct cache_key *key, size_t length,
                                      uint64_t freshness, enum cache_mode mode, struct cache_span *span);
/* With a token, which else is NULL, whatever the mode, only over the entry that it names: else CACHE_ABSENT (deleted,
 * expired, evicted) or CACHE_DIFFERENT, and what is there stays. An entry that was moved or touched is a different one
 * although its value is the same. */
enum cache_result cache_commit(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires,
                               enum cache_mode mode, const uint64_t *token);
void cache_abandon(struct cache *cache);

/* A CACHE_SET that the binding refused before reserving (an oversized or unserializable value): removes the key's old
 * value and counts the refusal. */
void cache_refuse(struct cache *cache, const struct cache_key *key);

enum cache_result cache_delete(struct cache *cache, const struct cache_key *key);
/* A value that has a freshness is fresh until `expires` then, and kept for as much longer as before. */
enum cache_result cache_touch(struct cache *cache, const struct cache_key *key, uint64_t expires);
bool cache_clear(struct cache *cache);

/* Stores an integer, like cache_reserve() and cache_commit(), or cache_reserve_fresh(). */
enum cache_result cache_store_integer(struct cache *cache, const struct cache_key *key, int64_t value,
                                      uint64_t expires, enum cache_mode mode, const uint64_t *token);
enum cache_result cache_store_integer_fresh(struct cache *cache, const struct cache_key *key, int64_t value,
                                            uint64_t expires, uint64_t freshness, enum cache_mode mode,
                                            const uint64_t *token);

/* Drops the pins of pages that this process does not use any more, gives the memory of pages without live entries back
 * to the system, and removes files of the segment's folder that were unused for a day. No fetchable entry goes. Returns the segment's bytes given back. Milliseconds; others go on
 * meanwhile. */
size_t cache_release(struct cache *cache);

/*
 * Adds `step` to an integer in place and gives the new value. A missing key is created with the value `step` and
 * `expires`; an existing one keeps its expiry. CACHE_NOT_INTEGER and CACHE_OVERFLOW change nothing.
 *
 * Counting is never refused because of other processes, waits for nobody, and a count is lost only with its key. What
 * was counted or swapped within the last minute is not evicted, while what is kept only for that is at most a quarter
 * of the memory; expiry, a store or a delete end it as ever.
 */
enum cache_result cache_count(struct cache *cache, const struct cache_key *key, int64_t step, uint64_t expires,
                              int64_t *result);

/* The same, and where the sum would leave the range, goes on from its other end as unsigned integers do. */
enum cache_result cache_count_wrapping(struct cache *cache, const struct cache_key *key, int64_t step,
                                       uint64_t expires, int64_t *result);

/* Replaces an integer `expected` by `desired`; CACHE_DIFFERENT if it is another. */
enum cache_result cache_swap(struct cache *cache, const struct cache_key *key, int64_t expected, int64_t desired);

/* ---- Locks ----------------------------------------------------------------------------------- */

/*
 * Locks a key, whether it is there or not, against all other processes and threads that lock it; who does not lock is
 * not kept from anything. Released by cache_unlock(), at the end of the request, when the segment is left, and at once
 * when this process dies. A forked child does not have it. A process has CACHE_LOCKS_MAX at most: with so many, one of
 * them, `gives_way`, must be named: it is released when the new one is had. CACHE_NO_ROOM: it was not.
 *
 * Sleeps until the lock is free, at most for `seconds`; how long each holder takes is not bounded by anything here. The
 * thread takes a signal for that, SIGRTMAX - 3. CACHE_EXISTS: another has it; then `owner` is its process, in its own
 * namespace, or 0 if that is not known. CACHE_UNAVAILABLE: see cache_reason(), or no record is free. CACHE_FAILED: the
 * segment's file cannot be opened, see errno; ESTALE: it is no longer there.
 */
enum { CACHE_LOCKS_MAX = 8 };
enum cache_result cache_lock(struct cache *cache, const struct cache_key *key, double seconds,
                             const struct cache_key *gives_way, long *owner);

/* True if this process has the key locked, in the segment that it is attached to now. Between cache_reserve() and
 * cache_commit() it may be called. */
bool cache_is_locked(const struct cache *cache, const struct cache_key *key);

/* All. */
void cache_unlock(struct cache *cache);

/* ---- Claims ---------------------------------------------------------------------------------- */

/*
 * The right to compute the value of a key, which one process (or thread) has at a time. Who does not ask for it is not
 * kept from anything. It ends by cache_end_claim(), with the request, when the segment is left, and within some
 * milliseconds after its owner died. A process may have several; a forked child has none. Claiming makes no system call.
 *
 * CACHE_OK: this process has it. CACHE_EXISTS: it has it already or another has it; or, for a moment, neither of two that
 * asked at once; or so many keys are being computed that there is no room for the claim. Else CACHE_UNAVAILABLE.
 */
enum cache_result cache_claim(struct cache *cache, const struct cache_key *key);

/* After CACHE_EXISTS: sleeps until it is worth asking again, at most for 10 ms, and less if a signal comes. False: no claim
 * can be had now, or this process has it, or those that leave no room for it. */
bool cache_await_claim(struct cache *cache, const struct cache_key *key);

/* Nothing happens if this process does not have it. */
void cache_end_claim(struct cache *cache, const struct cache_key *key);

/* ---- Computing once -------------------------------------------------------------------------- */

/*
 * A process that is to compute a value takes the key's claim. If nothing is there it leaves a placeholder, by whose token the
 * value is stored: with it a store succeeds only if nothing was stored or deleted since, so a later write wins. A placeholder
 * counts as missing in all other calls. Like any entry it may be evicted; then the value is not stored.
 *
 * None of these calls counts as a hit, a miss or a store. None waits for another process but cache_await_computed().
 */
struct cache_token {
    bool
        is_there; /* false: there is nothing, and no room for a placeholder, or a value that need not be waited for */
    uint64_t number;
};

enum cache_claimed {
    CACHE_CLAIM_UNAVAILABLE, /* there is no cache now */
    CACHE_CLAIMED_MISSING,   /* this process has the claim, and no value is there */
    CACHE_CLAIMED_VALUE,     /* this process has the claim, and a value is there, perhaps a stale one */
    CACHE_CLAIMED_BY_OTHER,  /* another has it, or as after cache_claim() */
    CACHE_CLAIMED_BEFORE,    /* this process had it already */
};

/* Takes the claim. `token` becomes that of what is there: the placeholder, or the value. A placeholder lasts until `expires`.
 * `useless`: the token of a value that is replaced by a placeholder; may be NULL. With CACHE_CLAIMED_BY_OTHER there is no
 * token of a fresh value, unless it is useless: whoever missed it need not wait for another. */
enum cache_claimed cache_claim_to_compute(struct cache *cache, const struct cache_key *key, uint64_t expires,
                                          const uint64_t *useless, struct cache_token *token);

enum cache_awaited {
    CACHE_AWAITED_NOTHING_YET, /* ask again */
    CACHE_AWAITED_CHANGE,      /* something else is there now, or the claim can be had */
    CACHE_AWAITED_NOTHING, /* the computation stored nothing, it is this process's own, or there is no cache now */
};

/* After CACHE_CLAIMED_BY_OTHER, with its token: sleeps as cache_await_claim(). */
enum cache_awaited cache_await_computed(struct cache *cache, const struct cache_key *key,
                                        const struct cache_token *token);

/* Ends the claim. If the placeholder is still there, nothing was stored, which those who wait are told; its token stays
 * valid until another computation stores nothing. Nothing happens if this process does not have the claim. If its owner dies or its request ends before, another
 * takes over. */
void cache_end_computing(struct cache *cache, const struct cache_key *key);

/* ---- Seeing what is there -------------------------------------------------------------------- */

struct cache_entry {
    const char *key; /* valid until the next call with the same walk; from cache_describe() the caller's */
    uint32_t key_length;
    uint32_t kind;
    size_t size;       /* bytes of memory: header, key and value */
    uint64_t expires;  /* until when it is fresh, milliseconds of cache_now(), 0 forever */
    uint64_t age;      /* seconds since it was stored, wraps after a year; moves and touches keep it */
    uint64_t stored;   /* the same as milliseconds of cache_now(), up to a second early */
    bool used;         /* fetched since it was stored, or since it last moved to another page */
    const void *value; /* a copy of it, valid as the key is, 8-byte aligned; NULL: see cache_walk_copy() */
};

/* Creates the segment if there is none, as stores do. False: it is not available, see cache_reason(), or no record is free. */
bool cache_create(struct cache *cache);

/* Describes a key's entry: CACHE_OK, CACHE_ABSENT or CACHE_UNAVAILABLE. Counts neither as a hit nor as a use. */
enum cache_result cache_describe(struct cache *cache, const struct cache_key *key, struct cache_entry *entry);

/*
 * A walk over all entries whose keys begin with a prefix, while others store, delete and evict. It takes no lock,
 * holds no page between calls and one at a time within a call. It gives
 *  - every key that is there from the first call to the last, however often it is replaced or moved;
 *  - no key twice: it remembers a secret 64-bit hash of each, by which two keys agree once in 10^19 pairs;
 *  - some of the keys that come or go meanwhile. It reads the buckets of the index that have or have had entries,
 *    those that are found empty for the last time, and each entry. A walk is private to the caller; any thread may
 *    continue it.
 */
struct cache_walk;

/* `length` bytes, 0 for all keys. NULL: out of memory. */
struct cache_walk *cache_walk_begin(const char *prefix, size_t length);

/* CACHE_OK and the next entry; CACHE_ABSENT after the last one or if the segment was replaced; CACHE_NO_ROOM if this
 * process is out of memory; CACHE_UNAVAILABLE. After anything but CACHE_OK only cache_walk_end() may follow. */
enum cache_result cache_walk_next(struct cache *cache, struct cache_walk *walk, struct cache_entry *entry);

/* From now on values of this kind that take up to CACHE_WALK_COPY_MAX bytes are copied with their entries, which counts
 * as a hit and a use; 0: none. For a kind without pointers, not for integers. A walk that fetched them would use up
 * the share of pages that readers may hold, to read each value once. */
enum { CACHE_WALK_COPY_MAX = 4096 };
void cache_walk_copy(struct cache_walk *walk, uint32_t kind);

/* From now on entries are passed over whose keys the filter does not want. It must not call the cache, and one page
 * stays held while it runs. The bytes are its own: nobody changes them meanwhile. */
typedef bool cache_walk_filter(const void *context, const char *key, size_t length);
void cache_walk_only(struct cache_walk *walk, cache_walk_filter *filter, const void *context);

void cache_walk_end(struct cache_walk *walk);

/* Deletes every key that begins with a prefix and is there when this is called, unless it is stored again meanwhile;
 * returns how many unexpired ones there were. */
uint64_t cache_delete_prefix(struct cache *cache, const char *prefix, size_t length);

/* ---- Time and figures ------------------------------------------------------------------------ */

/* Milliseconds of a clock that nobody can set; ticks of 1 to 4 ms. Never 0. */
uint64_t cache_now(void);

/* The time `ttl` seconds from now, in milliseconds of cache_now(); 0 (never) for 0. At most 17 years after boot:
 * entries have 39 bits for it. */
uint64_t cache_expiry(double ttl);

struct cache_info {
    const char *path;  /* of the segment's file */
    size_t size;       /* bytes of the file */
    size_t size_asked; /* bytes that the settings ask for */
    size_t memory;     /* bytes of the file that have memory; the rest gets it on demand */
    /* the creator's settings, which apply to all: bytes, and millionths of the pages */
    size_t size_made_for, pin_share_made_for;
    uintptr_t address; /* of the read-only mapping */
    bool fixed;        /* false: its address was taken here, so every fetch copies */
    size_t page_size, pages, pages_free, pages_open, pages_closed, pages_limbo, pages_run;
    /* of replaced, deleted or displaced entries in pages in use */
    size_t bytes_dead;
    /* since the oldest page in use was opened or renewed: an unused entry stays so long; 0: all free */
    uint64_t oldest_ms;
    size_t entries; /* index words in use, expired entries included until they are reclaimed */
    size_t slots;   /* index words there are */
    size_t pages_pinned, pages_pinned_long; /* distinct pages in the two populations, */
    size_t pages_pinned_any;                /* and in both together */
    size_t pin_limit, pin_limit_long;       /* their bounds, pages */
    size_t pages_held_by_me;
    /* this process's scans for pages that it does not use any more, the pages that they released, and how long the last
     * one took */
    uint64_t scans, scan_pages, scan_ns;
    unsigned record;    /* this process's record */
    unsigned processes; /* records in use by living processes */
    unsigned process_limit;
    uint64_t age_ms;                                /* since the segment was created */
    uint64_t hits, misses, stores, deletes, copies; /* copies: fetches that copied */
    uint64_t unreadable;                            /* found but unreadable: misses */
    uint64_t evicted;                               /* entries dropped for room */
    uint64_t expired;                               /* entries dropped because their time was over */
    uint64_t moved;                                 /* entries carried to another page because they were used */
    uint64_t displaced; /* entries dropped because both buckets of a new key were full */
    uint64_t refused_size, refused_room;
    uint64_t swept; /* dead processes whose records were cleared */
};

/* Fills what needs no walk of tables: the rest (pages_free to pages_run, bytes_dead, oldest_ms, entries, pages_pinned,
 * pages_pinned_long, pages_pinned_any, processes) is 0. Some microseconds. False as cache_read_info(). */
bool cache_read_counters(struct cache *cache, struct cache_info *info);

/* Fills `info` by walking the tables: tens of microseconds to milliseconds. False, with zeros and no path, if this
 * process has no segment or record now: after a fork at the limit of processes, or if the segment was removed and
 * cannot be created again. */
bool cache_read_info(struct cache *cache, struct cache_info *info);

/* How the segment is used. */
struct cache_usage {
    uint64_t hits, misses, stores; /* as in cache_info */
    uint64_t created;              /* milliseconds of cache_now() */
    size_t slots;
    size_t live;    /* of entries, expired ones included until they are reclaimed, and of the rest of their runs */
    size_t entries; /* as many, about: what is just being stored may count twice */
};

/* Fills `usage` without a system call: a microsecond for 64 MiB. False, with zeros: as cache_read_info(). */
bool cache_read_usage(struct cache *cache, struct cache_usage *usage);

/* How much memory there is, in bytes. */
struct cache_memory {
    size_t pages; /* of all pages */
    size_t held;  /* of those that readers hold: a store cannot have them now */
};

/* The same without a look at each page. */
bool cache_read_memory(struct cache *cache, struct cache_memory *memory);

/* The processes that hold pages, most pages first: fills up to `most`, returns how many. */
struct cache_holder {
    unsigned record;
    long process; /* its id in its own namespace */
    size_t pages;
    bool me;
    bool long_lived;
};
size_t cache_read_holders(struct cache *cache, struct cache_holder *holders, size_t most);

#endif
