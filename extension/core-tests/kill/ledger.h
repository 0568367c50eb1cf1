/*
 * Memory that the processes of the storm share outside of the cache: which versions were stored, so that an older
 * one that comes back is noticed; which process is in which call since when; and what went wrong.
 */
#ifndef LARDER_LEDGER_H
#define LARDER_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    WORKERS = 6,
    HOT = 48,   /* keys that are written and read all the time */
    CROWD = 24, /* keys with one hash, which displace each other */
    TRACKED = HOT + CROWD,
    TAIL = 3000, /* keys that fill the memory */
    INTEGERS = 6,
    GENERATIONS = 64, /* generations of one integer that are tracked at a time */
    COUNTS_MAX = 1 << 16,
    GUESTS = 128, /* forked children of workers */
};

/* One place where a process works. The processes in it come one after the other. */
struct place_of_work {
    _Atomic pid_t pid;
    atomic_ulong begun_at; /* begin of the current call, nanoseconds; 0 none */
    atomic_uint call;      /* the current call */
    atomic_uint stops;     /* times that the process was stopped: such calls are not timed */
    atomic_ulong longest;  /* longest call, nanoseconds */
    atomic_uint longest_call;
    atomic_ulong done[64]; /* calls by kind */
    atomic_ulong found, missed, copied, held;
};

struct generation {
    atomic_ulong number;
    atomic_ulong counted; /* counts that were reported to have succeeded */
    atomic_ulong seen[COUNTS_MAX / 64];
};

struct ledger {
    atomic_bool stop, paused, failed;
    char failure[512];
    struct place_of_work workers[WORKERS];
    _Atomic pid_t guests[GUESTS];
    /* versions, by writer and key */
    atomic_ulong begun[WORKERS][TRACKED];
    atomic_ulong done[WORKERS][TRACKED];    /* the last known to be over: no older one may be read */
    atomic_ulong removed[WORKERS][TRACKED]; /* the last one removed: neither it nor an older one may be read */
    atomic_ulong next_generation[INTEGERS];
    struct generation generations[INTEGERS][GENERATIONS];
    atomic_ulong died_at_points, forks;
};
extern struct ledger *ledger;

void ledger_begin(void);

/* Reports what went wrong, ends this process, and soon after that the storm. */
__attribute__((noreturn, format(printf, 1, 2))) void ledger_fail(const char *format, ...);

/* The contents of a seed: writer, key and version. The length of the value follows from the seed. */
uint64_t seed_make(unsigned writer, unsigned key, uint64_t version);
unsigned seed_writer(uint64_t seed);
unsigned seed_key(uint64_t seed);
uint64_t seed_version(uint64_t seed);
unsigned long seed_length(uint64_t seed);

static inline void atomic_raise(atomic_ulong *word, unsigned long value) {
    unsigned long known = atomic_load(word);
    while (known < value && !atomic_compare_exchange_weak(word, &known, value)) {
    }
}

#endif
