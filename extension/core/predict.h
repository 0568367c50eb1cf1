/*
 * The hit ratio that the segment would have at other sizes: the policy of evict.c is replayed for a sample of the keys, in
 * memory scaled down alike (Waldspurger et al., "Cache Modeling and Optimization using Miniature Simulations", USENIX
 * ATC 2017). A key is sampled if the lowest bits of its mixed hash are 0; sample.h collects the samples.
 */
#ifndef LARDER_PREDICT_H
#define LARDER_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1/4, 1/2, 1, 2 and 4 times the size. */
enum { PREDICT_SIZES = 5, PREDICT_SAME = 2 };

/* At most one key in 64 is sampled, at least one in 16 million. */
enum { SAMPLE_BITS_LEAST = 6, SAMPLE_BITS_MOST = 24 };

enum sample_kind { SAMPLE_HIT, SAMPLE_MISS, SAMPLE_STORE, SAMPLE_DELETE };

/* hash 34 | size 8 | kind 2 | time to live 8 | time 12. Size and time to live count eighths of a doubling; a time to
 * live of 0 is forever. The time is that of the event: the low bits of seconds. */
uint64_t sample_make(uint64_t hash, enum sample_kind kind, uint64_t units, uint64_t seconds_left, uint64_t now);

bool sample_is_request(uint64_t sample);

/* True if these bits of the key's mixed hash are 0. */
bool sample_matches(uint64_t sample, uint64_t mask);

/* Samples, oldest first. Any bits are accepted. */
struct samples {
    const uint64_t *list;
    size_t count, counted_from; /* those before only fill the simulated memory */
    double units;               /* units of all pages, divided by the keys that one sampled key stands for */
    double page_units;          /* units of a page */
    double keys_each;           /* keys that one sampled key stands for */
};

/* Counts the misses at each size. Returns the number of keys; 0: none, or out of memory. */
uint32_t predict_misses(const struct samples *samples, uint64_t misses[PREDICT_SIZES]);

/* The hit ratio at a size. The miss ratio of this size is that of all keys, by the counters; only how misses change is
 * taken from the sample, as a popular key is among the sampled ones or not, but hardly ever misses. Fewer misses are
 * taken as a part of those at this size. More are added: few or none at this size would say nothing as a ratio.
 * `expected`, above 0: how many requests there were of one key in `keys_each`. */
double predict_hits(const uint64_t misses[PREDICT_SIZES], unsigned size, double miss_ratio, double expected);

#endif
