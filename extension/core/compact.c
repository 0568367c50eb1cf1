#include "compact.h"

#include "destination.h"
#include "evict.h"
#include "failpoint.h"
#include "os.h"
#include "page.h"
#include "reclaim.h"
#include "spare.h"

enum {
    TRIES = 128,     /* most pages emptied for one entry */
    TRIES_ALONE = 8, /* pages emptied before waiting for processes that have the room in their destinations */
    KEPT_SHARE = 64, /* new keys leave one page of so many, one more, and the spare pages */
    FULL_SHARE = 16, /* a destination is full when it has less than this part of a page left */
    SWEPT_AT_ONCE = 64,
    SWEPT_A_CALL = 1024, /* pages */
    SWEEP_EVERY_MS = 1000,
};

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---- One step ---- */

/* Chooses a page to empty: a free or dead one first, then the one that gains most. */
static bool choose(struct cache *cache, bool last_resort, struct victim *victim) {
    if (evict_warm_page(cache, victim) || evict_next(cache, victim)) {
        return true;
    }
    evict_survey(cache, last_resort);
    return evict_next(cache, victim);
}

/* True if entries can be moved. The page that a dead process was emptying fits into the rest of that process's
 * destination, so such a destination is taken over first. */
static bool may_move(struct cache *cache, bool last_resort) {
    if (cache->destination || spare_count(cache) > 0) {
        return true;
    }
    const bool adopted = destination_adopt(cache);
    evict_survey(cache, last_resort);
    return adopted;
}

/* Empties a page. Entries that do not fit into the destination stay. Then other pages fill the rest of it, so that
 * room gathers in few pages whatever the lengths of the entries are. */
static void empty(struct cache *cache, struct record_shared *record, const struct victim *victim,
                  bool last_resort) {
    const uint64_t tail = destination_tail(cache);
    const uint32_t unmovable = cache->unmovable;
    if (!reclaim_victim(cache, record, victim, last_resort ? RECLAIM_INSIST : RECLAIM_GENTLY)) {
        const uint64_t left = destination_tail(cache);
        if (cache->unmovable != unmovable && (left == tail || left < page_units(&cache->map) / FULL_SHARE)) {
            destination_end(cache);
        }
        return;
    }
    FAILPOINT(compact_emptied);
    const uint64_t seen = word_load(&cache->map.header->current[LOG_PROBATION]);
    if (!spare_keep(cache, victim->page) && !page_is_current(cache, seen)) {
        page_open(cache, victim->page, LOG_PROBATION, seen);
    }
}

/* Takes space in the destination, otherwise in the open page. */
static bool take(struct cache *cache, struct record_shared *record, uint64_t units,
                 struct reservation *reservation) {
    if (cache->destination && page_append_own(cache, cache->destination - 1, units, reservation)) {
        announce_writing(record, reservation->page);
        return true;
    }
    return page_append(cache, record, LOG_PROBATION, units, reservation);
}

/* Spare pages are lost with processes that are killed. Those that other processes are just using come back by
 * themselves. */
static bool spares_are_few(const struct cache *cache) {
    return spare_count(cache) * 2 < spare_wanted(&cache->map);
}

bool compact_reserve(struct cache *cache, struct record_shared *record, uint64_t units,
                     struct reservation *reservation) {
    bool reserved = take(cache, record, units, reservation), last_resort = false;
    struct waiting waiting = {0};
    for (unsigned i = 0; i < TRIES && (!reserved || spares_are_few(cache)); i++) {
        struct victim victim;
        const bool moves = may_move(cache, last_resort), chosen = choose(cache, last_resort, &victim);
        if (chosen && (victim.empty || moves)) {
            empty(cache, record, &victim, last_resort);
        } else if (reserved) {
            break;
        } else if (!chosen && !last_resort) {
            last_resort = true;
        } else if (cache->others_busy && evict_wait(cache, &waiting)) {
            i = 0;
        } else {
            break;
        }
        reserved = reserved || take(cache, record, units, reservation);
        if (UNLIKELY(!reserved && i >= TRIES_ALONE && cache->others_busy)) {
            destination_end(cache); /* other processes wait for its room */
            if (evict_wait(cache, &waiting)) {
                i = 0;
            }
        }
    }
    destination_end(cache);
    return reserved;
}

/* ---- Room for new keys ---- */

/* Units of a page that new entries could take, after compacting. Free space behind the entries of closed pages does
 * not count: entries of the present sizes may never fit there. */
static uint64_t room_of(const struct cache *cache, uint32_t page) {
    const struct page_shared *row = page_row(cache, page);
    const uint64_t units = page_units(&cache->map), dead = word_peek(&row->dead);
    switch (state_of(word_load(&row->state))) {
        case PAGE_FREE:
            return units;
        case PAGE_MEMBER:
            return 0;
        case PAGE_LIMBO:
            return units * page_run(&cache->map, page);
        case PAGE_OPENING: /* a destination has a tail, a reserved run has none */
            return page_run(&cache->map, page) > 1 ? 0 : least(dead + page_tail(&cache->map, row), units);
        case PAGE_OPEN:
            return least(dead + page_tail(&cache->map, row), units);
        default:
            return page_run(&cache->map, page) > 1 ? page_is_dead(row) * units * page_run(&cache->map, page)
                   : page_is_dead(row)             ? units
                                                   : least(dead, units);
    }
}

/* Pages, rounded down, beyond those that new keys must leave; negative if some are missing. */
static int64_t surplus(const struct cache *cache) {
    uint64_t room = 0;
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        room += room_of(cache, page);
    }
    return (int64_t)(room >> cache->map.unit_shift) - (int64_t)spare_wanted(&cache->map) -
           (int64_t)(cache->map.page_count / KEPT_SHARE) - 1;
}

/* Drops the expired entries of some pages. False: all pages were examined within the last second. */
static bool sweep(struct cache *cache) {
    const uint64_t now = os_milliseconds();
    if (cache->sweep_next == 0) {
        if (cache->swept_at != 0 && now - cache->swept_at < SWEEP_EVERY_MS) {
            return false;
        }
        cache->swept_at = now ? now : 1;
    }
    for (unsigned i = 0; i < SWEPT_AT_ONCE && cache->sweep_next < cache->map.page_count; i++) {
        reclaim_expired(cache, cache->sweep_next++);
    }
    if (cache->sweep_next == cache->map.page_count) {
        cache->sweep_next = 0;
    }
    return true;
}

/* Each opened page raises the log's age by one. So a surplus of n pages lasts until the age has risen by n, and the
 * pages are counted again only then. */
bool compact_has_room(struct cache *cache, uint64_t units) {
    const int64_t pages = (int64_t)((units + page_units(&cache->map) - 1) >> cache->map.unit_shift);
    const uint64_t age = word_peek(&cache->map.header->age[LOG_PROBATION]);
    if (LIKELY(age + (uint64_t)pages < cache->room_until)) {
        return true;
    }
    int64_t left = surplus(cache);
    for (unsigned i = 0; left < pages && i < SWEPT_A_CALL / SWEPT_AT_ONCE && sweep(cache); i++) {
        left = surplus(cache);
    }
    cache->room_until = age + (left > 0 ? (uint64_t)left : 0);
    return left >= pages;
}
