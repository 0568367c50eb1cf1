/* What one thread knows of the segment that it is attached to, beside what is shared. */
#ifndef LARDER_ATTACHMENT_H
#define LARDER_ATTACHMENT_H

#include <pthread.h>

#include "cache.h"
#include "ref.h"

struct segment;

/* What is no longer is never pointed to: all integers, and what is cheaper to copy. */
enum { INLINE_UNITS = INTEGER_UNITS };

enum { VICTIMS_MIN = 8, VICTIMS_MAX = 32 };

/* What survives in a page that a forked child finds wiped. */
struct identity {
    struct record_shared *record; /* NULL: claim one before doing anything */
};

#define USER_NONE ((uid_t)-1)

/* An entry between cache_reserve() and cache_commit(). */
struct reservation {
    uint64_t location; /* 0: none */
    uint64_t units;    /* of the whole entry */
    uint32_t page;
    uint32_t generation;
    uint32_t run_pages; /* 0: in an open page */
};

/* A segment that was left while values of it were in use. */
struct held_segment {
    struct segment *segment; /* its read-only mapping */
    void *locks;             /* of the record that pins them; see os_keep_locks() */
    unsigned number;         /* of that record */
    uint32_t pages_held;     /* by it */
    struct held_segment *next;
};

/* A page as it was when it was chosen to be taken back. */
struct victim {
    uint64_t cost;
    uint64_t state;
    uint32_t page;
    bool empty; /* nothing in it was of use */
};

/* The pages of a log that were worth least at the last survey, cheapest first. */
struct victims {
    struct victim list[VICTIMS_MAX];
    unsigned next, count;
};

/* When the share of pages that readers may hold was seen to have no room; see pin.c. */
struct full {
    uint64_t recounted;           /* the recount since which */
    uint32_t pages;               /* for so many more, or more than that; 0: there is room */
    uint32_t calls_until_recount; /* until it is asked whether it is time for another */
};

/* One thread's attachment. */
struct cache {
    struct map map;
    struct identity *identity;
    unsigned number;      /* of the record */
    uint32_t incarnation; /* of the record, as claimed */
    int fd;               /* holds the record's byte; after a fork: the one left behind; -1 none */
    bool long_lived;
    bool record_refused; /* no record was free; asked again at the next request or second */

    /* pins: the words of the record's map that have bits set */
    uint16_t pinned_words[PAGES_MAX / 64];
    unsigned pinned_word_count;
    uint32_t pages_held; /* a run counts all its pages */
    struct full full;

    struct reservation reservation;
    struct victims victims[LOGS];
    uint64_t counters_kept;   /* units that reclaims kept only for counters in use */
    uint32_t unmovable;       /* pages that could not be emptied because there was no place for what lives there */
    bool others_busy;         /* at the last survey others had pages in hand */
    uint64_t timed_out_at;    /* when these were waited for in vain, ns; 0 never */
    uint32_t unused_in_a_row; /* entries reclaimed from probation since one of them had been used */
    /* memory: when a step was last refused, and what the cgroups allowed when they were last asked (commit.c) */
    uint64_t refused_at, index_refused_at, limit_read_at; /* ms; 0 never */
    uint64_t limit, limit_left, limit_budget;
    uint64_t filled_from,
        filled_to;         /* bytes of the file that got their memory from here, for commit_make_huge() */
    uint32_t *asked_alive; /* by record: when the kernel last said that its owner lives, ms; NULL: never asked */

    uint64_t words[INLINE_UNITS]; /* a copied short value */
    char *scratch;                /* copies of longer values */
    size_t scratch_size;

    struct segment *segment;
    uid_t user;                    /* whose segment it is; USER_NONE after a change of user, until the next call */
    struct held_segment *held;     /* until the request ends */
    char reason[CACHE_REASON_MAX]; /* why there is no segment, since cache_attach() found one */
    struct cache_options options;  /* strings owned */
    uint32_t calls_until_look;
    uint64_t looked_at;     /* when the path was last compared with the segment, ms */
    uint64_t asked_user_at; /* ms */
    pthread_t thread;
    struct cache *next; /* in the list of all caches of this process */
};

#endif
