/*
 * Making room: which pages are taken back, and how.
 *
 * The pages form two logs. New entries are appended to the probation log, about an eighth of the pages; when its
 * oldest page is reclaimed, entries that were used move to the main log and the others go. When the main log has to
 * yield, entries used since they came there move once more, with their use count lowered, and the others go. So a
 * single pass over many keys does not push out what is in use; where nothing in probation is used for long, some move
 * by lot (see reclaim.c), so that a loop over more than the memory hits. It is the lock-free relative, by pages, of S3-FIFO
 * (Yang et al., SOSP 2023), SIEVE (Zhang et al., NSDI 2024) and 2Q (Johnson and Shasha, VLDB 1994): a hit writes at
 * most four times in an entry's generation and moves nothing. core-tests/replay measures it beside them.
 *
 * Whoever needs room makes it, a bounded piece at a time; there is no daemon. Never called while this
 * process has a page in `writing`.
 */
#ifndef LARDER_EVICT_H
#define LARDER_EVICT_H

#include "process.h"

/*
 * What it costs the cache to take a page: lower is better, NEVER is not to be had. Fresh is a free page that may find no
 * memory. After fragmented pages, emptiest first, those in use go that are in probation for longer than it lasts, then
 * the main log, then the rest of probation, and of each the oldest: to these costs the age is added.
 */
enum { COST_FREE = 0, COST_DEAD = 1, COST_LIMBO = 2, COST_FRESH = 3 };
#define COST_FRAGMENTED UINT64_C(4)
#define COST_OVERDUE (UINT64_C(1) << 60)
#define COST_MAIN (UINT64_C(2) << 60)
#define COST_PROBATION (UINT64_C(3) << 60)
#define COST_NEVER UINT64_MAX

/* The cost of a page in a state; of whatever speaks for a page. As a last resort pin populations and spare pages are
 * ignored, and the kernel is asked anew who lives. */
uint64_t evict_cost_of_head(struct cache *cache, uint32_t page, uint64_t state, bool last_resort);
uint64_t evict_cost(struct cache *cache, uint32_t page, bool last_resort);

/* Finds the next victims of each log by one pass over the page table; they are used up before the next pass. */
void evict_survey(struct cache *cache, bool last_resort);

/* Whether the victims of one log are used up, by us or by others: then the other must not make all the room. */
bool evict_is_used_up(struct cache *cache);

/* The next victim, of the log whose turn it is. False if there is none. */
bool evict_next(struct cache *cache, struct victim *victim);

/* A page whose entries all died: warm in the processor's caches, and nothing needs to be moved. False if there is none. */
bool evict_warm_page(struct cache *cache, struct victim *warm);

/* Sees to it that so many spare pages are kept, if they are to be had easily. */
void evict_fill_spare(struct cache *cache, struct record_shared *record, unsigned wanted, unsigned tries);

#endif
