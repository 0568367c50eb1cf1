/* The engine itself, replayed: look up, and on a miss store, as a read-through cache does. */
#ifndef LARDER_REPLAY_ENGINE_H
#define LARDER_REPLAY_ENGINE_H

#include "cache.h"
#include "policy.h"

enum { SEGMENT_MIB = 16 };

/* The parameters of a replay. */
struct run {
    unsigned processes;        /* processes that share the requests of the trace, in their order */
    bool blind;                /* a control: its look-ups do not count as uses */
    size_t mebibytes;          /* size of the segment; 0: SEGMENT_MIB */
    struct recorder *recorder; /* NULL, or where the samples of one process go, in shared memory */
};

/* Samples of one in `one_of` keys. */
struct recorder {
    uint64_t one_of, seed;
    size_t count, counted_from, most;
    uint64_t list[];
};

struct outcome {
    double percent;         /* hits, counted as in the simulators */
    struct cache_info info; /* at the end */
    uint64_t live_bytes;    /* bytes of the entries at the end: headers, keys, values */
    uint64_t value_bytes;   /* of these, bytes of values, without padding */
};

/* The engine's rules, as in core's sources, and its pages. The simulators get the same number of units. */
struct log_rules engine_rules(size_t mebibytes);

struct outcome engine_replay(const struct trace *trace, const struct run *run);

#endif
