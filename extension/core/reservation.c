#include "reservation.h"

#include "evict.h"
#include "failpoint.h"
#include "os.h"
#include "page.h"
#include "reclaim.h"
#include "run.h"
#include "spare.h"

enum {
    PAGE_TRIES = 24,  /* victims that one call looks at, */
    GENTLE_TRIES = 8, /* how many of them gently, */
    FIRM_TRIES = 16,  /* and from which on it insists: or where all are runs in use there would be no room */
    SURVEYS = 3,      /* the last one asks the kernel anew who lives and ignores the pin populations */
    OPEN_TRIES = 16,
    TOP_UP_TRIES = 2,
    WAIT_NS = 100 * 1000 * 1000,      /* that a store waits for others who have pages in hand; */
    WAIT_AGAIN_NS = 15 * 1000 * 1000, /* and so long, while they seem to be stopped: */
    STOPPED_NS = 1000 * 1000 * 1000,  /* after a wait in vain */
};

/* Whether there is a page that is open and current, so that nobody needs to open another. */
static bool has_open_page(const struct cache *cache, uint64_t current) {
    const uint32_t page = current_page(cache, current);
    if (page == cache->map.page_count) {
        return false;
    }
    const uint64_t state = word_load(&page_row(cache, page)->state);
    return state_of(state) == PAGE_OPEN && state_generation(state) == (uint32_t)(current >> 32);
}

/* A page could not be compacted since `unmovable` was read, because other processes that compact have all of the reserve; or they
 * have all pages in hand that could be had. Lets them go on, who were preempted, before anything that lives is dropped.
 * False: that took too long. */
static bool wait_for_others(struct cache *cache, uint32_t unmovable, uint64_t *start) {
    if (cache->unmovable == unmovable && !cache->others_busy) {
        return false;
    }
    const uint64_t now = os_nanoseconds();
    *start = *start ? *start : now;
    os_yield();
    const bool stopped = cache->timed_out_at != 0 && now - cache->timed_out_at < STOPPED_NS;
    if (now - *start < (stopped ? WAIT_AGAIN_NS : WAIT_NS)) {
        return true;
    }
    cache->timed_out_at = stopped ? cache->timed_out_at : now;
    return false;
}

/* Sees to it that new entries have an open page. False if no page can be taken. */
static bool open_a_page(struct cache *cache, struct record_shared *record) {
    const shared_word *current = &cache->map.header->current[LOG_PROBATION];
    unsigned surveys = 0;
    uint64_t waiting = 0; /* since when */
    bool reclaimed = false;
    uint32_t unmovable = cache->unmovable;
    for (unsigned i = 0; i < PAGE_TRIES; i++) {
        const uint64_t seen = word_load(current);
        if (has_open_page(cache, seen)) {
            if (reclaimed) {
                /* One page was taken from the reserve and one was given back. What others took besides, while they
                 * filled the page that was opened for moves, nobody else gives back. */
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
            /* The last one looks for what can be dropped. */
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
        const bool emptied = reclaim_victim(cache, record, &victim, effort);
        if (cache->counters_kept != kept) {
            i = surveys = 0; /* what is moved for that reason is limited, and says nothing of other pages */
        }
        if (!emptied) {
            continue;
        }
        reclaimed = true;
        /* One page for moves comes first, or the next one to be reclaimed would have none. */
        if (effort != RECLAIM_GENTLY || spare_count(cache) > 0 || !spare_keep(cache, page)) {
            if (word_load(current) != seen || !page_open(cache, page, LOG_PROBATION, seen)) {
                /* Somebody was faster: it is for whoever needs the next one. Unless there is no memory for it. */
                if (ref_page_has_memory(&cache->map, page)) {
                    word_poke(&cache->map.header->warm, (uint64_t)page + 1);
                }
            }
        }
    }
    return has_open_page(cache, word_load(current));
}

bool reservation_make(struct cache *cache, struct record_shared *record, uint64_t units,
                      struct reservation *reservation) {
    if (UNLIKELY(reservation->location != 0)) {
        reservation_end(cache, record, reservation, false); /* what a call left that was cut short */
    }
    if (units > page_units(&cache->map) / 2) {
        return run_make(cache, record, units, reservation);
    }
    for (unsigned i = 0; i < OPEN_TRIES; i++) {
        if (LIKELY(page_append(cache, record, LOG_PROBATION, units, reservation))) {
            return true;
        }
        if (!open_a_page(cache, record)) {
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
            page_refresh_age(cache, reservation->page); /* others closed it meanwhile */
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
