#include "reservation.h"

#include "compact.h"
#include "destination.h"
#include "evict.h"
#include "failpoint.h"
#include "os.h"
#include "page.h"
#include "reclaim.h"
#include "run.h"
#include "spare.h"

enum {
    /* All victims of a survey. After fewer, half of each ninth page of what was stored since the last lap, and is in
     * use, was lost when a script filled the cache. */
    GENTLE_TRIES = VICTIMS_MAX,    /* victims that one call tries gently; */
    FIRM_TRIES = GENTLE_TRIES + 8, /* from this one on insistently, or used runs everywhere would leave no room; */
    PAGE_TRIES = GENTLE_TRIES + 16, /* and all */
    SURVEYS = 3,                    /* the last one is the last resort */
    OPEN_TRIES = 16,
    TOP_UP_TRIES = 2,
};

/* Waits if a page could not be compacted since `unmovable` was read, because other compacting processes have all
 * spare pages; or if other processes are using all pages. Preempted processes go on during the wait, so no live
 * entries are dropped too early. The destination of a dead process is taken over. False: timed out. */
static bool wait_for_others(struct cache *cache, uint32_t unmovable, struct waiting *waiting) {
    if (cache->unmovable == unmovable && !cache->others_busy) {
        return false;
    }
    return (!cache->destination && destination_adopt(cache)) || evict_wait(cache, waiting);
}

/* Opens a page for new entries unless one is open. False: no page can be taken. */
static bool open_a_page(struct cache *cache, struct record_shared *record) {
    const shared_word *current = &cache->map.header->current[LOG_PROBATION];
    unsigned surveys = 0;
    struct waiting waiting = {0};
    bool reclaimed = false;
    uint32_t unmovable = cache->unmovable;
    for (unsigned i = 0; i < PAGE_TRIES; i++) {
        const uint64_t seen = word_load(current);
        if (page_is_current(cache, seen)) {
            if (reclaimed) {
                /* This process took one spare page and gave one back. But other processes may have taken spare pages
                 * while they filled the page opened for moves, and no other process replaces those. */
                evict_fill_spare(cache, record, spare_wanted(&cache->map), TOP_UP_TRIES);
            }
            return true;
        }
        if (i == GENTLE_TRIES && wait_for_others(cache, unmovable, &waiting)) {
            unmovable = cache->unmovable;
            i = surveys = 0;
        }
        struct victim victim;
        if (!evict_warm_page(cache, &victim) &&
            ((surveys == 0 && evict_is_used_up(cache)) || !evict_next(cache, &victim))) {
            if (surveys == SURVEYS) {
                return false;
            }
            if (surveys + 1 == SURVEYS && wait_for_others(cache, unmovable, &waiting)) {
                unmovable = cache->unmovable;
                surveys = 0;
            }
            surveys++;
            evict_survey(cache, surveys == SURVEYS);
            i = 0;
            continue;
        }
        const enum reclaim_effort effort = surveys == SURVEYS || i >= FIRM_TRIES ? RECLAIM_INSIST
                                           : i >= GENTLE_TRIES                   ? RECLAIM_FIRMLY
                                                                                 : RECLAIM_GENTLY;
        FAILPOINT(victim_chosen);
        const uint32_t page = victim.page;
        const uint64_t kept = cache->counters_kept;
        /* Free pages and those in limbo may have been emptied by an eviction. */
        const bool dead = state_of(victim.state) == PAGE_CLOSED && page_is_dead(page_row(cache, page));
        const bool emptied = reclaim_victim(cache, record, &victim, effort);
        if (cache->counters_kept != kept) {
            i = surveys = 0; /* such moves are limited, and say nothing about other pages */
        }
        if (!emptied) {
            continue;
        }
        reclaimed = true;
        /* Keep a spare page first, or the next victim's entries could not move. */
        if (effort != RECLAIM_GENTLY || spare_has_reserve(cache) || !spare_keep(cache, page)) {
            if (word_load(current) != seen || !page_open(cache, page, LOG_PROBATION, seen)) {
                /* Another process opened a page. Leave this one to the next process that needs a page, if it has
                 * memory. */
                if (ref_page_has_memory(&cache->map, page)) {
                    word_poke(&cache->map.header->warm, (uint64_t)page + 1);
                }
            } else if (dead && UNLIKELY(word_peek(&cache->map.header->evicted_at) != 0)) {
                word_poke(&cache->map.header->evicted_at, 0);
            }
        }
    }
    return page_is_current(cache, word_load(current));
}

bool reservation_make(struct cache *cache, struct record_shared *record, uint64_t units,
                      struct reservation *reservation) {
    if (UNLIKELY(reservation->location != 0)) {
        reservation_end(cache, record, reservation, false); /* left by an interrupted call */
    }
    if (units > page_units(&cache->map) / 2) {
        const bool made = run_make(cache, record, units, reservation);
        destination_end(cache);
        return made;
    }
    if (UNLIKELY(cache->map.keeps)) {
        return compact_reserve(cache, record, units, reservation);
    }
    for (unsigned i = 0; i < OPEN_TRIES; i++) {
        if (LIKELY(page_append(cache, record, LOG_PROBATION, units, reservation))) {
            return true;
        }
        const bool opened = open_a_page(cache, record);
        destination_end(cache);
        if (!opened) {
            return false;
        }
    }
    return false;
}

void reservation_end(struct cache *cache, struct record_shared *record, struct reservation *reservation,
                     bool published) {
    if (reservation->run_pages == 0) {
        if (!published) {
            page_add_dead(cache, reservation->page, reservation->units);
        } else if (UNLIKELY(state_of(word_load(&page_row(cache, reservation->page)->state)) != PAGE_OPEN)) {
            page_refresh_age(cache, reservation->page); /* another process closed it */
        }
        clear_writing(record);
    } else if (published) {
        page_refresh_age(cache, reservation->page);
        uint64_t opening = word_load(&page_row(cache, reservation->page)->state);
        word_swap(&page_row(cache, reservation->page)->state, &opening, state_change(opening, PAGE_CLOSED));
    } else {
        run_release(cache, reservation->page, reservation->run_pages);
    }
    *reservation = (struct reservation){0};
}
