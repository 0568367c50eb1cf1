/*
 * Traces: a sequence of requested keys, and the lengths of their values. A trace is read through a cache: a missing
 * key is stored. Every run produces the same numbers.
 */
#ifndef LARDER_REPLAY_TRACE_H
#define LARDER_REPLAY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lengths of values. */
enum sizes {
    SIZES_SMALL, /* 50 to 200 bytes */
    SIZES_MIXED, /* 50 bytes to 4 KiB, each doubling as frequent as the next */
    SIZES_LARGE, /* mixed, and two of a hundred values have 16 to 128 KiB, half of all bytes */
    SIZES_FORMS, /* arrays, objects and strings in each form, as values.inc says */
};

/* The form of the values; it matters for SIZES_FORMS. */
enum form { FORM_PHP, FORM_DENSE, FORM_IGBINARY, FORMS };

enum shape {
    SHAPE_ZIPF,
    SHAPE_SCANS,     /* Zipf; a third of the requests pass once over keys that are not requested again soon */
    SHAPE_LOOP,      /* all keys in order, again and again */
    SHAPE_DAY_NIGHT, /* Zipf; by day other keys are popular than by night */
};

struct plan {
    const char *name;
    enum shape shape;
    enum sizes sizes;
    double alpha;    /* of Zipf: the key of rank r is requested in proportion to r to the power of -alpha */
    double multiple; /* the bytes of all keys, in PHP's own form, as a multiple of the memory */
    bool read_back;  /* a stored value is read once at once, which does not count as a request */
    unsigned writes; /* percent of requests after which the key is stored again even if it was present */
};

struct trace {
    const struct plan *plan;
    enum form form;    /* of all values */
    uint32_t keys;     /* numbers 0 to keys - 1 */
    size_t requests;   /* number of requests */
    uint32_t *request; /* numbers of the requested keys, in order */
    size_t warm_up;    /* number of first requests that are not counted */
};

enum { TRACE_KEY_LENGTH = 12 };

/* Creates a trace for a memory of this many bytes, with about this many requests. */
struct trace trace_make(const struct plan *plan, size_t memory, size_t requests);
void trace_free(struct trace *trace);

/* True if the key of request i is stored again after it. */
bool trace_writes(const struct trace *trace, size_t i);

/* The name of a key: TRACE_KEY_LENGTH bytes, and a zero. */
void trace_key(uint32_t key, char name[TRACE_KEY_LENGTH + 1]);
/* Bytes of a key's value; units of its whole entry in the engine, with header and key. */
uint32_t trace_value_length(const struct trace *trace, uint32_t key);
uint32_t trace_entry_units(const struct trace *trace, uint32_t key);
uint32_t trace_units_as(const struct trace *trace, uint32_t key, enum form form);

#endif
