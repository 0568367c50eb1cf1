/*
 * Larder's engine: a cache in shared memory, as the language binding sees it.
 *
 * This is the only header of core/ that a binding may include. Core knows bytes, keys, pages, processes and time; it
 * knows nothing of PHP.
 *
 * Promises
 *  - Reading never waits for a writer, nor for a stopped or dead process. A fetch starts over only if another
 *    process completed a store or a move of the key to another page between two of its loads.
 *  - A key that is there all the time is found, with a value that it had at some moment during the call.
 *  - Keys are not locked. Of several processes that change a key, each proceeds, whether the others run, are slow,
 *    stopped or dead. No call is refused because of them.
 *  - A process may be killed at any instruction. Others go on, no wrong value is returned, and at most the one value
 *    being written is lost.
 *  - The bytes of a value found with CACHE_PINNED never change and stay mapped until cache_request_end(), whatever
 *    is stored, deleted, cleared or evicted in the meantime. A process that has used up its share of pages is an
 *    exception: there they stay only while an address of them is kept where a call of this header can find it. That
 *    is in a register, or in private memory of the process at a multiple of 8 (scan.h).
 *  - A full cache evicts a little; it is never wiped. A store that is refused as too large evicts nothing.
 *  - A damaged header, page table, index word, entry header or key gives a miss, never a crash. Value bytes are
 *    trusted like the process's own memory.
 *
 * Caveats
 *  - Every process of the user can write the segment; they trust each other.
 *  - A struct cache belongs to one thread. Threads and processes use one each, without coordination.
 *  - Between cache_reserve() and cache_commit() or cache_abandon(), the caller must not call any other function of
 *    this header, run foreign code or leave by longjmp.
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

/* Kinds of values. Core knows integers: they are stored by cache_store_integer() and cache_count(), counted in
 * place, and found as 8 bytes. The numbers 2 to 62 are the binding's own. */
enum { CACHE_INTEGER = 1, CACHE_KIND_MAX = 62, CACHE_PLACEHOLDER = 63 /* core's own, see "Computing once" */ };

/*
 * A value may be kept for longer than it is fresh, and may have a cost: the time that it took to compute. Both are
 * stored in one word behind the value (8 bytes). While a value is stale, every function treats its key as missing,
 * except those that find stale values (CACHE_STALE, cache_find_kept()) and a store with the value's token.
 *
 * `fresh_until`: milliseconds of cache_now(); 0: for as long as it is kept. `cost`: seconds, stored in tenths of a
 * millisecond, 55 minutes at most. Returns 0 if there is nothing to store.
 */
uint64_t cache_freshness(uint64_t fresh_until, double cost);
enum { CACHE_COSTS_A_SECOND = 10000 };

enum cache_hold {
    CACHE_PINNED, /* bytes are in the read-only mapping; see "Promises" for how long they stay */
    CACHE_COPIED, /* bytes are private, valid until the next call with the same cache */
};

struct cache_value {
    const void *bytes; /* 8-byte aligned */
    size_t length;     /* the reserved bytes, rounded up to 8 */
    uintptr_t base;    /* the address that pointers inside the value assume for `bytes`; bytes itself if pinned */
    uint64_t expires;  /* fresh until then, milliseconds of cache_now(); 0: forever */
    uint32_t kind;
    enum cache_hold hold;
    /* filled only by calls that find stale values: */
    uint32_t cost;  /* tenths of a millisecond, 0 if not known */
    uint64_t kept;  /* kept until then, as `expires` */
    uint64_t found; /* the time now, unless `expires` is 0 */
};

/* Adjusts the pointers inside a copied value. `bytes` is the copy, in writable memory. Its pointers assume that it
 * lies at `from`; afterwards they must assume `to`. Called while a page is announced, so it must not allocate, wait,
 * or leave by longjmp. */
typedef void (*cache_rebase)(uint32_t kind, void *bytes, size_t length, uintptr_t from, uintptr_t to);

/* ---- Attaching ------------------------------------------------------------------------------ */

enum { CACHE_SEGMENT_MAX = 64, CACHE_PROCESSES_MAX = 4095 };
#define CACHE_SIZE_MIN (UINT64_C(8) << 20)
#define CACHE_SIZE_MAX (UINT64_C(64) << 30)
/* The rest of the pages is for stores. In the test build readers may hold all pages, which the tests must notice. */
#ifdef LARDER_UNREADABLE
#define CACHE_PIN_SHARE_MAX 1.0
#else
#define CACHE_PIN_SHARE_MAX 0.9
#endif

struct cache_options {
    const char *directory; /* absolute path of an existing directory on a tmpfs, such as /dev/shm */
    const char *segment;   /* 1 to 64 bytes of [A-Za-z0-9._-], not starting with a dot */
    size_t size;           /* bytes wanted */
    unsigned processes;    /* processes that may attach at once; at least 1 */
    double pin_share;      /* share of pages that readers may hold, from 0.0 */
    uint64_t value_layout; /* hash of everything that determines the layout of the binding's values */
    bool long_lived;       /* the process has no request ends: a command line, a worker loop */
    bool joins_only;       /* attaching does not create a segment; a later store does */
    bool replaces;         /* replace a segment of another size, processes or pin_share */
    bool keeps; /* nothing unexpired is evicted, see below; only a segment with the same setting is joined */
    cache_rebase rebase; /* may be NULL if no value holds pointers into itself */
};

/*
 * A segment that keeps its entries is for data without another copy, such as sessions. An entry stays until it
 * expires or is deleted. When there is no room, a store fails with CACHE_NO_ROOM, and the key's old value stays in
 * every mode. Stores compact pages, so the space of replaced and expired entries is used again. New keys and longer
 * values may not take the last sixteenth of the memory. So an existing value of up to half a page can always be
 * replaced by one of its length. All memory is taken when the segment is created, and nothing else can take it. The
 * file is removed only when no process has been attached for 30 days.
 */

enum { CACHE_REASON_MAX = 1024 };

/* Prepares the process for attaching, once. A server that calls it before it forks its workers does it for all of
 * them; otherwise the first cache_attach() does it. Maps nothing and leaves nothing open. Any thread. */
void cache_prepare(void);

/* getpid() in some nanoseconds. Correct after every fork that copies memory. Any thread, after cache_prepare(). */
pid_t cache_pid(void);

/*
 * Attaches to the segment of the effective user, and creates it if there is none. An existing segment is joined
 * whatever its size, processes and pin_share are, unless `replaces` is set. Returns NULL if no cache is available;
 * `reason` then says in a sentence why and what to do. `reason` is also filled if the segment differs from the
 * options, otherwise it is "". After NULL, errno is ENOENT if there is no segment and none was to be created, which
 * is no fault to report. Does not wait for creators; waits some milliseconds for a process that replaces a damaged
 * segment. May be retried, at most once a request.
 */
struct cache *cache_attach(const struct cache_options *options, char reason[CACHE_REASON_MAX]);

/* Drops pins, releases the process record, and unmaps unless another thread is attached. */
void cache_detach(struct cache *cache);

/*
 * The start and the end of a request. The end drops all pins; with `keep_pins` they stay until the next request
 * begins. The beginning drops what an interrupted request left, and attaches again if the segment was replaced or
 * removed. It returns false if no cache is available now, or if the user has changed; then detach. A process with
 * `long_lived` need not call either.
 */
bool cache_request_begin(struct cache *cache);
void cache_request_end(struct cache *cache, bool keep_pins);

/*
 * Call it when the effective user may have changed. The cache then leaves the segment, and the next call attaches to
 * the new user's. Values fetched in this request stay readable until it ends; no writable mapping and no descriptor
 * remains. Without this call, a change of user is noticed at the beginning of a request, at the first call of a
 * forked child, or after a few calls in a process without request ends.
 */
void cache_user_changed(struct cache *cache);

/* Says why the cache has no segment or no process record now, or "". Valid until the next call. */
const char *cache_reason(const struct cache *cache);

/* Clears what an interrupted call (one left by longjmp) had announced. Pins stay. */
void cache_recover(struct cache *cache);

/* ---- Reading -------------------------------------------------------------------------------- */

/*
 * Looks a key up. Returns true and fills `value`, or false for a miss: the key is absent, expired or damaged, no
 * process record is free, or there is no memory for a copy. A key that is stored again and again during the call is
 * still found.
 *
 * The value is CACHE_COPIED without `zero_copy`, and if it is an integer or has up to 24 bytes. Otherwise it is
 * CACHE_PINNED while the bound on pinned pages allows. A copy past the bound costs the same in a segment of any
 * size.
 *
 * A key that begins with a NUL byte counts neither as a hit nor as a miss: a library keeps its own data there.
 */
bool cache_find(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value);

/* The same, but finds stale values, too. A value is stale if `expires` is not 0 and `found` has reached it. */
bool cache_find_kept(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value);

/* The same, right after another value was found. `not_yet` is when that value expires. A value that expires no
 * earlier has not expired either, so the clock need not be read. 0: the other value does not expire, or there is
 * none. Counts neither as a hit nor as a miss. */
bool cache_find_beside(struct cache *cache, const struct cache_key *key, bool zero_copy, uint64_t not_yet,
                       struct cache_value *value);

#ifdef LARDER_UNREADABLE
/* For tests: drops the pins of unused pages at once. Pointers are not looked for in the kinds of memory in
 * `omitted`, see scan.h. */
void cache_scan(struct cache *cache, unsigned omitted);
#endif

/* Counts a hit or a miss for a key that was looked up by cache_find_beside(). */
void cache_count_fetch(struct cache *cache, bool hit);

/* Reports that the binding cannot read the value that cache_find() just found. Counts it as a miss, and separately. */
void cache_unreadable(struct cache *cache);

/*
 * cache_find() with the token of the entry, for cache_commit(). `token` may be NULL. A token may be any number,
 * holds no memory, and is valid in every process as long as the segment is the same.
 *
 * With CACHE_STALE in `how`, stale values are found too, as by cache_find_kept(). With CACHE_UNCOUNTED the call
 * counts neither as a hit nor as a miss, but as a use. With CACHE_UNTRACED it counts nothing, is no use of the
 * entry, and leaves an expired entry in place.
 */
enum { CACHE_ZERO_COPY = 1, CACHE_STALE = 2, CACHE_UNCOUNTED = 4, CACHE_UNTRACED = 8 };
bool cache_find_token(struct cache *cache, const struct cache_key *key, unsigned how, struct cache_value *value,
                      uint64_t *token);

/* True if the key is there and unexpired. Counts as neither hit nor miss. */
bool cache_exists(struct cache *cache, const struct cache_key *key);

/* True if an address is in a segment that this process maps read-only. For signal handlers: it only reads memory and
 * takes no lock. Any thread. (Knows the first 256 mappings.) */
bool cache_is_mapped(const void *address);

/* ---- Writing -------------------------------------------------------------------------------- */

enum cache_result {
    CACHE_OK,
    CACHE_ABSENT,      /* replace, delete, touch, swap: the key is missing */
    CACHE_EXISTS,      /* add: the key is there */
    CACHE_DIFFERENT,   /* swap: another value; cas: another entry */
    CACHE_NOT_INTEGER, /* count, swap: the value is not an integer */
    CACHE_OVERFLOW,    /* count: the sum would leave the range */
    CACHE_TOO_LARGE,   /* longer than cache_value_max(): refused at once */
    CACHE_NO_ROOM,     /* nothing can be evicted: readers hold all pages, or the segment keeps its entries */
    CACHE_UNAVAILABLE, /* no process record is free, or the segment is gone */
    CACHE_FAILED,      /* lock: a system call failed, see errno */
};

/* The longest value, in bytes: an eighth of the pages. */
size_t cache_value_max(const struct cache *cache);

struct cache_span {
    void *bytes;    /* write the value here, `length` bytes, 8-byte aligned, content undefined */
    uintptr_t base; /* pointers inside the value must assume that it lies here */
    size_t length;  /* the requested length, rounded up to 8; fill the padding too */
    bool cold;      /* not in the processor's caches: write long values past them */
};

/* CACHE_ADD_IF_GONE: as CACHE_ADD, but does not replace stale values and placeholders. */
enum cache_mode { CACHE_SET, CACHE_ADD, CACHE_REPLACE, CACHE_ADD_IF_GONE };

/* Storing: reserve, write `length` bytes (0 is allowed) to span->bytes, commit. cache_reserve() may evict. If it or
 * the commit fails, CACHE_SET removes the key's old value, which would be outdated (not in a segment that keeps its
 * entries). The other modes leave it. After a failed reserve there is nothing to abandon. */
enum cache_result cache_reserve(struct cache *cache, const struct cache_key *key, size_t length,
                                enum cache_mode mode, struct cache_span *span);
/* The same for a value with a cache_freshness(), unless that is 0. */
enum cache_result cache_reserve_fresh(struct cache *cache, const struct cache_key *key, size_t length,
                                      uint64_t freshness, enum cache_mode mode, struct cache_span *span);
/* `token` may be NULL. With a token, whatever the mode, the value is stored only over the entry that the token
 * names. Otherwise the result is CACHE_ABSENT (deleted, expired, evicted) or CACHE_DIFFERENT, and the present value
 * stays. An entry that was moved or touched is a different one although its value is the same. */
enum cache_result cache_commit(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires,
                               enum cache_mode mode, const uint64_t *token);
void cache_abandon(struct cache *cache);

/* For a CACHE_SET that the binding refused before reserving (an oversized or unserializable value): removes the
 * key's old value and counts the refusal. */
void cache_refuse(struct cache *cache, const struct cache_key *key);

enum cache_result cache_delete(struct cache *cache, const struct cache_key *key);
/* True if new entries take the place of others, as of late. Then a shorter form of a value saves more time than it
 * costs. */
bool cache_is_full(const struct cache *cache);

/* As cache_reserve_fresh(), but only in the page that is open for new entries: it evicts nothing and does not wait.
 * CACHE_NO_ROOM: the page has no room, or the segment keeps its entries. Nor is it done while a process computes the key,
 * because that stores over the token that it began with. */
enum cache_result cache_reserve_beside(struct cache *cache, const struct cache_key *key, size_t length,
                                       uint64_t freshness, struct cache_span *span);

/* Puts another form of a value, reserved by cache_reserve_beside(), in place of the entry with this token. It has the
 * entry's age (`stored`, see cache_describe()), and does not count as a store. */
enum cache_result cache_commit_beside(struct cache *cache, const struct cache_key *key, uint32_t kind,
                                      uint64_t expires, uint64_t stored, uint64_t token);

/* Gives the value a new expiry. A value with a freshness is then fresh until `expires`, and kept for the same time
 * beyond that as before. */
enum cache_result cache_touch(struct cache *cache, const struct cache_key *key, uint64_t expires);
bool cache_clear(struct cache *cache);

/* Stores an integer, like cache_reserve() and cache_commit(), or cache_reserve_fresh(). */
enum cache_result cache_store_integer(struct cache *cache, const struct cache_key *key, int64_t value,
                                      uint64_t expires, enum cache_mode mode, const uint64_t *token);
enum cache_result cache_store_integer_fresh(struct cache *cache, const struct cache_key *key, int64_t value,
                                            uint64_t expires, uint64_t freshness, enum cache_mode mode,
                                            const uint64_t *token);

/* Drops the pins of pages that this process no longer uses, returns the memory of pages without live entries to the
 * system, and removes files of the segment's folder that were unused for a day. No entry that could be fetched is
 * lost. Returns the number of bytes that the segment gave back. Takes milliseconds, in which other processes go on. */
size_t cache_release(struct cache *cache);

/*
 * Adds `step` to an integer in place and returns the new value in `result`. A missing key is created with the value
 * `step` and `expires`; an existing one keeps its expiry. CACHE_NOT_INTEGER and CACHE_OVERFLOW change nothing.
 *
 * Counting is never refused because of other processes and never waits for them. A count is lost only with its key.
 * An integer that was counted or swapped within the last minute is not evicted, as long as integers that are kept
 * only for that reason take a quarter of the memory at most. Expiry, a store or a delete end it as usual.
 */
enum cache_result cache_count(struct cache *cache, const struct cache_key *key, int64_t step, uint64_t expires,
                              int64_t *result);

/* The same, but a sum outside the range wraps around, as unsigned integers do. */
enum cache_result cache_count_wrapping(struct cache *cache, const struct cache_key *key, int64_t step,
                                       uint64_t expires, int64_t *result);

/* Replaces an integer `expected` by `desired`. CACHE_DIFFERENT if the key has another integer. */
enum cache_result cache_swap(struct cache *cache, const struct cache_key *key, int64_t expected, int64_t desired);

/* ---- Locks ----------------------------------------------------------------------------------- */

/*
 * Locks a key, whether it is present or not, against all other processes and threads that lock it. The lock does not
 * restrict calls that do not ask for it. It is released by cache_unlock(), at the end of the request, when the
 * segment is left, and at once when this process dies. A forked child does not have it.
 *
 * A process has at most CACHE_LOCKS_MAX locks. When it has that many, it must name one of them as `gives_way`, which
 * is released once the new lock is acquired; if it names none, the result is CACHE_NO_ROOM.
 *
 * Sleeps until the lock is free, for `seconds` at most. Nothing here limits how long a holder keeps the lock. The
 * sleep uses the signal SIGRTMAX - 3 of this thread. CACHE_EXISTS: another process has the lock; `owner` is its id
 * in its own namespace, or 0 if unknown. CACHE_UNAVAILABLE: see cache_reason(), or no record is free. CACHE_FAILED:
 * the segment's file cannot be opened, see errno; ESTALE: the file is no longer there.
 */
enum { CACHE_LOCKS_MAX = 8 };
enum cache_result cache_lock(struct cache *cache, const struct cache_key *key, double seconds,
                             const struct cache_key *gives_way, long *owner);

/* True if this process has the key locked, in the segment that it is attached to now. May be called between
 * cache_reserve() and cache_commit(). */
bool cache_is_locked(const struct cache *cache, const struct cache_key *key);

/* Releases all locks of this process. */
void cache_unlock(struct cache *cache);

/* ---- Claims ---------------------------------------------------------------------------------- */

/*
 * A claim is the right to compute the value of a key. One process (or thread) has it at a time. It does not restrict
 * calls that do not ask for it. It ends by cache_end_claim(), with the request, when the segment is left, and within
 * some milliseconds after its owner died. A process may have several; a forked child has none. Claiming makes no
 * system call.
 *
 * CACHE_OK: this process has the claim. CACHE_EXISTS: this process already has it, or another one has it; or two
 * processes asked at once and, for a moment, neither has it; or so many keys are being computed that there is no
 * room for the claim. Otherwise CACHE_UNAVAILABLE.
 */
enum cache_result cache_claim(struct cache *cache, const struct cache_key *key);

/* After CACHE_EXISTS: sleeps until it is worth asking again, for 10 ms at most; a signal ends the sleep. False: no
 * claim can be acquired now, because there is no cache, or because this process itself has this claim or all those
 * that leave no room for it. */
bool cache_await_claim(struct cache *cache, const struct cache_key *key);

/* Ends the claim. Does nothing if this process does not have it. */
void cache_end_claim(struct cache *cache, const struct cache_key *key);

/* ---- Computing once -------------------------------------------------------------------------- */

/*
 * A process that is to compute a value takes the key's claim. If the key has no value, the process leaves a
 * placeholder, and stores the value by the placeholder's token. Such a store succeeds only if nothing was stored or
 * deleted since, so a later write wins. A placeholder counts as missing in all other calls. It may be evicted like
 * any entry; then the computed value is not stored.
 *
 * None of these calls counts as a hit, a miss or a store. Only cache_await_computed() waits for another process.
 */
struct cache_token {
    bool is_there; /* false: nothing is there and a placeholder has no room, or the value need not be waited for */
    uint64_t number;
};

enum cache_claimed {
    CACHE_CLAIM_UNAVAILABLE, /* there is no cache now */
    CACHE_CLAIMED_MISSING,   /* this process has the claim; the key has no value */
    CACHE_CLAIMED_VALUE,     /* this process has the claim; the key has a value, perhaps a stale one */
    CACHE_CLAIMED_BY_OTHER,  /* another process has it, or as CACHE_EXISTS of cache_claim() */
    CACHE_CLAIMED_BEFORE,    /* this process had it already */
};

/* Takes the claim. `token` receives the token of the placeholder or value of the key. A placeholder lasts until
 * `expires`. `useless` may be NULL, or the token of a value that is to be replaced by a placeholder. With
 * CACHE_CLAIMED_BY_OTHER, the token of a fresh value is returned only if that value is useless: a caller that missed
 * it need not wait for another one. */
enum cache_claimed cache_claim_to_compute(struct cache *cache, const struct cache_key *key, uint64_t expires,
                                          const uint64_t *useless, struct cache_token *token);

enum cache_awaited {
    CACHE_AWAITED_NOTHING_YET, /* ask again */
    CACHE_AWAITED_CHANGE,      /* the key has another value or none, or the claim is free */
    CACHE_AWAITED_NOTHING,     /* the computation stored nothing, or is this process's own, or there is no cache */
};

/* After CACHE_CLAIMED_BY_OTHER, with the token that it returned: sleeps as cache_await_claim(). */
enum cache_awaited cache_await_computed(struct cache *cache, const struct cache_key *key,
                                        const struct cache_token *token);

/* Ends the claim. If the placeholder is still there, nothing was stored, and the waiting processes are informed. Its
 * token stays valid until another computation stores nothing. Does nothing if this process does not have the claim.
 * If the owner dies or its request ends without this call, another process takes over. */
void cache_end_computing(struct cache *cache, const struct cache_key *key);

/* ---- Seeing what is there -------------------------------------------------------------------- */

struct cache_entry {
    const char *key; /* valid until the next call with the same walk; of cache_describe(): the caller's bytes */
    uint32_t key_length;
    uint32_t kind;
    size_t size;       /* bytes of memory: header, key and value */
    uint64_t expires;  /* fresh until then, milliseconds of cache_now(); 0: forever */
    uint64_t kept;     /* kept until then, as `expires` */
    uint32_t cost;     /* tenths of a millisecond, 0 if not known */
    uint64_t age;      /* seconds since it was stored, wraps after a year; moves and touches keep it */
    uint64_t stored;   /* the same as milliseconds of cache_now(), up to a second early */
    bool used;         /* fetched since it was stored, or since it last moved to another page */
    bool often;        /* so often that eviction counts no further: three or four times */
    const void *value; /* a copy, valid as long as the key, 8-byte aligned; NULL: see cache_walk_copy() */
};

/* Creates the segment if there is none, as stores do. False: it is not available, see cache_reason(), or no record
 * is free. */
bool cache_create(struct cache *cache);

/* Describes a key's entry: CACHE_OK, CACHE_ABSENT or CACHE_UNAVAILABLE. Counts neither as a hit nor as a use. */
enum cache_result cache_describe(struct cache *cache, const struct cache_key *key, struct cache_entry *entry);

/*
 * A walk over all entries whose keys begin with a prefix, while other processes store, delete and evict. It takes no
 * lock, holds no page between calls and one page at a time within a call. It returns
 *  - every key that is present from the first call to the last, however often it is replaced or moved;
 *  - no key twice. It remembers a secret 64-bit hash of each key; one in 10^19 pairs of keys share a hash;
 *  - some of the keys that are added or removed during the walk.
 *
 * It reads the buckets of the index that have or have had entries, and each entry. A bucket that it finds empty is
 * skipped by later walks until it gets an entry again. A walk is private to the caller; any thread may continue it.
 */
struct cache_walk;

/* `length` bytes, 0 for all keys. NULL: out of memory. */
struct cache_walk *cache_walk_begin(const char *prefix, size_t length);

/* CACHE_OK and the next entry; CACHE_ABSENT after the last one or if the segment was replaced; CACHE_NO_ROOM if this
 * process is out of memory; CACHE_UNAVAILABLE. After any result but CACHE_OK, only cache_walk_end() may follow. */
enum cache_result cache_walk_next(struct cache *cache, struct cache_walk *walk, struct cache_entry *entry);

/* From now on, values of this kind of up to CACHE_WALK_COPY_MAX bytes are copied with their entries, which counts as
 * a hit and a use. `kind` 0: none. Not for integers, nor for kinds whose values hold pointers. (A walk that fetched
 * the values instead would use up the readers' share of pages to read each value once.) */
enum { CACHE_WALK_COPY_MAX = 4096 };
void cache_walk_copy(struct cache_walk *walk, uint32_t kind);

/* From now on, entries whose keys the filter rejects are skipped. The filter must not call the cache; one page stays
 * announced while it runs. `key` is a private copy, which nothing changes while the filter reads it. */
typedef bool cache_walk_filter(const void *context, const char *key, size_t length);
void cache_walk_only(struct cache_walk *walk, cache_walk_filter *filter, const void *context);

void cache_walk_end(struct cache_walk *walk);

/* Deletes every key that begins with a prefix and is present when this is called, unless it is stored again during
 * the call. Returns the number of unexpired ones. */
uint64_t cache_delete_prefix(struct cache *cache, const char *prefix, size_t length);

/* ---- Time and figures ------------------------------------------------------------------------ */

/* Milliseconds of a clock that nobody can set; ticks of 1 to 4 ms. Never 0. */
uint64_t cache_now(void);

/* The time `ttl` seconds from now, in milliseconds of cache_now(); 0 (never) for 0. At most 17 years after boot,
 * because entries have 39 bits for it. */
uint64_t cache_expiry(double ttl);

struct cache_info {
    const char *path;  /* path of the segment's file */
    size_t size;       /* bytes of the file */
    size_t size_asked; /* bytes that the settings ask for */
    size_t memory;     /* bytes of the file that have memory; the rest gets memory on demand */
    /* the creator's settings, which apply to all: bytes, and millionths of the pages */
    size_t size_made_for, pin_share_made_for;
    uintptr_t address; /* address of the read-only mapping */
    bool fixed;        /* false: the address was taken in this process, so every fetch copies */
    size_t page_size, pages, pages_free, pages_open, pages_closed, pages_limbo, pages_run;
    /* bytes of replaced, deleted or moved entries in pages in use */
    size_t bytes_dead;
    /* since the oldest page in use was opened or renewed, which is how long an unused entry stays; 0: all free */
    uint64_t oldest_ms;
    size_t entries; /* index words in use, expired entries included until they are reclaimed */
    size_t slots;   /* index words there are */
    size_t pages_pinned, pages_pinned_long; /* distinct pages in each of the two populations */
    size_t pages_pinned_any;                /* distinct pages in both together */
    size_t pin_limit, pin_limit_long;       /* bounds of the populations, pages */
    size_t pages_held_by_me;
    /* this process's scans for pages that it no longer uses, the pages that they released, and the duration of the
     * last */
    uint64_t scans, scan_pages, scan_ns;
    unsigned record;    /* this process's record */
    unsigned processes; /* records in use by living processes */
    unsigned process_limit;
    uint64_t age_ms;                                /* since the segment was created */
    uint64_t hits, misses, stores, deletes, copies; /* copies: fetches that copied */
    uint64_t clears;     /* calls of cache_clear(), whose entries are not in `deletes` */
    uint64_t unreadable; /* found but unreadable: misses */
    uint64_t evicted;    /* entries dropped for room */
    uint64_t expired;    /* entries dropped because they had expired */
    uint64_t moved;      /* entries moved to another page because they were in use */
    uint64_t displaced;  /* entries dropped because both buckets of a new key were full */
    uint64_t refused_size, refused_room;
    uint64_t swept; /* dead processes whose records were cleared */
    /* Of `evicted`, by the time since they were stored or moved: under 1 s, 2 s, 4 s and so on, the last without
     * limit; the sum of these times; and those that nobody had read, but once just after they were stored. A process
     * that dies within a call leaves some out. */
    uint64_t evicted_ages[16], evicted_seconds, evicted_unread;
};

/* Fills the fields that need no walk of the tables. The others (pages_free to pages_run, bytes_dead, oldest_ms,
 * entries, pages_pinned, pages_pinned_long, pages_pinned_any, processes) are 0. Some microseconds. False: as
 * cache_read_info(). */
bool cache_read_counters(struct cache *cache, struct cache_info *info);

/* Fills `info` by walking the tables: tens of microseconds to milliseconds. False, with zeros and no path, if this
 * process has no segment or no record now. That happens after a fork at the limit of processes, or if the segment
 * was removed and cannot be created again. */
bool cache_read_info(struct cache *cache, struct cache_info *info);

/* Use of the segment. */
struct cache_usage {
    uint64_t hits, misses, stores; /* as in cache_info */
    uint64_t created;              /* milliseconds of cache_now() */
    size_t slots;
    size_t live; /* bytes of entries and of the unused ends of their runs; expired entries count until reclaimed */
    size_t entries; /* about how many; an entry that is being stored may count twice */
};

/* Fills `usage` without a system call: a microsecond for 64 MiB. False, with zeros: as cache_read_info(). */
bool cache_read_usage(struct cache *cache, struct cache_usage *usage);

/* Memory of the pages, in bytes. */
struct cache_memory {
    size_t pages; /* bytes of all pages */
    size_t held;  /* bytes of pages that readers hold: a store cannot take them now */
};

/* Fills `memory`, without reading the page table. False, with zeros: as cache_read_info(). */
bool cache_read_memory(struct cache *cache, struct cache_memory *memory);

/* The share of fetches that would hit in a segment of another size, under the load of late. */
struct cache_prediction {
    size_t size; /* bytes of the segment */
    double hit_rate;
};
enum { CACHE_PREDICTIONS = 5 };

/*
 * Predicts what a quarter, half, once, twice and four times the size would give, in this order, and returns
 * CACHE_PREDICTIONS. 0 while that is not known: nothing was evicted, the segment keeps its entries, was cleared or
 * created a short time ago, or has too few keys.
 *
 * A replay of the last samples (sample.h), up to 20 ms for 131,072 of them; a result is returned again for 30 s. The
 * segment is only read.
 */
unsigned cache_predict(struct cache *cache, struct cache_prediction predictions[CACHE_PREDICTIONS]);

/* The processes that hold pages, most pages first. Fills up to `most` holders and returns their number. */
struct cache_holder {
    unsigned record;
    long process; /* its id in its own namespace */
    size_t pages;
    bool me;
    bool long_lived;
};
size_t cache_read_holders(struct cache *cache, struct cache_holder *holders, size_t most);

#endif
