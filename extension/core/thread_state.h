/* The private state of one thread that is attached to a segment. */
#ifndef LARDER_THREAD_STATE_H
#define LARDER_THREAD_STATE_H

#include <pthread.h>

#include "cache.h"
#include "ref.h"

struct segment;

/* Units up to which a fetch copies a value: all integers, and values that are cheaper to copy than to pin. */
enum { INLINE_UNITS = INTEGER_UNITS };

enum { VICTIMS_MIN = 8, VICTIMS_MAX = 32 };

/* Samples of a process until they are put into the ring. */
enum { SAMPLES_A_PROCESS = 32, RECENT_KEYS = 16 };

/* The last sampled key of some that share this place, and how often it was hit since. */
struct recent {
    uint64_t hash, hits;
};

/* Lies in a page that a forked child finds zeroed. */
struct identity {
    struct record_shared *record; /* NULL: a record must be claimed first */
    unsigned claims;              /* claims of this process, see claim.c */
    unsigned sampled;             /* samples that are not yet in the ring, see sample.c */
    uint64_t sampled_at;          /* cache_now() at the first of them */
    uint64_t samples[SAMPLES_A_PROCESS];
    struct recent recent[RECENT_KEYS];
};

#define USER_NONE ((uid_t)-1)

/* An entry between cache_reserve() and cache_commit(). */
struct reservation {
    uint64_t location;  /* 0: none */
    uint64_t units;     /* units of the whole entry */
    uint64_t freshness; /* freshness of the value; 0 none */
    uint32_t page;
    uint32_t generation;
    uint32_t run_pages; /* 0: in an open page */
};

/* A segment that was left while the script held values of it. */
struct held_segment {
    struct segment *segment; /* mapped read-only */
    void *lock;              /* keeps the record that pins them; see os_keep_lock() */
    unsigned number;         /* number of that record */
    uint32_t pages_held;     /* pages held by that record */
    struct held_segment *next;
};

/* A page and its state when it was chosen for reclaiming. */
struct victim {
    uint64_t cost;
    uint64_t state;
    uint32_t page;
    bool empty; /* no live entry */
};

/* The cheapest pages of a log at the last survey, cheapest first. */
struct victims {
    struct victim list[VICTIMS_MAX];
    unsigned next, count;
};

enum { WRITTEN_PAGES = 64 };

/* A page that this process wrote a long value into. Used to guess what the processor's caches hold; see write.c. */
struct written {
    uint64_t at; /* total units of long values written up to then */
    uint32_t page, generation;
    bool cold;
};

/* When the readers' share of pages was last found full; see pin.c. */
struct full {
    uint64_t recounted;           /* the last recount before that */
    uint32_t pages;               /* this many more pages did not fit; 0: there is room */
    uint32_t calls_until_recount; /* calls until the next recount is considered */
};

/* The last search for consecutive pages without live entries that found none; see run.c. */
struct no_window {
    uint64_t age;    /* age of the logs */
    uint64_t deaths; /* deaths of pages */
    uint32_t pages;  /* consecutive pages searched for; 0: there may be some */
};

/* The scans for pins that are no longer needed; see pin.c. */
struct scans {
    uint64_t copied;  /* bytes copied since the last scan because the share was used up */
    uint64_t price;   /* copied bytes after which the next scan is worth its cost */
    unsigned in_vain; /* consecutive scans that dropped few pins */
    /* for cache_info */
    uint64_t count, pages, nanoseconds;
};

/* One thread's attachment. */
struct cache {
    struct map map;
    struct identity *identity;
    unsigned number;      /* number of the record */
    uint32_t incarnation; /* incarnation of the record when it was claimed */
    void *lock;           /* keeps the record, see os_keep_lock(); after a fork: the old one; NULL none */
    int fd;      /* descriptor of the segment's file; other code may have closed it, see process_file(); -1 none */
    int lock_fd; /* the description that holds the locks of keys, see lock.c; -1 none */
    dev_t file_device;                /* device and inode of the segment's file, */
    ino_t file_inode;                 /* which identify its descriptors */
    const char *file_path;            /* path by which the file is opened again */
    uint64_t locked[CACHE_LOCKS_MAX]; /* the bytes locked through lock_fd; 0 none */
    pid_t locked_by;                  /* the process that locked them: a child does not have the locks */
    bool long_lived;
    bool record_refused; /* no record was free, or see `reason`; retried at the next request or second */

    /* words of the record's pin map that are not 0 */
    uint16_t pinned_words[PAGES_MAX / 64];
    unsigned pinned_word_count;
    uint32_t pages_held; /* a run counts with all its pages */
    struct full full;
    struct scans scans;

    struct reservation reservation;
    struct victims victims[LOGS];
    uint32_t surveyed; /* pages that the last survey looked at */
    struct no_window no_window;
    uint32_t destination;     /* page + 1 into which compacting moves entries; 0 between calls */
    uint64_t room_until;      /* the age of the log up to which new keys have room, see compact.c */
    uint32_t sweep_next;      /* the next page whose expired entries are looked for */
    uint64_t swept_at;        /* when the last round over all pages began, ms; 0 never */
    uint64_t counters_kept;   /* units that reclaiming kept only for counters in use */
    uint32_t unmovable;       /* pages not emptied because their live entries found no place */
    bool others_busy;         /* other processes were opening or reclaiming pages at the last survey */
    uint64_t timed_out_at;    /* time of the last timeout of waiting for them, ns; 0 never */
    uint32_t unused_in_a_row; /* consecutive unused entries reclaimed from probation */
    /* when a step of memory was last refused, and the last reading of the cgroups' limits; see commit.c */
    uint64_t refused_at, index_refused_at, ring_refused_at, limit_read_at; /* ms; 0 never */
    uint64_t limit, limit_left, limit_budget;
    uint64_t filled_from,
        filled_to; /* the part of the file to which this process gave memory, for commit_make_huge() */
    uint32_t
        *asked_alive; /* for each record: when the kernel last said that its owner lives, ms; NULL: never asked */

    struct written written[WRITTEN_PAGES]; /* by page number */
    uint64_t units_written;                /* units of long values */

    uint64_t words[INLINE_UNITS]; /* a copied short value */
    char *scratch;                /* copies of longer values */
    size_t scratch_size;

    struct segment *segment;
    uid_t user;                         /* the segment's; USER_NONE after a change of user, until the next call */
    struct held_segment *held;          /* kept until the request ends, or nothing points into them any more */
    uint64_t release_at, release_every; /* the next search for such pointers, and the pause before it, ms */
    char reason[CACHE_REASON_MAX];      /* reason why there is no segment any more */
    struct cache_options options;       /* strings owned */
    uint32_t calls_until_look;
    uint64_t looked_at;     /* time of the last comparison of path and segment, ms */
    uint64_t asked_user_at; /* ms */
    pthread_t thread;
    bool orphan;           /* belongs to a thread that this forked process does not have */
    struct cache *next;    /* in the list of all caches of this process */
    uint64_t predicted_at; /* time of the last prediction, ms; 0 never */
    struct cache_prediction predictions[CACHE_PREDICTIONS];
    unsigned predicted;
};

#endif
