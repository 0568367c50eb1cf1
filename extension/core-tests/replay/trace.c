#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref.h"

/* ---- Random numbers (SplitMix64: Steele, Lea, Flood, 2014) ---- */

static uint64_t scramble(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* From 0 up to, but not, 1. */
static double fraction(uint64_t random) {
    return (double)(random >> 11) * 0x1p-53;
}

static double next_fraction(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return fraction(scramble(*state));
}

/*
 * Zipf by rejection from an integral (W. Hörmann, G. Derflinger, "Rejection-inversion to generate variates from
 * monotone discrete distributions", 1996): constant time whatever the number of keys.
 */
struct zipf {
    double alpha, low, high, accept;
    uint32_t keys;
};

static double integral(const struct zipf *zipf, double x) {
    const double exponent = 1 - zipf->alpha;
    return fabs(exponent) < 1e-9 ? log(x) : (pow(x, exponent) - 1) / exponent;
}

static double inverse(const struct zipf *zipf, double x) {
    const double exponent = 1 - zipf->alpha;
    return fabs(exponent) < 1e-9 ? exp(x) : pow(1 + x * exponent, 1 / exponent);
}

static struct zipf zipf_make(double alpha, uint32_t keys) {
    struct zipf zipf = {.alpha = alpha, .keys = keys};
    zipf.low = integral(&zipf, 1.5) - 1;
    zipf.high = integral(&zipf, keys + 0.5);
    zipf.accept = 2 - inverse(&zipf, integral(&zipf, 2.5) - pow(2, -alpha));
    return zipf;
}

/* A rank from 0 on. */
static uint32_t zipf_next(const struct zipf *zipf, uint64_t *state) {
    for (;;) {
        const double u = zipf->high + next_fraction(state) * (zipf->low - zipf->high);
        const double x = inverse(zipf, u);
        double rank = floor(x + 0.5);
        rank = rank < 1 ? 1 : rank > zipf->keys ? zipf->keys : rank;
        if (rank - x <= zipf->accept || u >= integral(zipf, rank + 0.5) - pow(rank, -zipf->alpha)) {
            return (uint32_t)rank - 1;
        }
    }
}

/* ---- Keys ---- */

void trace_key(uint32_t key, char name[TRACE_KEY_LENGTH + 1]) {
    snprintf(name, TRACE_KEY_LENGTH + 1, "key-%08x", key);
}

/* A length: each doubling is as likely as the next. */
static double between(double from, double to, double at) {
    return from * pow(to / from, at);
}

static const uint32_t values[][FORMS] = {
#include "values.inc"
};

static uint32_t value_length(enum sizes sizes, uint32_t key, enum form form) {
    const uint64_t random = scramble(key + UINT64_C(0x5851f42d4c957f2d));
    const double at = fraction(random);
    switch (sizes) {
        case SIZES_SMALL:
            return (uint32_t)between(50, 200, at);
        case SIZES_LARGE:
            if (scramble(random) % 100 < 2) {
                return (uint32_t)between(16 << 10, 128 << 10, at);
            }
            break;
        case SIZES_FORMS:
            return values[random % (sizeof values / sizeof *values)][form];
        case SIZES_MIXED:
            break;
    }
    return (uint32_t)between(50, 4096, at);
}

uint32_t trace_value_length(const struct trace *trace, uint32_t key) {
    return value_length(trace->plan->sizes, key, trace->form);
}

static uint32_t units(enum sizes sizes, uint32_t key, enum form form) {
    return (uint32_t)entry_units(TRACE_KEY_LENGTH, units_of(value_length(sizes, key, form)));
}

uint32_t trace_units_as(const struct trace *trace, uint32_t key, enum form form) {
    return units(trace->plan->sizes, key, form);
}

uint32_t trace_entry_units(const struct trace *trace, uint32_t key) {
    return trace_units_as(trace, key, trace->form);
}

/* ---- Requests ---- */

bool trace_writes(const struct trace *trace, size_t i) {
    return scramble(i) % 100 < trace->plan->writes;
}

static double mean_entry(enum sizes sizes) {
    enum { SAMPLE = 100000 };
    double bytes = 0;
    for (uint32_t key = 0; key < SAMPLE; key++) {
        bytes += (double)units(sizes, key, FORM_PHP) * UNIT;
    }
    return bytes / SAMPLE;
}

/* Maps ranks to keys by a permutation, so that popular keys are not neighbours. */
static uint32_t key_of_rank(uint32_t rank, uint32_t keys, uint32_t shift) {
    const uint64_t prime = UINT64_C(2654435761); /* no number of keys here is a multiple of it */
    return (uint32_t)(((uint64_t)rank + shift) * prime % keys);
}

struct trace trace_make(const struct plan *plan, size_t memory, size_t requests) {
    const double fitting = (double)memory / mean_entry(plan->sizes);
    const size_t half_day = (size_t)(fitting * 8);
    if (plan->shape == SHAPE_DAY_NIGHT) {
        requests = (requests / (2 * half_day) + 2) * 2 * half_day; /* whole days, and one to warm up */
    }
    struct trace trace = {
        .plan = plan,
        .requests = requests,
        .warm_up = plan->shape == SHAPE_DAY_NIGHT ? 2 * half_day : requests / 3,
    };
    uint32_t popular = (uint32_t)(fitting * plan->multiple);
    trace.keys = popular;
    /* A scan takes half of the memory; there are eight different ones, in turn. */
    const uint32_t scan = (uint32_t)(fitting / 2);
    if (plan->shape == SHAPE_SCANS) {
        trace.keys += 8 * scan;
    }
    trace.request = malloc(requests * sizeof *trace.request);
    if (!trace.request) {
        abort();
    }
    const struct zipf zipf = zipf_make(plan->alpha, popular);
    uint64_t state = 42;
    for (size_t i = 0; i < requests; i++) {
        uint32_t key = 0;
        switch (plan->shape) {
            case SHAPE_LOOP:
                key = (uint32_t)(i % popular);
                break;
            case SHAPE_SCANS: {
                /* Scans in turn, each followed by twice as many requests of the usual kind. */
                const size_t at = i % (3 * (size_t)scan);
                const uint32_t number = (uint32_t)(i / (3 * (size_t)scan) % 8);
                key = at < scan ? popular + number * scan + (uint32_t)at
                                : key_of_rank(zipf_next(&zipf, &state), popular, 0);
                break;
            }
            case SHAPE_ZIPF:
                key = key_of_rank(zipf_next(&zipf, &state), popular, 0);
                break;
            case SHAPE_DAY_NIGHT:
                key = key_of_rank(zipf_next(&zipf, &state), popular, i / half_day % 2 ? popular / 2 : 0);
                break;
        }
        trace.request[i] = key;
    }
    return trace;
}

void trace_free(struct trace *trace) {
    free(trace->request);
    trace->request = NULL;
}
