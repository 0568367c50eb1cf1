/*
 * Traces: which key is asked for next, and how long its value is. A trace is read through a cache: what is not there
 * is stored. The same numbers come out at every run.
 */
#ifndef LARDER_REPLAY_TRACE_H
#define LARDER_REPLAY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long values are. */
enum sizes {
    SIZES_SMALL, /* 50 to 200 bytes */
    SIZES_MIXED, /* 50 bytes to 4 KiB, each doubling as frequent as the next */
    SIZES_LARGE, /* mixed, and of a hundred values two of 16 to 128 KiB, half of all bytes */
};

enum shape {
    SHAPE_ZIPF,
    SHAPE_SCANS,     /* Zipf; a third of the requests pass once over keys that nobody asks for again soon */
    SHAPE_LOOP,      /* all keys in order, again and again */
    SHAPE_DAY_NIGHT, /* Zipf; by day other keys are popular than by night */
};

struct plan {
    const char *name;
    enum shape shape;
    enum sizes sizes;
    double alpha;    /* of Zipf: the key of rank r is asked for as often as r to the power of -alpha */
    double multiple; /* the bytes of all keys, as a multiple of the memory */
    bool read_back;  /* what was stored is read once at once, which does not count as a request */
    unsigned writes; /* in percent: after so many requests the key is stored again even if it was there */
};

struct trace {
    const struct plan *plan;
    uint32_t keys;     /* numbers 0 to keys - 1 */
    size_t requests;   /* asked for, in order: */
    uint32_t *request; /* numbers of keys */
    size_t warm_up;    /* the first so many are not counted */
};

enum { TRACE_KEY_LENGTH = 12 };

/* For a memory of so many bytes, about so many requests. */
struct trace trace_make(const struct plan *plan, size_t memory, size_t requests);
void trace_free(struct trace *trace);

/* Whether the key of request i is stored again after it. */
bool trace_writes(const struct trace *trace, size_t i);

/* The name of a key: TRACE_KEY_LENGTH bytes, and a zero. */
void trace_key(uint32_t key, char name[TRACE_KEY_LENGTH + 1]);
/* Bytes of its value; and units of the whole entry as the engine stores it, header and key included. */
uint32_t trace_value_length(const struct trace *trace, uint32_t key);
uint32_t trace_entry_units(const struct trace *trace, uint32_t key);

#endif
