#include "run.h"

#include <stdlib.h>

#include "destination.h"
#include "evict.h"
#include "failpoint.h"
#include "os.h"
#include "page.h"
#include "pin.h"
#include "reclaim.h"
#include "spare.h"

enum {
    LOOK = 1024,    /* pages searched for a cheap run */
    VAIN_SHARE = 8, /* after a search in vain the logs advance by this part of the pages before the next search */
    VAIN_DEAD = 64, /* or this part of the pages dies */
    TRIES = 12,
    INSISTS = 8, /* from this try on, used runs are dropped, too */
    SPARE_TRIES = 4,
    COMPETE_NS = 100 * 1000 * 1000, /* a store tries again for this long while other processes take its pages */
};

/* Pages, or heads of runs, that could not be taken. Without this list, each try would choose the same window. */
struct refusals {
    uint32_t pages[TRIES];
    unsigned count;
};

/* Consecutive pages that are to become a run, and the highest cost that any of them may have. */
struct window {
    uint32_t start;
    uint32_t from; /* page at which its search began */
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
    return was_refused(cache, refusals, page) ? COST_NEVER : evict_cost(cache, page, last_resort);
}

/* The first window, among `look` pages from `from` on, in which no page costs more than `limit`. page_count: none. */
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

/* True if a search for at most as many pages was in vain, and little has changed since. */
static bool is_vain(const struct no_window *then, const struct no_window *now, uint32_t page_count) {
    const uint32_t part = page_count / VAIN_DEAD, dead = now->pages > part ? now->pages : part;
    return then->pages != 0 && then->pages <= now->pages && now->age - then->age < page_count / VAIN_SHARE &&
           now->deaths - then->deaths < dead;
}

/* A window without live entries; page_count: none. In a full cache each search would read all rows in vain, so after
 * one the next waits. */
static uint32_t unused_window(struct cache *cache, const struct refusals *refusals, uint64_t from,
                              uint32_t pages) {
    const struct header_shared *header = cache->map.header;
    const uint32_t none = cache->map.page_count;
    const struct no_window now = {
        .age = word_peek(&header->age[LOG_MAIN]) + word_peek(&header->age[LOG_PROBATION]),
        .deaths = word_peek(&header->deaths),
        .pages = pages,
    };
    if (is_vain(&cache->no_window, &now, none)) {
        return none;
    }
    const uint32_t start = first_window(cache, refusals, from, pages, COST_FRESH, none);
    if (start == none) {
        cache->no_window = now;
    } else if (pages >= cache->no_window.pages) {
        cache->no_window.pages = 0;
    }
    return start;
}

/* The first window without live entries; otherwise the first one in which all pages are overdue. */
static struct window cheap_window(struct cache *cache, const struct refusals *refusals, uint64_t from,
                                  uint32_t pages) {
    struct window window = {.start = unused_window(cache, refusals, from, pages), .limit = COST_FRESH};
    if (window.start == cache->map.page_count) {
        window.limit = COST_MAIN;
        window.start = first_window(cache, refusals, from, pages, window.limit, LOOK);
    }
    return window;
}

/* The pages of a window, by decreasing costs. Allocated, since the stack may be a fiber's small one. */
enum { QUEUE_MAX = PAGES_MAX / 8 + 1 };
struct queue {
    uint64_t costs[QUEUE_MAX];
    uint16_t pages[QUEUE_MAX];
};

/* The window whose most expensive page is cheapest. page_count: none, or no memory for the queue. */
static struct window best_window(struct cache *cache, uint32_t pages, const struct refusals *refusals,
                                 bool last_resort) {
    struct queue *const queue = calloc(1, sizeof *queue);
    if (!queue) {
        return (struct window){.start = cache->map.page_count};
    }
    uint64_t *const costs = queue->costs;
    const uint32_t room = QUEUE_MAX;
    uint32_t head = 0, tail = 0, best = cache->map.page_count;
    uint64_t best_cost = COST_NEVER;
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        const uint64_t cost = cost_for_run(cache, refusals, page, last_resort);
        while (tail != head && costs[(tail - 1) % room] <= cost) {
            tail--;
        }
        queue->pages[tail % room] = (uint16_t)page;
        costs[tail++ % room] = cost;
        if ((uint32_t)queue->pages[head % room] + pages <= page) {
            head++;
        }
        if (page + 1 >= pages && costs[head % room] < best_cost) {
            best_cost = costs[head % room];
            best = page + 1 - pages;
        }
    }
    free(queue);
    return (struct window){.start = best, .limit = best_cost, .last_resort = last_resort};
}

void run_release(struct cache *cache, uint32_t start, uint32_t claimed) {
    while (claimed-- > 0) {
        page_unclaim(cache, start + claimed);
    }
}

enum outcome {
    CLAIMED,
    TAKEN, /* another process took the page after it was chosen */
    HELD,  /* a reader, a writer or its use keeps the page, or it has no memory */
};

/* Reclaims a page of the window, or its run, and claims the page. If the page costs more than the window's limit,
 * another process has just filled it, so it is left alone. */
static enum outcome claim_page(struct cache *cache, struct record_shared *record, const struct window *window,
                               uint32_t page, enum reclaim_effort effort, uint64_t *claimed) {
    struct victim chosen = {.page = page_head(&cache->map, page)};
    const shared_word *chosen_state = &page_row(cache, chosen.page)->state, *state = &page_row(cache, page)->state;
    chosen.state = word_load(chosen_state);
    if (state_of(chosen.state) != PAGE_FREE) {
        chosen.cost = evict_cost_of_head(cache, chosen.page, chosen.state, window->last_resort);
        chosen.empty = chosen.cost <= COST_FRESH;
        if (!chosen.empty && (chosen.cost > window->limit || chosen.cost == COST_NEVER)) {
            return TAKEN;
        }
    }
    FAILPOINT(run_page_chosen);
    if (!reclaim_victim(cache, record, &chosen, effort)) {
        return state_generation(word_load(chosen_state)) == state_generation(chosen.state) ? HELD : TAKEN;
    }
    if (state_of(word_load(state)) != PAGE_FREE) {
        return TAKEN;
    }
    spare_forget(cache, page);
    *claimed = page_claim(cache, page, LOG_PROBATION);
    return *claimed ? CLAIMED : state_of(word_load(state)) == PAGE_FREE ? HELD : TAKEN;
}

/* Reclaims and claims the window's pages in ascending order. */
static enum outcome claim_window(struct cache *cache, struct record_shared *record, const struct window *window,
                                 uint32_t pages, bool insist, struct refusals *refusals,
                                 struct reservation *reservation) {
    const enum reclaim_effort effort = insist ? RECLAIM_INSIST : RECLAIM_GENTLY;
    const uint32_t start = window->start;
    uint64_t head = 0;
    for (uint32_t i = 0; i < pages; i++) {
        uint64_t claimed = 0;
        destination_end(cache);
        evict_fill_spare(cache, record, 1, SPARE_TRIES); /* moving out of several pages takes more than one */
        const enum outcome outcome = claim_page(cache, record, window, start + i, effort, &claimed);
        if (outcome != CLAIMED) {
            if (outcome == HELD) {
                refusals->pages[refusals->count++] = page_head(&cache->map, start + i);
            }
            run_release(cache, start, i);
            return outcome;
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
    if (start != window->from) {
        word_poke(&cache->map.header->run_cursor, start + pages);
    }
    FAILPOINT(run_claimed);
    *reservation = (struct reservation){
        .location = ref_location(&cache->map, start, 0),
        .page = start,
        .generation = state_generation(head),
        .run_pages = pages,
    };
    return CLAIMED;
}

/* The start of a search: next to the previous run, so that long values sweep the cache in order and searches are
 * short. Each process gets other pages, so that they do not compete. */
static uint32_t next_start(struct cache *cache, uint32_t pages) {
    return (uint32_t)(word_add(&cache->map.header->run_cursor, pages) % cache->map.page_count);
}

/* The cheapest window, searched more thoroughly with each try; page_count: none. */
static struct window choose_window(struct cache *cache, uint32_t pages, const struct refusals *refusals,
                                   unsigned attempt) {
    const uint32_t none = cache->map.page_count;
    struct window window = {.start = none};
    uint32_t from = none;
    if (attempt == 0) {
        struct victim warm;
        if (evict_warm_page(cache, &warm) && page_run(&cache->map, warm.page) >= pages) {
            return (struct window){.start = warm.page, .from = warm.page, .limit = COST_FRESH};
        }
        /* First a window without live entries, then one whose pages are all overdue, then one in the older half of
         * the main log. */
        const uint64_t age = word_load(&cache->map.header->age[LOG_MAIN]);
        from = next_start(cache, pages);
        window = cheap_window(cache, refusals, from, pages);
        if (window.start == none) {
            window.limit = COST_MAIN + (age > none / 2 ? age - none / 2 : 0);
            window.start = first_window(cache, refusals, from, pages, window.limit, none);
        }
    } else if (attempt < INSISTS && refusals->count > 0) {
        /* Search behind the page that was refused. */
        from = refusals->pages[refusals->count - 1] + 1;
        window = cheap_window(cache, refusals, from, pages);
    }
    if (window.start == none) {
        pin_recount(cache);
        window = best_window(cache, pages, refusals, false);
    }
    if (window.start == none) {
        window = best_window(cache, pages, refusals, true);
    }
    window.from = from;
    return window;
}

/* True if `*since` was long ago. Sets it to now if it is 0. */
static bool is_long_ago(uint64_t *since) {
    const uint64_t now = os_nanoseconds();
    *since = *since ? *since : now;
    return now - *since >= COMPETE_NS;
}

bool run_make(struct cache *cache, struct record_shared *record, uint64_t units, struct reservation *reservation) {
    const uint32_t pages = (uint32_t)((units + page_units(&cache->map) - 1) >> cache->map.unit_shift);
    struct refusals refusals = {.count = 0};
    uint64_t competes = 0; /* since when other processes take the chosen pages, ns */
    for (unsigned i = 0; i < TRIES;) {
        const struct window window = choose_window(cache, pages, &refusals, i);
        if (window.start >= cache->map.page_count) {
            i++;
            continue;
        }
        const enum outcome outcome =
            claim_window(cache, record, &window, pages, i >= INSISTS, &refusals, reservation);
        if (outcome == CLAIMED) {
            reservation->units = units;
            return true;
        }
        /* If other processes were faster, as much room may be left as before. Nothing in use is dropped for that. */
        i += outcome == HELD || is_long_ago(&competes);
    }
    return false;
}
