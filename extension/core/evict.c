#include "evict.h"

#include "commit.h"
#include "failpoint.h"
#include "os.h"
#include "page.h"
#include "pin.h"
#include "reclaim.h"
#include "spare.h"

enum {
    PROBATION_SHARE = 8,              /* the probation log may have one of so many pages */
    WAIT_NS = 100 * 1000 * 1000,      /* a store waits this long for processes that open or reclaim pages, */
    WAIT_AGAIN_NS = 15 * 1000 * 1000, /* and this long while they seem to be stopped: */
    STOPPED_NS = 1000 * 1000 * 1000,  /* for this time after a timeout */
    STEP_NS = 5 * 1000 * 1000,        /* most that one yield counts: other processes wait for a processor, too */
};

#define COST_AGE_MASK (COST_OVERDUE - 1)

/* The length of the probation log follows from the ages, so there is no counter that could drift. */
static uint64_t cost_in_log(const struct cache *cache, const struct page_shared *row) {
    const uint64_t age = page_age(row) & COST_AGE_MASK;
    if (page_log(row) == LOG_MAIN) {
        return COST_MAIN + age;
    }
    const uint64_t newest = word_peek(&cache->map.header->age[LOG_PROBATION]);
    return (newest - age >= ref_pages_usable(&cache->map) / PROBATION_SHARE ? COST_OVERDUE : COST_PROBATION) + age;
}

uint64_t evict_cost_of_head(struct cache *cache, uint32_t page, uint64_t state, bool last_resort) {
    const struct page_shared *row = page_row(cache, page);
    const bool held = !last_resort && pin_seems_held(&cache->map, page);
    switch (state_of(state)) {
        case PAGE_FREE:
            if (!last_resort && spare_has(cache, page)) {
                return COST_NEVER;
            }
            if (LIKELY(ref_page_has_memory(&cache->map, page))) {
                return COST_FREE;
            }
            return commit_may_grow(cache) ? COST_FRESH : COST_NEVER;
        case PAGE_LIMBO:
            return held ? COST_NEVER : COST_LIMBO;
        case PAGE_CLOSED:
            break;
        default:
            if (!page_abandoned(cache, page, state, last_resort)) {
                return COST_NEVER;
            }
            break;
    }
    if (held) {
        return COST_NEVER;
    }
    if (page_is_dead(row)) {
        return COST_DEAD;
    }
    if (cache->map.keeps) {
        /* As the last resort, compacting finds expired entries among others. */
        const uint64_t gain = page_gain(&cache->map, row);
        return page_run(&cache->map, page) == 1 && (gain > 0 || last_resort)
                   ? COST_FRAGMENTED + page_units(&cache->map) - gain
                   : COST_NEVER;
    }
    if (page_is_fragmented(&cache->map, row) && page_run(&cache->map, page) == 1) {
        const uint64_t units = page_units(&cache->map), dead = word_peek(&row->dead);
        return COST_FRAGMENTED + (dead < units ? units - dead : 0);
    }
    return cost_in_log(cache, row);
}

uint64_t evict_cost(struct cache *cache, uint32_t page, bool last_resort) {
    const uint64_t state = word_load(&page_row(cache, page)->state);
    if (state_of(state) == PAGE_MEMBER) {
        const uint32_t head = page_head(&cache->map, page);
        if (head != page) {
            return evict_cost_of_head(cache, head, word_load(&page_row(cache, head)->state), last_resort);
        }
    }
    return evict_cost_of_head(cache, page, state, last_resort);
}

/* With few victims, all are still valid when their turn comes. With many, surveys are rare, and processes seldom
 * compete for one page. */
static unsigned victims_wanted(const struct map *map, bool last_resort) {
    const uint32_t share = map->page_count / 32;
    return last_resort || share > VICTIMS_MAX ? VICTIMS_MAX : share < VICTIMS_MIN ? VICTIMS_MIN : share;
}

/* Inserts a page into the `wanted` cheapest so far. */
static void consider(struct victims *victims, unsigned wanted, uint32_t page, uint64_t cost, uint64_t state) {
    unsigned at = victims->count;
    if (at == wanted) {
        if (cost >= victims->list[at - 1].cost) {
            return;
        }
        at--;
    } else {
        victims->count++;
    }
    for (; at > 0 && victims->list[at - 1].cost > cost; at--) {
        victims->list[at] = victims->list[at - 1];
    }
    victims->list[at] = (struct victim){.cost = cost, .state = state, .page = page, .empty = cost <= COST_FRESH};
}

/* The pages ever claimed and some more, so that memory is taken from the beginning. */
static uint32_t pages_to_survey(const struct cache *cache, unsigned wanted) {
    const uint64_t begun = word_peek(&cache->map.header->pages_begun);
    const uint32_t count = cache->map.page_count;
    return begun >= count || count - begun <= wanted ? count : (uint32_t)begun + wanted;
}

void evict_survey(struct cache *cache, bool last_resort) {
    pin_recount(cache);
    for (unsigned log = 0; log < LOGS; log++) {
        cache->victims[log].next = cache->victims[log].count = 0;
    }
    const unsigned wanted = victims_wanted(&cache->map, last_resort);
    unsigned free = 0;
    cache->others_busy = false;
    /* Each process begins at another page, so that they do not compete for the same free pages. */
    const uint32_t pages = pages_to_survey(cache, wanted);
    const uint32_t start = (uint32_t)((uint64_t)pages * cache->number / cache->map.record_count);
    uint32_t i = 0;
    for (; i < pages && free < wanted; i++) {
        const uint32_t page = start + i < pages ? start + i : start + i - pages;
        const struct page_shared *row = page_row(cache, page);
        const uint64_t state = word_load(&row->state);
        if (state_of(state) == PAGE_MEMBER && page_head(&cache->map, page) != page) {
            continue;
        }
        const uint64_t cost = evict_cost_of_head(cache, page, state, last_resort);
        if (cost != COST_NEVER) {
            consider(&cache->victims[page_log(row)], wanted, page, cost, state);
            free += cost == COST_FREE;
        } else if (state_of(state) == PAGE_OPENING || state_of(state) == PAGE_RECLAIMING) {
            cache->others_busy = true;
        }
    }
    cache->surveyed = last_resort ? cache->map.page_count : i;
    FAILPOINT(surveyed);
}

/* The next victim of a log that is still as it was surveyed; NULL if none is left. */
static const struct victim *peek_victim(struct cache *cache, enum page_log log) {
    struct victims *victims = &cache->victims[log];
    for (; victims->next < victims->count; victims->next++) {
        const struct victim *candidate = &victims->list[victims->next];
        if (word_load(&page_row(cache, candidate->page)->state) == candidate->state &&
            (candidate->cost != COST_FRESH || commit_may_grow(cache))) {
            return candidate;
        }
    }
    return NULL;
}

bool evict_is_used_up(struct cache *cache) {
    for (unsigned log = 0; log < LOGS; log++) {
        if (cache->victims[log].count > 0 && !peek_victim(cache, (enum page_log)log)) {
            return true;
        }
    }
    return false;
}

/* The log whose next victim is cheapest; NULL if none is left. */
static struct victims *cheapest(struct cache *cache, uint64_t *least) {
    struct victims *turn = NULL;
    *least = COST_NEVER;
    for (unsigned log = 0; log < LOGS; log++) {
        const struct victim *candidate = peek_victim(cache, (enum page_log)log);
        if (!candidate) {
            continue;
        }
        /* The victim may have become overdue since the survey. */
        const uint64_t cost = candidate->cost < COST_OVERDUE
                                  ? candidate->cost
                                  : cost_in_log(cache, page_row(cache, candidate->page));
        if (cost < *least) {
            *least = cost;
            turn = &cache->victims[log];
        }
    }
    return turn;
}

bool evict_next(struct cache *cache, struct victim *victim) {
    uint64_t least;
    struct victims *turn = cheapest(cache, &least);
    const unsigned wanted = victims_wanted(&cache->map, false);
    /* The unused pages of the survey are taken, by other processes too. There may be more unused pages that it did not
     * look at. Each further survey means that others have taken pages since the last one. */
    while (UNLIKELY(turn && least > COST_FRESH && cache->surveyed < pages_to_survey(cache, wanted))) {
        evict_survey(cache, false);
        turn = cheapest(cache, &least);
    }
    if (turn) {
        *victim = turn->list[turn->next++];
    }
    return turn != NULL;
}

bool evict_wait(struct cache *cache, struct waiting *waiting) {
    const uint64_t now = os_nanoseconds(), step = waiting->looked_at ? now - waiting->looked_at : 0;
    waiting->waited += step < STEP_NS ? step : STEP_NS;
    waiting->looked_at = now;
    os_yield();
    const bool stopped = cache->timed_out_at != 0 && now - cache->timed_out_at < STOPPED_NS;
    if (waiting->waited < (stopped ? WAIT_AGAIN_NS : WAIT_NS)) {
        return true;
    }
    cache->timed_out_at = stopped ? cache->timed_out_at : now;
    return false;
}

/* ---- A page ---- */

bool evict_warm_page(struct cache *cache, struct victim *warm) {
    shared_word *hint = &cache->map.header->warm;
    if (word_peek(hint) == 0) {
        return false;
    }
    const uint32_t page = (uint32_t)word_exchange(hint, 0) - 1;
    if (page >= cache->map.page_count) {
        return false;
    }
    const struct page_shared *row = page_row(cache, page);
    *warm = (struct victim){.page = page, .state = word_load(&row->state), .empty = true};
    /* A run may have taken the page since. The members of a run count no live entries; the head does, for all of
     * them. */
    return (uint32_t)word_load(&row->live) == 0 && page_head(&cache->map, page) == page;
}

void evict_fill_spare(struct cache *cache, struct record_shared *record, unsigned wanted, unsigned tries) {
    for (unsigned i = 0; i < tries && spare_count(cache) < wanted; i++) {
        if (evict_is_used_up(cache)) {
            evict_survey(cache, false);
        }
        struct victim victim;
        if (evict_next(cache, &victim) && reclaim_victim(cache, record, &victim, RECLAIM_GENTLY)) {
            spare_keep(cache, victim.page);
        }
    }
}
