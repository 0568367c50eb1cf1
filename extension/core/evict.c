#include "evict.h"

#include "commit.h"
#include "reclaim.h"
#include "enter.h"
#include "os.h"
#include "page.h"
#include "pin.h"
#include "failpoint.h"
#include "segment.h"

enum {
    PROBATION_SHARE = 8, /* the probation log may have one page of so many */
    PAGE_TRIES = 24,     /* victims that one call looks at, */
    GENTLE_TRIES = 8,    /* how many of them gently, */
    FIRM_TRIES = 16,     /* and from which on it insists: or where all are runs in use there would be no room */
    SURVEYS = 3,         /* the last one asks the kernel anew who lives and ignores the pin populations */
    OPEN_TRIES = 16,
    SPARE_TRIES = 4,
    TOP_UP_TRIES = 2,
    WAIT_NS = 100 * 1000 * 1000,      /* that a store waits for others who have pages in hand; */
    WAIT_AGAIN_NS = 15 * 1000 * 1000, /* and so long, while they seem to be stopped: */
    STOPPED_NS = 1000 * 1000 * 1000,  /* after a wait in vain */
    RUN_LOOK = 1024,                  /* pages among which a run is looked for that costs little */
    RUN_TRIES = 12,
    RUN_INSISTS = 8, /* from this try on used runs are not kept any more */
};

/*
 * What it costs the cache to take a page: lower is better, NEVER is not to be had. Fresh is a free page that has no
 * memory yet: there may be none for it. After wasted
 * pages, emptiest first, those in use go that are in probation for longer than it lasts, then the main log, then the
 * rest of probation, and of each the oldest: to these costs the age is added.
 */
enum { COST_FREE = 0, COST_DEAD = 1, COST_LIMBO = 2, COST_FRESH = 3 };
#define COST_FRAGMENTED UINT64_C(4)
#define COST_OVERDUE (UINT64_C(1) << 60)
#define COST_MAIN (UINT64_C(2) << 60)
#define COST_PROBATION (UINT64_C(3) << 60)
#define COST_AGE_MASK (COST_OVERDUE - 1)
#define COST_NEVER UINT64_MAX

/* ---- Survey ---- */

static bool spare_has(const struct cache *cache, uint32_t page) {
    for (unsigned i = 0; i < spare_wanted(&cache->map); i++) {
        if (word_peek(&cache->map.header->reserve[i]) == (uint64_t)page + 1) {
            return true;
        }
    }
    return false;
}

/* How long the probation log is, its ages tell: no counter could drift. */
static uint64_t cost_in_log(const struct cache *cache, const struct page_shared *row) {
    const uint64_t age = page_age(row) & COST_AGE_MASK;
    if (page_log(row) == LOG_MAIN) {
        return COST_MAIN + age;
    }
    const uint64_t newest = word_peek(&cache->map.header->age[LOG_PROBATION]);
    return (newest - age >= ref_pages_usable(&cache->map) / PROBATION_SHARE ? COST_OVERDUE : COST_PROBATION) + age;
}

static uint64_t cost_of_head(struct cache *cache, uint32_t page, uint64_t state, bool last_resort) {
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
    if (page_is_fragmented(&cache->map, row) && page_run(&cache->map, page) == 1) {
        const uint64_t units = page_units(&cache->map), dead = word_peek(&row->dead);
        return COST_FRAGMENTED + (dead < units ? units - dead : 0);
    }
    return cost_in_log(cache, row);
}

static uint64_t cost_of(struct cache *cache, uint32_t page, bool last_resort) {
    const uint64_t state = word_load(&page_row(cache, page)->state);
    if (state_of(state) == PAGE_MEMBER) {
        const uint32_t head = page_head(&cache->map, page);
        if (head != page) {
            return cost_of_head(cache, head, word_load(&page_row(cache, head)->state), last_resort);
        }
    }
    return cost_of_head(cache, page, state, last_resort);
}

/*
 * How many victims of a log are kept: the fewer, the better they are when their turn comes; the more, the less often
 * the page table is walked, and the less others are in the way.
 */
static unsigned victims_wanted(const struct map *map, bool last_resort) {
    const uint32_t share = map->page_count / 32;
    return last_resort || share > VICTIMS_MAX ? VICTIMS_MAX : share < VICTIMS_MIN ? VICTIMS_MIN : share;
}

/* Keeps the `wanted` cheapest pages seen so far in order. */
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

/* Those that were ever claimed and some more, so that memory is taken from the beginning on. */
static uint32_t pages_to_survey(const struct cache *cache, unsigned wanted) {
    const uint64_t begun = word_peek(&cache->map.header->pages_begun);
    const uint32_t count = cache->map.page_count;
    return begun >= count || count - begun <= wanted ? count : (uint32_t)begun + wanted;
}

/* One pass over the page table finds the next victims of each log; they are used up before the next pass. */
static void survey(struct cache *cache, bool last_resort) {
    pin_recount(cache);
    for (unsigned log = 0; log < LOGS; log++) {
        cache->victims[log].next = cache->victims[log].count = 0;
    }
    const unsigned wanted = victims_wanted(&cache->map, last_resort);
    unsigned free = 0;
    cache->others_busy = false;
    /* Each process begins elsewhere, so that they do not all reach for the same free pages. */
    const uint32_t pages = pages_to_survey(cache, wanted);
    const uint32_t start = (uint32_t)((uint64_t)pages * cache->number / cache->map.record_count);
    for (uint32_t i = 0; i < pages && free < wanted; i++) {
        const uint32_t page = start + i < pages ? start + i : start + i - pages;
        const struct page_shared *row = page_row(cache, page);
        const uint64_t state = word_load(&row->state);
        if (state_of(state) == PAGE_MEMBER && page_head(&cache->map, page) != page) {
            continue;
        }
        const uint64_t cost = cost_of_head(cache, page, state, last_resort);
        if (cost != COST_NEVER) {
            consider(&cache->victims[page_log(row)], wanted, page, cost, state);
            free += cost == COST_FREE;
        } else if (state_of(state) == PAGE_OPENING || state_of(state) == PAGE_RECLAIMING) {
            cache->others_busy = true;
        }
    }
}

/* The next victim of a log whose state is still what the survey saw; NULL if there is none left. */
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

/* Whether the victims of one log are used up, by us or by others: then the other must not make all the room. */
static bool victims_run_out(struct cache *cache) {
    for (unsigned log = 0; log < LOGS; log++) {
        if (cache->victims[log].count > 0 && !peek_victim(cache, (enum page_log)log)) {
            return true;
        }
    }
    return false;
}

/* The next victim, of the log whose turn it is. False if there is none. */
static bool next_victim(struct cache *cache, struct victim *victim) {
    struct victims *turn = NULL;
    uint64_t least = COST_NEVER;
    for (unsigned log = 0; log < LOGS; log++) {
        const struct victim *candidate = peek_victim(cache, (enum page_log)log);
        if (!candidate) {
            continue;
        }
        /* Since the survey it may have become overdue. */
        const uint64_t cost = candidate->cost < COST_OVERDUE
                                  ? candidate->cost
                                  : cost_in_log(cache, page_row(cache, candidate->page));
        if (cost < least) {
            least = cost;
            turn = &cache->victims[log];
        }
    }
    if (turn) {
        *victim = turn->list[turn->next++];
    }
    return turn != NULL;
}

/* ---- A page ---- */

/* A page whose entries all died: warm in the processor's caches, and nothing needs to be moved. False if there is none. */
static bool warm_page(struct cache *cache, struct victim *warm) {
    shared_word *hint = &cache->map.header->warm;
    if (word_peek(hint) == 0) {
        return false;
    }
    const uint32_t page = (uint32_t)word_exchange(hint, 0) - 1;
    if (page >= cache->map.page_count) {
        return false;
    }
    *warm = (struct victim){.page = page, .state = word_load(&page_row(cache, page)->state), .empty = true};
    return (uint32_t)word_load(&page_row(cache, page)->live) == 0;
}

/* Whether there is a page that is open and current, so that nobody needs to open another. */
static bool has_open_page(const struct cache *cache, uint64_t current) {
    const uint32_t page = current_page(cache, current);
    if (page == cache->map.page_count) {
        return false;
    }
    const uint64_t state = word_load(&page_row(cache, page)->state);
    return state_of(state) == PAGE_OPEN && state_generation(state) == (uint32_t)(current >> 32);
}

/* Sees to it that a free page has its memory. Asked for while the page is ours, as in page_claim(): else who is just giving
 * it back would punch what was noted here as filled. */
static bool furnish(struct cache *cache, uint32_t page) {
    FAILPOINT(spare_intended);
    if (LIKELY(ref_page_has_memory(&cache->map, page))) {
        return true;
    }
    if (!page_hold(cache, page)) {
        return false;
    }
    const bool furnished = commit_page(cache, page);
    page_unclaim(cache, page);
    return furnished;
}

/* Some pages are kept for the moves of later reclaims. Whether this is one of them. */
static bool spare_keep(struct cache *cache, uint32_t page) {
    shared_word *reserve = cache->map.header->reserve;
    bool kept = spare_has(cache, page);
    for (unsigned i = 0; i < spare_wanted(&cache->map) && !kept; i++) {
        uint64_t none = 0;
        kept = word_load(&reserve[i]) == 0 && furnish(cache, page) &&
               word_swap(&reserve[i], &none, (uint64_t)page + 1);
    }
    return kept;
}

/* How many pages there are for the moves of later reclaims. */
static unsigned spare_count(const struct cache *cache) {
    unsigned pages = 0;
    for (unsigned i = 0; i < spare_wanted(&cache->map); i++) {
        pages += word_load(&cache->map.header->reserve[i]) != 0;
    }
    return pages;
}

/* Sees to it that so many pages are in reserve, if they are to be had easily. */
static void fill_spare(struct cache *cache, struct record_shared *record, unsigned wanted, unsigned tries) {
    for (unsigned i = 0; i < tries && spare_count(cache) < wanted; i++) {
        if (victims_run_out(cache)) {
            survey(cache, false);
        }
        struct victim victim;
        if (next_victim(cache, &victim) && reclaim_victim(cache, record, &victim, RECLAIM_GENTLY)) {
            spare_keep(cache, victim.page);
        }
    }
}

/* A page could not be compacted since `given_up`, because other processes that compact have all of the reserve; or they
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
                fill_spare(cache, record, spare_wanted(&cache->map), TOP_UP_TRIES);
            }
            return true;
        }
        if (i == GENTLE_TRIES && wait_for_others(cache, unmovable, &waiting)) {
            unmovable = cache->unmovable;
            i = surveys = 0;
        }
        struct victim victim;
        if (!warm_page(cache, &victim) &&
            ((surveys == 0 && victims_run_out(cache)) || !next_victim(cache, &victim))) {
            if (surveys == SURVEYS) {
                return false;
            }
            /* The last one looks for what can be dropped. */
            if (surveys + 1 == SURVEYS && wait_for_others(cache, unmovable, &waiting)) {
                unmovable = cache->unmovable;
                surveys = 0;
            }
            surveys++;
            survey(cache, surveys == SURVEYS);
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

/* ---- A run ---- */

/* The pages, or heads of runs, that could not be had in the tries so far. Without them each try would choose the
 * same window again. */
struct refusals {
    uint32_t pages[RUN_TRIES];
    unsigned count;
};

/* Pages next to each other that are to become a run, as many as it has, and what the dearest of them may cost. */
struct window {
    uint32_t start;
    uint64_t limit;
    bool last_resort;
};

static bool was_refused(const struct cache *cache, const struct refusals *refusals, uint32_t page) {
    for (unsigned i = 0; i < refusals->count; i++) {
        if (refusals->pages[i] == page_head(&cache->map, page)) {
            return true;
        }
    }
    return false;
}

static uint64_t cost_for_run(struct cache *cache, const struct refusals *refusals, uint32_t page,
                             bool last_resort) {
    return was_refused(cache, refusals, page) ? COST_NEVER : cost_of(cache, page, last_resort);
}

/* The first window among `look` pages from `from` on in which no page costs more than `limit`; page_count if
 * none. */
static uint32_t first_window(struct cache *cache, const struct refusals *refusals, uint64_t from, uint32_t pages,
                             uint64_t limit, uint32_t look) {
    const uint32_t count = cache->map.page_count;
    const uint32_t start = (uint32_t)(from % count);
    uint32_t length = 0;
    for (uint32_t i = 0; i < look + pages && i < count + pages; i++) {
        const uint32_t page = (start + i) % count;
        if (page == 0) {
            length = 0;
        }
        length = cost_for_run(cache, refusals, page, false) <= limit ? length + 1 : 0;
        if (length == pages) {
            return page + 1 - pages;
        }
    }
    return count;
}

/* The window whose dearest page is cheapest, by a queue of decreasing costs; from page_count on if none. */
static struct window best_window(struct cache *cache, uint32_t pages, const struct refusals *refusals,
                                 bool last_resort) {
    uint16_t queue[PAGES_MAX / 8 + 1];
    uint64_t costs[PAGES_MAX / 8 + 1];
    const uint32_t room = PAGES_MAX / 8 + 1;
    uint32_t head = 0, tail = 0, best = cache->map.page_count;
    uint64_t best_cost = COST_NEVER;
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        const uint64_t cost = cost_for_run(cache, refusals, page, last_resort);
        while (tail != head && costs[(tail - 1) % room] <= cost) {
            tail--;
        }
        queue[tail % room] = (uint16_t)page;
        costs[tail++ % room] = cost;
        if ((uint32_t)queue[head % room] + pages <= page) {
            head++;
        }
        if (page + 1 >= pages && costs[head % room] < best_cost) {
            best_cost = costs[head % room];
            best = page + 1 - pages;
        }
    }
    return (struct window){.start = best, .limit = best_cost, .last_resort = last_resort};
}

static void spare_forget(struct cache *cache, uint32_t page) {
    for (unsigned i = 0; i < spare_wanted(&cache->map); i++) {
        uint64_t reserved = (uint64_t)page + 1;
        if (word_peek(&cache->map.header->reserve[i]) == reserved) {
            word_swap(&cache->map.header->reserve[i], &reserved, 0);
        }
    }
}

static void release_run(struct cache *cache, uint32_t start, uint32_t claimed) {
    while (claimed-- > 0) {
        page_unclaim(cache, start + claimed);
    }
}

/* Takes a page of the window back, or the run that it belongs to. Not if it costs more than what the window was chosen
 * for: then somebody has taken it meanwhile, for what is newest now. */
static bool empty_page(struct cache *cache, struct record_shared *record, const struct window *window,
                       uint32_t page, enum reclaim_effort effort) {
    struct victim chosen = {.page = page_head(&cache->map, page)};
    chosen.state = word_load(&page_row(cache, chosen.page)->state);
    if (state_of(chosen.state) != PAGE_FREE) {
        chosen.cost = cost_of_head(cache, chosen.page, chosen.state, window->last_resort);
        chosen.empty = chosen.cost <= COST_FRESH;
        if (!chosen.empty && (chosen.cost > window->limit || chosen.cost == COST_NEVER)) {
            return false;
        }
    }
    FAILPOINT(run_page_chosen);
    return reclaim_victim(cache, record, &chosen, effort) &&
           state_of(word_load(&page_row(cache, page)->state)) == PAGE_FREE;
}

/* Claims the window's pages in ascending order, taking each back first. */
static bool claim_window(struct cache *cache, struct record_shared *record, const struct window *window,
                         uint32_t pages, bool insist, struct refusals *refusals, struct reservation *reservation) {
    const uint32_t start = window->start;
    uint64_t head = 0;
    for (uint32_t i = 0; i < pages; i++) {
        uint64_t claimed = 0;
        fill_spare(cache, record, 1, SPARE_TRIES); /* what is used in several pages needs more than one */
        if (empty_page(cache, record, window, start + i, insist ? RECLAIM_INSIST : RECLAIM_GENTLY)) {
            spare_forget(cache, start + i);
            claimed = page_claim(cache, start + i, LOG_PROBATION);
        }
        if (!claimed) {
            refusals->pages[refusals->count++] = page_head(&cache->map, start + i);
            release_run(cache, start, i);
            return false;
        }
        if (i == 0) {
            head = claimed;
        } else {
            page_join_run(cache, start + i, claimed, start, state_generation(head));
        }
        FAILPOINT(run_page_claimed);
    }
    shared_word *extent = &page_row(cache, start)->extent;
    word_store(extent, (word_load(extent) & ~(uint64_t)UINT32_MAX) | pages);
    word_poke(&cache->map.header->run_cursor, start + pages);
    FAILPOINT(run_claimed);
    *reservation = (struct reservation){
        .location = ref_location(&cache->map, start, 0),
        .page = start,
        .generation = state_generation(head),
        .run_pages = pages,
    };
    return true;
}

/* Where a run of `pages` costs least, by searches that become more thorough with each try; from page_count on if
 * there is no such place. */
static struct window choose_window(struct cache *cache, uint32_t pages, const struct refusals *refusals,
                                   unsigned attempt) {
    const uint32_t none = cache->map.page_count;
    struct window window = {.start = none};
    if (attempt == 0) {
        struct victim warm;
        if (warm_page(cache, &warm) && page_run(&cache->map, warm.page) >= pages) {
            return (struct window){.start = warm.page, .limit = COST_FRESH};
        }
        /* Next to the run before, so that a cache of long values is swept in order and the search is short: where
         * all pages are overdue, else where they are of the older half of the main log. */
        const uint64_t age = word_load(&cache->map.header->age[LOG_MAIN]);
        const uint64_t cursor = word_peek(&cache->map.header->run_cursor);
        window.limit = COST_MAIN;
        window.start = first_window(cache, refusals, cursor, pages, window.limit, RUN_LOOK);
        if (window.start == none) {
            window.limit = COST_MAIN + (age > none / 2 ? age - none / 2 : 0);
            window.start = first_window(cache, refusals, cursor, pages, window.limit, none);
        }
    } else if (attempt < RUN_INSISTS && refusals->count > 0) {
        /* Somebody was in the way: on from there. */
        const uint64_t behind = (uint64_t)refusals->pages[refusals->count - 1] + 1;
        window.limit = COST_MAIN;
        window.start = first_window(cache, refusals, behind, pages, window.limit, RUN_LOOK);
    }
    if (window.start == none) {
        pin_recount(cache);
        window = best_window(cache, pages, refusals, false);
    }
    return window.start == none ? best_window(cache, pages, refusals, true) : window;
}

static bool take_run(struct cache *cache, struct record_shared *record, uint64_t units,
                     struct reservation *reservation) {
    const uint32_t pages = (uint32_t)((units + page_units(&cache->map) - 1) >> cache->map.unit_shift);
    struct refusals refusals = {.count = 0};
    for (unsigned i = 0; i < RUN_TRIES; i++) {
        const struct window window = choose_window(cache, pages, &refusals, i);
        if (window.start < cache->map.page_count &&
            claim_window(cache, record, &window, pages, i >= RUN_INSISTS, &refusals, reservation)) {
            reservation->units = units;
            return true;
        }
    }
    return false;
}

/* ---- Room for an entry ---- */

bool reservation_make(struct cache *cache, struct record_shared *record, uint64_t units,
                      struct reservation *reservation) {
    if (UNLIKELY(reservation->location != 0)) {
        reservation_end(cache, record, reservation, false); /* what a call left that was cut short */
    }
    if (units > page_units(&cache->map) / 2) {
        return take_run(cache, record, units, reservation);
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
        /* The head last: while it speaks, its members are nobody else's. */
        release_run(cache, reservation->page, reservation->run_pages);
    }
    *reservation = (struct reservation){0};
}

/* ---- Giving memory back ---- */

/* Empties the pages in which nothing is of use, the open ones apart. */
static void reclaim_dead(struct cache *cache, struct record_shared *record) {
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        const struct victim chosen = {
            .page = page, .state = word_load(&page_row(cache, page)->state), .empty = true};
        const enum page_state state = state_of(chosen.state);
        if (state == PAGE_LIMBO || (state == PAGE_CLOSED && page_is_dead(page_row(cache, page)))) {
            FAILPOINT(dead_page_chosen);
            reclaim_victim(cache, record, &chosen, RECLAIM_GENTLY);
        }
    }
}

size_t cache_release(struct cache *cache) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return 0;
    }
    reclaim_dead(cache, record);
    for (unsigned i = 0; i < SPARE_MAX; i++) {
        word_exchange(&cache->map.header->reserve[i], 0); /* who needs one takes another */
    }
    size_t bytes = 0;
    for (uint64_t page = 0; page < cache->map.page_count; page += UINT64_C(1) << cache->map.page_step_shift) {
        bytes += commit_release(cache, (uint32_t)page);
    }
    segment_tidy(cache);
    return bytes;
}
