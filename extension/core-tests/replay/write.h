/* Writes a trace as a file, for caches that cannot be called from C: tests/Engine/ReplayTest.php replays it on them. */
#ifndef LARDER_REPLAY_WRITE_H
#define LARDER_REPLAY_WRITE_H

#include "policy.h"

/*
 * Creates the file at `path`. It begins with a line of JSON (name, keys, requests, warm_up, and `hits`: percent by
 * name of the policy that replayed the trace). Then follow 32-bit words in the machine's byte order: for each key
 * the bytes of its value; for each request the number of its key, with WRITE_STORES if the key is stored again even
 * if it was present.
 */
#define WRITE_STORES (UINT32_C(1) << 31)

struct hits {
    const char *name; /* NULL ends a table */
    double percent;
};

void trace_write(const struct trace *trace, const char *path, const struct hits hits[]);

#endif
