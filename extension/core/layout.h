/*
 * Everything that lies in shared memory. A segment is one file:
 *
 *   header | steps | claims | page table | two pin populations | occupied buckets | process records |
 *   ring of samples | index | entry starts | pages
 *
 * All parts up to the records have memory from the creation on. The ring gets its memory when something is evicted;
 * index, starts and pages get it in steps (commit.h). The table of steps records which steps have it.
 *
 * All structs end in _shared and have asserted sizes. LAYOUT_VERSION is part of the file's name: change it with any
 * struct or meaning of a field.
 *
 * Words (most significant bits first)
 *
 *   index word   tag 28 | use count 3 | location 33       location: file offset / 8, 0 empty; use 0: tentative
 *   page state   generation 32 | incarnation 17 | record 12 | state 3
 *   page append  generation 32 | next free unit 32        a unit is 8 bytes
 *   page live    generation 32 | entries 32               index words that name the page (never too low)
 *   page age     number 63 | log 1
 *   current      generation 32 | page + 1
 *   integer      value 64, state 64: sealed 1 | time of the last count, milliseconds, 63
 *   freshness    cost 25 | time until which the value is fresh, milliseconds, 39
 *   counters     lap 32 | units kept in it 32
 *   steps        seal 32 | a bit for each of 32 steps     without its seal: none of them
 *   occupied     version 32 | a bit for each of 32 buckets: it may have words, see occupied.h
 *   claim        tag 33 | waited for 1 | taken 1 | incarnation 17 | record 12     0: free
 *
 * A page's generation is raised each time it leaves `free`, so a compare-and-swap of its whole state word is free of
 * ABA.
 */
#ifndef LARDER_LAYOUT_H
#define LARDER_LAYOUT_H

#include "atomic.h"

enum {
    LAYOUT_VERSION = 17,
    UNIT = 8, /* bytes; entries are aligned to it */
    UNIT_SHIFT = 3,
    PAGE_SHIFT_MIN = 16, /* 64 KiB */
    PAGES_MAX = 1 << 14, /* so that a record's pins are at most 2 KiB */
    RECORDS_MAX = 4095,
    BUCKET_SLOTS = 8,
    OCCUPIED_BUCKETS = 32, /* a word */
    SPARE_MAX = 8,
    EVICTED_AGES = 16,
    SNAPSHOTS = 8,
};

/* ---- Index words ---- */

enum { LOCATION_BITS = 33, USE_BITS = 3, TAG_BITS = 28 };

/* A word is tentative first: readers ignore it until it is committed, as unused. The first use counts two and each
 * later use one. For a new entry the first use counts only one, because what was just stored is often read at once.
 * Reclaiming moves entries with USE_WORTH_MOVING or more, and lowers their count by one. USE_SAMPLED stands for USE_MAX
 * in entries whose keys are sampled (sample.h): a fetch takes its shortest path at USE_MAX only, so it need not ask
 * whether the key is sampled. */
enum { USE_TENTATIVE = 0, USE_NONE = 1, USE_WORTH_MOVING = 3, USE_MAX = 5, USE_SAMPLED = 6 };

#define LOCATION_MASK ((UINT64_C(1) << LOCATION_BITS) - 1)
#define TAG_SHIFT (LOCATION_BITS + USE_BITS)

static inline uint64_t slot_make(uint64_t tag, unsigned use, uint64_t location) {
    return tag << TAG_SHIFT | (uint64_t)use << LOCATION_BITS | location;
}
static inline uint64_t slot_location(uint64_t slot) {
    return slot & LOCATION_MASK;
}
static inline unsigned slot_use(uint64_t slot) {
    return (unsigned)(slot >> LOCATION_BITS) & ((1u << USE_BITS) - 1);
}
static inline uint64_t slot_tag(uint64_t slot) {
    return slot >> TAG_SHIFT;
}
/* The use count lowered by `by`, but not below USE_NONE. */
static inline unsigned slot_use_lowered(uint64_t slot, unsigned by) {
    const unsigned use = slot_use(slot), counted = use > USE_MAX && by > 0 ? USE_MAX : use;
    return counted > by + USE_NONE ? counted - by : USE_NONE;
}

static inline bool slot_is_committed(uint64_t slot) {
    return slot_use(slot) != USE_TENTATIVE && slot_location(slot) != 0;
}

struct bucket_shared {
    shared_word slots[BUCKET_SLOTS];
};
_Static_assert(sizeof(struct bucket_shared) == 64, "a bucket is one cache line");

/* ---- Entries ---- */

enum { KIND_BITS = 6, KEY_BITS = 16, EXPIRES_BITS = 39, STORED_BITS = 25, COST_BITS = 25 };

struct entry_shared {
    uint64_t hash;  /* hash of the key, mixed with the segment's seed; sealed, see entry_hash() */
    uint64_t where; /* has freshness 1 | kind 6 | key length 16 | location 33 */
    union {
        struct {
            uint64_t expires : EXPIRES_BITS; /* milliseconds, 0 never */
            uint64_t stored : STORED_BITS;   /* low bits of seconds: wraps after a year; only for display */
        };
        uint64_t times; /* both in one store: a load right after two narrower stores would stall the processor */
    };
    uint32_t generation; /* generation of the page */
    uint32_t units;      /* units of value and freshness */
    /* the key, padded to 8; the value; its freshness, if it has one */
};
_Static_assert(sizeof(struct entry_shared) == 32, "entry header");

/* The last millisecond at which an entry can expire: 17 years after the machine was started. */
#define EXPIRES_MAX ((UINT64_C(1) << EXPIRES_BITS) - 1)

/* An integer's value is a pair of words that change together, at the first place aligned for them in three units. A
 * sealed integer no longer changes: its entry is about to be replaced. */
enum { INTEGER_UNITS = 3 };
#define INTEGER_SEALED (UINT64_C(1) << 63)

#define WHERE_KEY_MASK ((UINT64_C(1) << (LOCATION_BITS + KEY_BITS)) - 1)

static inline uint64_t where_make(uint32_t kind, uint32_t key_length, uint64_t location) {
    return (uint64_t)kind << (LOCATION_BITS + KEY_BITS) | (uint64_t)key_length << LOCATION_BITS | location;
}
static inline uint32_t where_kind(uint64_t where) {
    return (uint32_t)(where >> (LOCATION_BITS + KEY_BITS)) & ((1u << KIND_BITS) - 1);
}
/* Set if the entry's last unit is the value's freshness; see cache_freshness(). */
#define WHERE_FRESHNESS (UINT64_C(1) << (LOCATION_BITS + KEY_BITS + KIND_BITS))
static inline uint32_t where_has_freshness(uint64_t where) {
    return (uint32_t)(where >> (LOCATION_BITS + KEY_BITS + KIND_BITS)) & 1;
}
static inline uint32_t where_key_length(uint64_t where) {
    return (uint32_t)(where >> LOCATION_BITS) & ((1u << KEY_BITS) - 1);
}

/* ---- Pages ---- */

enum page_state {
    PAGE_FREE = 0,
    PAGE_OPENING = 1, /* being prepared by its owner; the head of a run: until its entry is published */
    PAGE_OPEN = 2,
    PAGE_CLOSED = 3,
    PAGE_RECLAIMING = 4, /* its owner moves or drops its entries */
    PAGE_LIMBO = 5,      /* unlinked from the index; readers may hold it */
    PAGE_MEMBER = 6,     /* member of a run; the head's state applies to it */
};

enum { STATE_BITS = 3, OWNER_RECORD_BITS = 12, OWNER_INCARNATION_BITS = 17 };

static inline uint64_t state_make(uint32_t generation, uint32_t incarnation, unsigned record,
                                  enum page_state state) {
    return (uint64_t)generation << 32 | (uint64_t)(incarnation & ((1u << OWNER_INCARNATION_BITS) - 1)) << 15 |
           (uint64_t)record << STATE_BITS | (uint64_t)state;
}
static inline enum page_state state_of(uint64_t word) {
    return (enum page_state)(word & ((1u << STATE_BITS) - 1));
}
static inline uint32_t state_generation(uint64_t word) {
    return (uint32_t)(word >> 32);
}
static inline unsigned state_record(uint64_t word) {
    return (unsigned)(word >> STATE_BITS) & ((1u << OWNER_RECORD_BITS) - 1);
}
static inline uint32_t state_incarnation(uint64_t word) {
    return (uint32_t)(word >> 15) & ((1u << OWNER_INCARNATION_BITS) - 1);
}
/* The same page in another state, with the same generation and owner. */
static inline uint64_t state_change(uint64_t word, enum page_state state) {
    return (word & ~(uint64_t)((1u << STATE_BITS) - 1)) | (uint64_t)state;
}

/* New entries are written to the probation log; those that are used there move to the main log. */
enum page_log { LOG_MAIN, LOG_PROBATION, LOGS };

struct page_shared {
    shared_word state;
    shared_word append;
    shared_word live;
    shared_word age; /* its log, and that log's age when the page was opened or renewed, which orders the log */
    shared_word
        extent; /* time of that, seconds after the segment's creation 32 | length of a head's run, else 1: 32 */
    shared_word run_head; /* in a member: generation of the head 32 | page of the head 32 */
    shared_word expires;  /* expiry of its last entry, milliseconds; UINT64_MAX never; a hint */
    shared_word dead;     /* units of published entries that no word names any more; a hint */
};
_Static_assert(sizeof(struct page_shared) == 64, "a page's row is one cache line");

/* ---- Processes ---- */

enum counter {
    COUNT_HITS,
    COUNT_MISSES,
    COUNT_STORES,
    COUNT_DELETES,
    COUNT_COPIES,
    COUNT_EVICTED,
    COUNT_EXPIRED,
    COUNT_MOVED,
    COUNT_DISPLACED,
    COUNT_REFUSED_SIZE,
    COUNT_REFUSED_ROOM,
    COUNT_SWEPT,
    COUNT_UNREADABLE,
    COUNT_CLEARS,
    COUNTERS = 16,
};

enum record_use { RECORD_UNUSED = 0, RECORD_REQUESTS = 1, RECORD_LONG_LIVED = 2 };

/* Written only by its owner; after the owner's death, by the process that holds the lock of its byte. */
struct record_shared {
    shared_word incarnation; /* raised by the process that takes the record over; 32 bits; starts at 1 */
    shared_word use;         /* enum record_use; a hint */
    shared_word copying;     /* page + 1 whose entries are being read without a pin; 0 none */
    shared_word writing;     /* page + 1 into which an entry is being written; 0 none */
    shared_word process;     /* the owner's process id in its own namespace; only for display */
    shared_word locked;      /* the byte of the key that it locked last; 0 none; only for display */
    uint64_t unused[2];
    shared_word counters[COUNTERS];
    shared_word pins[]; /* a bit for each page */
};
_Static_assert(sizeof(struct record_shared) == 64 + 8 * COUNTERS, "process record");

/* ---- Claims, see claim.c ---- */

enum { CLAIM_BUCKETS = 64, CLAIM_SLOTS = 8 };

#define CLAIM_OWNER_BITS (OWNER_RECORD_BITS + OWNER_INCARNATION_BITS)
#define CLAIM_TAKEN (UINT64_C(1) << CLAIM_OWNER_BITS)
#define CLAIM_WAITED (UINT64_C(1) << (CLAIM_OWNER_BITS + 1))
#define CLAIM_TAG_SHIFT (CLAIM_OWNER_BITS + 2)

static inline uint64_t claim_owner(uint32_t incarnation, unsigned record) {
    const uint64_t low = incarnation & ((1u << OWNER_INCARNATION_BITS) - 1);
    return CLAIM_TAKEN | low << OWNER_RECORD_BITS | record;
}
static inline bool claim_is_of(uint64_t word, uint64_t owner) {
    return (word & (CLAIM_WAITED - 1)) == owner;
}
static inline unsigned claim_record(uint64_t word) {
    return (unsigned)word & ((1u << OWNER_RECORD_BITS) - 1);
}
static inline uint32_t claim_incarnation(uint64_t word) {
    return (uint32_t)(word >> OWNER_RECORD_BITS) & ((1u << OWNER_INCARNATION_BITS) - 1);
}

struct claims_shared {
    shared_word slots[CLAIM_SLOTS];
};
_Static_assert(sizeof(struct claims_shared) == 64, "a bucket of claims is one cache line");

/* ---- Header ---- */

/* The hits and misses when the ring of samples had been filled up to an eighth of it; see sample.c. */
struct snapshot_shared {
    shared_word number; /* eighths put into the ring since the segment was created; 0: none */
    shared_word hits, misses;
};

struct header_shared {
    char magic[8];
    uint64_t layout;     /* hash of core's and the binding's shapes; also in the file's name */
    uint64_t size;       /* bytes of the file */
    uint64_t size_asked; /* size in the creator's settings */
    uint64_t page_shift;
    uint64_t page_count;
    uint64_t bucket_count;
    uint64_t record_count;
    uint64_t base; /* the address that pointers inside values assume for the file */
    uint64_t seed;
    uint64_t created;                   /* milliseconds */
    uint64_t pin_limit, pin_limit_long; /* pages; the creator's setting applies to all */
    uint64_t checksum;  /* checksum of this part of the header, which never changes after creation */
    uint64_t pin_share; /* share in the creator's settings, millionths */
    uint64_t keeps;     /* 1: nothing unexpired is evicted */
    uint64_t unused_0[4];

    _Alignas(64) shared_word retired; /* 1: a newer segment has the path */
    shared_word sweeps;               /* raised before a dead process's record is cleared */
    shared_word records_used;         /* records at and above this number have never been claimed */
    shared_word pages_begun;          /* pages at and above this number have never been claimed; a hint */
    shared_word pages_usable; /* pages with memory, while no more memory is available; 0: no limit; a hint */
    shared_word sample_mask;  /* a key is sampled if these bits of its mixed hash are 0; see sample.h */
    uint64_t unused_1[2];

    _Alignas(64) shared_word current[LOGS]; /* the open page of each log */
    uint64_t unused_2[6];

    _Alignas(64) shared_word age[LOGS]; /* pages that each log has ever had */
    shared_word warm;                   /* page + 1 of the last page whose entries all died; a hint */
    shared_word run_cursor;             /* page at which the search for a run begins; a hint */
    shared_word recounted;              /* time of the last recount of the pin populations, milliseconds */
    shared_word counters_kept;          /* units of counters in use that reclaiming kept, see reclaim.c */
    shared_word deaths;                 /* pages whose entries all died while they were closed; a hint */
    shared_word
        evicted_at; /* pages_had() at the last eviction for room; 0: none, or a page had no entries since; a hint */

    _Alignas(64) shared_word spare[SPARE_MAX]; /* page + 1 kept free for moves, or 0; hints */

    /* Entries dropped for room, by the age of their page: under 1 s, 2 s, 4 s and so on, the last one without limit. A
     * process that dies within reclaiming leaves a page uncounted. */
    _Alignas(64) shared_word evicted_ages[EVICTED_AGES];
    shared_word evicted_seconds; /* sum of their ages */
    shared_word evicted_unread;  /* those that nobody had read, but once just after they were stored */
    shared_word samples;         /* samples ever put into the ring */
    uint64_t unused_4[5];

    _Alignas(64) shared_word totals[COUNTERS]; /* counters of dead and detached processes */

    _Alignas(64) struct snapshot_shared snapshots[SNAPSHOTS];
};
_Static_assert(sizeof(struct header_shared) == 192 + 64 * 10 + 8 * COUNTERS, "header");

#endif
