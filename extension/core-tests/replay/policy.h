/*
 * Simulated replacement policies: a memory of `units`, in which each entry takes as many units as in the engine
 * (header and key included), and nothing is lost between entries. Only log_policy() has pages. Each function returns
 * the hits in percent of the requests after the warm-up.
 */
#ifndef LARDER_REPLAY_POLICY_H
#define LARDER_REPLAY_POLICY_H

#include <stdbool.h>

#include "trace.h"

/* Evicts the least recently used entry. */
double lru_policy(const struct trace *trace, uint64_t units);

/* Evicts the oldest entry. */
double fifo_policy(const struct trace *trace, uint64_t units);

/* Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi, "SIEVE is simpler than LRU", NSDI 2024. */
double sieve_policy(const struct trace *trace, uint64_t units);

/* J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023. */
double s3_fifo_policy(const struct trace *trace, uint64_t units);

/* The engine's own policy, and one that chooses the form of each entry, see log.c. */
struct log_rules {
    uint32_t pages;
    uint32_t page_units;
    uint32_t probation;   /* pages of the probation log; 0: there is one log for all */
    unsigned use_max;     /* largest use count */
    unsigned use_worth;   /* value of the first use, and least use count of an entry that moves */
    uint32_t budget;      /* most units of a page in probation that may move */
    uint32_t wasted;      /* dead units from which on a page is compacted */
    uint32_t draw_after;  /* after so many consecutive unused entries of probation, */
    uint32_t draw_one_of; /* one of so many moves although unused; 0: none */
    uint32_t promote;     /* one of so many hits of a dense entry promotes it; 0: entries keep the trace's form */
    uint32_t hot_factor;  /* a page of the hot log counts as so many times its age */
    bool drops;           /* an unused entry in PHP's form is dropped; else it becomes dense */
};
double log_policy(const struct trace *trace, const struct log_rules *rules);

/* Counted after the warm-up, for values that have two forms. */
struct forms {
    uint64_t pointers, decoded; /* hits in PHP's own form; dense hits */
    uint64_t promoted, demoted;
    uint64_t converted; /* units in PHP's form of what was decoded, promoted or demoted */
};
double forms_policy(const struct trace *trace, const struct log_rules *rules, struct forms *forms);

/* Counts the requests after the warm-up, and their hits. */
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
