#include "page.h"

#include <string.h>

#include "commit.h"
#include "failpoint.h"
#include "integer.h"
#include "os.h"

enum { APPEND_TRIES = 16 };

static uint64_t owned(const struct cache *cache, uint32_t generation, enum page_state state) {
    return state_make(generation, cache->incarnation, cache->number, state);
}

uint32_t page_head(const struct map *map, uint32_t page) {
    const struct page_shared *row = &map->pages[page];
    if (state_of(word_load(&row->state)) != PAGE_MEMBER) {
        return page;
    }
    const uint64_t link = word_load(&row->run_head);
    const uint32_t head = (uint32_t)link;
    if (head >= page) {
        return page;
    }
    /* The run's length is not checked: in this generation of the head, readers may hold all of it. */
    const uint64_t state = word_load(&map->pages[head].state);
    const bool speaks = state_generation(state) == (uint32_t)(link >> 32) && state_of(state) != PAGE_FREE &&
                        state_of(state) != PAGE_MEMBER;
    return speaks ? head : page;
}

bool page_abandoned(struct cache *cache, uint32_t page, uint64_t state, bool fresh) {
    switch (state_of(state)) {
        case PAGE_OPEN:
            for (unsigned log = 0; log < LOGS; log++) {
                if (word_load(&cache->map.header->current[log]) == current_of(page, state_generation(state))) {
                    return false;
                }
            }
            break;
        case PAGE_MEMBER:
            if (page_head(&cache->map, page) != page) {
                return false;
            }
            break;
        case PAGE_OPENING:
        case PAGE_RECLAIMING:
            break;
        default:
            return false;
    }
    return !process_alive(cache, state_record(state), state_incarnation(state), OWNER_INCARNATION_BITS, fresh);
}

bool page_is_current(const struct cache *cache, uint64_t current) {
    const uint32_t page = current_page(cache, current);
    if (page == cache->map.page_count) {
        return false;
    }
    const uint64_t state = word_load(&page_row(cache, page)->state);
    return state_of(state) == PAGE_OPEN && state_generation(state) == (uint32_t)(current >> 32);
}

static void hint_if_dead(struct cache *cache, uint32_t page) {
    const struct page_shared *row = page_row(cache, page);
    if ((uint32_t)word_load(&row->live) == 0 && state_of(word_load(&row->state)) == PAGE_CLOSED) {
        word_poke(&cache->map.header->warm, (uint64_t)page + 1);
        word_add(&cache->map.header->deaths, page_run(&cache->map, page));
    }
}

void page_refresh_age(struct cache *cache, uint32_t page) {
    struct page_shared *row = page_row(cache, page);
    const enum page_log log = page_log(row);
    word_store(&row->age, word_load(&cache->map.header->age[log]) << 1 | log);
}

bool page_has_room(const struct cache *cache, enum page_log log, uint64_t units) {
    const uint32_t page = current_page(cache, word_load(&cache->map.header->current[log]));
    return page < cache->map.page_count && page_tail(&cache->map, page_row(cache, page)) >= units;
}

bool page_append(struct cache *cache, struct record_shared *record, enum page_log log, uint64_t units,
                 struct reservation *reservation) {
    const shared_word *log_current = &cache->map.header->current[log];
    for (unsigned i = 0; i < APPEND_TRIES; i++) {
        const uint64_t current = word_load(log_current);
        const uint32_t page = current_page(cache, current);
        const uint32_t generation = (uint32_t)(current >> 32);
        if (page == cache->map.page_count) {
            return false;
        }
        struct page_shared *row = page_row(cache, page);
        announce_writing(record, page);
        FAILPOINT(append_announced);
        uint64_t state = word_load(&row->state);
        if (state_of(state) == PAGE_OPEN && state_generation(state) == generation) {
            /* Checked before adding, so that each process fails at most once in a generation, and the offset never
             * overflows into the generation. */
            uint64_t append = word_load(&row->append);
            if ((append >> 32) == generation && (uint32_t)append + units <= page_units(&cache->map)) {
                append = word_add(&row->append, units);
                FAILPOINT(append_taken);
                if ((append >> 32) == generation && (uint32_t)append + units <= page_units(&cache->map)) {
                    *reservation = (struct reservation){
                        .location = ref_location(&cache->map, page, (uint32_t)append),
                        .units = units,
                        .page = page,
                        .generation = generation,
                    };
                    return true;
                }
            }
            clear_writing(record);
            if (word_swap(&row->state, &state, state_change(state, PAGE_CLOSED))) {
                FAILPOINT(append_closed_page);
                page_refresh_age(cache, page);
                hint_if_dead(cache, page);
            }
        } else {
            clear_writing(record);
        }
        if (word_load(log_current) == current) {
            return false;
        }
    }
    return false;
}

bool page_append_own(struct cache *cache, uint32_t page, uint64_t units, struct reservation *reservation) {
    struct page_shared *row = page_row(cache, page);
    const uint64_t append = word_load(&row->append);
    if ((uint32_t)append + units > page_units(&cache->map)) {
        return false;
    }
    word_store(&row->append, append + units);
    FAILPOINT(append_taken_own);
    *reservation = (struct reservation){
        .location = ref_location(&cache->map, page, (uint32_t)append),
        .units = units,
        .page = page,
        .generation = (uint32_t)(append >> 32),
    };
    return true;
}

/* Notes the time. The page's generation cannot end during this, so the length of its run does not change. */
static void set_begun(const struct cache *cache, struct page_shared *row) {
    const uint64_t seconds = (os_milliseconds() - cache->map.header->created) / 1000;
    word_store(&row->extent, seconds << 32 | (uint32_t)word_load(&row->extent));
}

void page_make_newest(struct cache *cache, uint32_t page, enum page_log log) {
    struct page_shared *row = page_row(cache, page);
    const uint64_t pages = page_run(&cache->map, page);
    set_begun(cache, row);
    word_store(&row->age, (word_add(&cache->map.header->age[log], pages) + pages) << 1 | log);
}

/* Resets the state of a generation. No other process uses the page. */
static void begin_generation(struct cache *cache, uint32_t page, uint32_t generation, enum page_log log) {
    struct page_shared *row = page_row(cache, page);
    shared_word *starts = ref_starts(&cache->map, page);
    for (uint64_t i = 0; i < page_units(&cache->map) / 64; i++) {
        word_poke(&starts[i], 0);
    }
    FAILPOINT(page_starts_cleared);
    word_poke(&row->extent, 1);
    word_poke(&row->run_head, 0);
    word_poke(&row->expires, 0);
    word_poke(&row->dead, 0);
    word_poke(&row->live, (uint64_t)generation << 32);
    word_poke(&row->append, (uint64_t)generation << 32);
    page_make_newest(cache, page, log);
}

/* Takes a page from free to opening. Returns the new state, or 0. */
static uint64_t take(struct cache *cache, uint32_t page) {
    struct page_shared *row = page_row(cache, page);
    uint64_t free = word_load(&row->state);
    const uint64_t taken = owned(cache, state_generation(free) + 1, PAGE_OPENING);
    return state_of(free) == PAGE_FREE && word_swap(&row->state, &free, taken) ? taken : 0;
}

uint64_t page_claim(struct cache *cache, uint32_t page, enum page_log log) {
    const uint64_t claimed = take(cache, page);
    if (!claimed) {
        return 0;
    }
    FAILPOINT(page_claimed);
    /* Done after the claim: a trim holds the pages whose memory it takes. */
    if (UNLIKELY(!commit_page(cache, page))) {
        page_unclaim(cache, page);
        return 0;
    }
    word_raise(&cache->map.header->pages_begun, (uint64_t)page + 1);
    begin_generation(cache, page, state_generation(claimed), log);
    return claimed;
}

bool page_hold(struct cache *cache, uint32_t page) {
    return take(cache, page) != 0;
}

void page_join_run(struct cache *cache, uint32_t page, uint64_t opening, uint32_t head, uint32_t head_generation) {
    struct page_shared *row = page_row(cache, page);
    word_store(&row->run_head, (uint64_t)head_generation << 32 | head);
    FAILPOINT(run_member_linked);
    word_swap(&row->state, &opening, state_change(opening, PAGE_MEMBER));
}

void page_unclaim(struct cache *cache, uint32_t page) {
    struct page_shared *row = page_row(cache, page);
    uint64_t state = word_load(&row->state);
    if (state == owned(cache, state_generation(state), state_of(state))) {
        word_swap(&row->state, &state, state_change(state, PAGE_FREE));
    }
}

bool page_open(struct cache *cache, uint32_t page, enum page_log log, uint64_t seen) {
    struct page_shared *row = page_row(cache, page);
    uint64_t opening = page_claim(cache, page, log);
    if (!opening || !word_swap(&row->state, &opening, state_change(opening, PAGE_OPEN))) {
        return false;
    }
    FAILPOINT(page_opened);
    if (!word_swap(&cache->map.header->current[log], &seen, current_of(page, state_generation(opening)))) {
        page_unclaim(cache, page);
        return false;
    }
    FAILPOINT(page_made_current);
    return true;
}

bool page_is_dead(const struct page_shared *row) {
    return (uint32_t)word_peek(&row->live) == 0 || word_peek(&row->expires) <= cache_now();
}

void page_release(struct cache *cache, uint32_t page, enum page_log log, uint64_t seen) {
    struct page_shared *row = page_row(cache, page);
    const uint64_t opening = word_load(&row->state);
    const uint32_t generation = state_generation(opening);
    uint64_t state = opening;
    if (page_tail(&cache->map, row) > 0 && !page_is_current(cache, seen)) {
        if (word_swap(&row->state, &state, state_change(opening, PAGE_OPEN))) {
            FAILPOINT(page_released);
            if (word_swap(&cache->map.header->current[log], &seen, current_of(page, generation))) {
                return;
            }
        }
        state = state_change(opening, PAGE_OPEN);
    }
    if (!cache->map.keeps) {
        /* No process appends here any more. The rest counts as dead, or compacting would never look for it. */
        const uint64_t tail = page_tail(&cache->map, row);
        word_add(&row->append, tail);
        page_add_dead(cache, page, tail);
    }
    word_swap(&row->state, &state, state_change(opening, PAGE_CLOSED));
}

/* The page expires with its last entry. */
static void raise_expiry(struct page_shared *row, uint64_t expires) {
    const uint64_t until = expires ? expires : UINT64_MAX;
    uint64_t known = word_peek(&row->expires);
    while (known < until && !word_swap(&row->expires, &known, until)) {
    }
}

void page_seal(struct cache *cache, const struct reservation *reservation, struct entry_shared *entry) {
    const uint64_t unit = ref_unit(&cache->map, reservation->location);
    entry->where = (entry->where & ~LOCATION_MASK) | reservation->location;
    entry->generation = reservation->generation;
    entry->hash ^= entry_seal(entry);
    FAILPOINT(entry_header_written);
    raise_expiry(page_row(cache, reservation->page), entry->expires);
    word_or(&ref_starts(&cache->map, reservation->page)[unit >> 6], UINT64_C(1) << (unit & 63));
    FAILPOINT(entry_start_set);
}

void page_raise_live(struct cache *cache, uint32_t page) {
    struct page_shared *row = page_row(cache, page);
    if (UNLIKELY((uint32_t)word_add(&row->live, 1) == 0)) { /* nothing is left of earlier entries */
        set_begun(cache, row);
    }
    FAILPOINT(entry_counted);
}

void page_copy(struct cache *cache, const struct reservation *reservation, const struct entry_shared *entry,
               uint64_t location, uint64_t expires) {
    struct entry_shared *copy = ref_writable(&cache->map, reservation->location);
    memcpy(copy, entry, reservation->units << UNIT_SHIFT);
    copy->expires = expires;
    copy->hash = entry_hash(entry);
    if (entry_is_integer(entry)) {
        integer_fill(copy, integer_read(entry));
    }
    const size_t value = (size_t)((const char *)entry_value(entry) - (const char *)entry);
    if (cache->options.rebase) {
        cache->options.rebase(where_kind(entry->where), (char *)copy + value,
                              (size_t)entry_value_units(entry) << UNIT_SHIFT,
                              cache->map.base + (location << UNIT_SHIFT) + value,
                              cache->map.base + (reservation->location << UNIT_SHIFT) + value);
    }
    page_seal(cache, reservation, copy);
}

void page_lower_live(struct cache *cache, uint32_t page, uint32_t generation, uint64_t units) {
    struct page_shared *row = page_row(cache, page);
    shared_word *live = &row->live;
    uint64_t value = word_load(live);
    while (value >> 32 == generation && (uint32_t)value > 0) {
        if (word_swap(live, &value, value - 1)) {
            page_add_dead(cache, page, units);
            if ((uint32_t)value == 1) {
                hint_if_dead(cache, page);
            }
            return;
        }
    }
}
