/*
 * Eviction: which pages are reclaimed next.
 *
 * The pages form two logs. New entries go to the probation log, an eighth of the pages. When its oldest page is
 * reclaimed, used entries move to the main log and the rest is dropped. When a page of the main log is reclaimed,
 * entries used since they came there move once more, with their use count lowered. So one pass over many keys does
 * not evict what is in use. If nothing in probation is used for long, a random sample moves (see reclaim.c), so that
 * a loop over more than the memory hits. The method is a lock-free relative, by pages, of S3-FIFO (Yang et al., SOSP
 * 2023), SIEVE (Zhang et al., NSDI 2024) and 2Q (Johnson and Shasha, VLDB 1994). A hit writes at most four times in
 * an entry's life and moves nothing. core-tests/replay compares them.
 *
 * A store makes its own room, a bounded piece at a time; there is no daemon. None of these functions may be called
 * while this process has a page in `writing`.
 */
#ifndef LARDER_EVICT_H
#define LARDER_EVICT_H

#include "process.h"

/*
 * The cost of taking a page. COST_FRESH is a free page that may find no memory. After fragmented pages, emptiest
 * first, come overdue pages of probation, the main log, and the rest of probation, each oldest first: the age is
 * added.
 */
enum { COST_FREE = 0, COST_DEAD = 1, COST_LIMBO = 2, COST_FRESH = 3 };
#define COST_FRAGMENTED UINT64_C(4)
#define COST_OVERDUE (UINT64_C(1) << 60)
#define COST_MAIN (UINT64_C(2) << 60)
#define COST_PROBATION (UINT64_C(3) << 60)
#define COST_NEVER UINT64_MAX

/* The cost of a page in this state; the second, of a page or of the head of its run. As a last resort the pin
 * populations and spare pages are ignored, and the kernel is asked again which processes are alive. */
uint64_t evict_cost_of_head(struct cache *cache, uint32_t page, uint64_t state, bool last_resort);
uint64_t evict_cost(struct cache *cache, uint32_t page, bool last_resort);

/* Finds the next victims of each log in one pass over the page table. */
void evict_survey(struct cache *cache, bool last_resort);

/* True if the victims of one log are used up. The other log must not provide all the room. */
bool evict_is_used_up(struct cache *cache);

/* Returns the next victim, of the log whose victim is cheapest. False: none is left. */
bool evict_next(struct cache *cache, struct victim *victim);

/* Returns a page whose entries all died recently: it is still in the processor's caches, and nothing has to move.
 * False: there is none. */
bool evict_warm_page(struct cache *cache, struct victim *warm);

/* The time that one store has waited for other processes, ns. */
struct waiting {
    uint64_t waited, looked_at;
};

/* Lets processes go on that are opening or reclaiming pages. False: timed out. */
bool evict_wait(struct cache *cache, struct waiting *waiting);

/* Tries to have `wanted` spare pages, in at most `tries` reclaims. */
void evict_fill_spare(struct cache *cache, struct record_shared *record, unsigned wanted, unsigned tries);

#endif
