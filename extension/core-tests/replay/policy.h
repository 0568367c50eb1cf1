/*
 * Replacement policies, simulated: a memory of so many units, in which each entry takes as many units as the engine
 * gives it (header and key included) and nothing is lost between them. All but log_policy() know no pages. Each
 * gives the share of hits, in percent of the requests after the warm-up.
 */
#ifndef LARDER_REPLAY_POLICY_H
#define LARDER_REPLAY_POLICY_H

#include <stdbool.h>

#include "trace.h"

/* Least recently used first. */
double lru_policy(const struct trace *trace, uint64_t units);

/* Oldest first. */
double fifo_policy(const struct trace *trace, uint64_t units);

/* Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi, "SIEVE is simpler than LRU", NSDI 2024. */
double sieve_policy(const struct trace *trace, uint64_t units);

/* J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023. */
double s3_fifo_policy(const struct trace *trace, uint64_t units);

/* The engine's own, see log.c. */
struct log_rules {
    uint32_t pages;
    uint32_t page_units;
    uint32_t probation;   /* pages of the probation log; 0: there is one log for all */
    unsigned use_max;     /* where counting uses ends */
    unsigned use_worth;   /* what the first use counts, and from which count entries move */
    uint32_t budget;      /* units of a page in probation that may move */
    uint32_t wasted;      /* dead units from which a page is compacted */
    uint32_t draw_after;  /* entries of probation that were not used, in a row: then of */
    uint32_t draw_one_of; /* so many one moves all the same; 0: none */
};
double log_policy(const struct trace *trace, const struct log_rules *rules);

/* Whether request number i counts, and the share of those that hit. */
struct score {
    uint64_t hits, requests;
};
static inline void score_add(struct score *score, const struct trace *trace, size_t i, bool hit) {
    score->hits += i >= trace->warm_up && hit;
    score->requests += i >= trace->warm_up;
}
static inline double score_percent(const struct score *score) {
    return score->requests ? 100.0 * (double)score->hits / (double)score->requests : 0;
}

#endif
