/* A trace as a file, for caches that are not reached from here: tests/Engine/ReplayTest.php replays it on them. */
#ifndef LARDER_REPLAY_WRITE_H
#define LARDER_REPLAY_WRITE_H

#include "policy.h"

/*
 * Makes the file at `path`: a line of JSON (name, keys, requests, warm_up, and `hits` in percent by
 * the name of what has replayed it already); then 32-bit words in the machine's order:
 * for each key the bytes of its value, for each request the number of its key, with WRITE_STORES where the key is
 * stored again even if it was there.
 */
#define WRITE_STORES (UINT32_C(1) << 31)

struct hits {
    const char *name; /* NULL ends a table */
    double percent;
};

void trace_write(const struct trace *trace, const char *path, const struct hits hits[]);

#endif
