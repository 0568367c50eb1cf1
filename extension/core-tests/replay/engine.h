/* The engine itself, replayed: look up, and on a miss store, as a read-through cache does. */
#ifndef LARDER_REPLAY_ENGINE_H
#define LARDER_REPLAY_ENGINE_H

#include "cache.h"
#include "policy.h"

enum { SEGMENT_MIB = 16 };

/* What a replay is like. */
struct run {
    unsigned processes; /* they share the requests of the trace between them, as they come */
    bool blind;         /* a control: its look-ups do not count as uses */
};

struct outcome {
    double percent;         /* hits, as the simulators count them */
    struct cache_info info; /* at the end */
    uint64_t live_bytes;    /* entries that are there at the end: headers, keys, values */
    uint64_t value_bytes;   /* of them values, unpadded */
};

/* The engine's rules, as core's sources state them, and its pages: their units are what the other simulators get, too. */
struct log_rules engine_rules(void);

struct outcome engine_replay(const struct trace *trace, const struct run *run);

#endif
