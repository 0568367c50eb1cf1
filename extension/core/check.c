#include "check.h"

#include <stdarg.h>
#include <stdlib.h>

#include "attach.h"
#include "hash.h"
#include "index.h"
#include "occupied.h"
#include "page.h"
#include "reclaim.h"

struct check {
    struct cache *cache;
    FILE *out;
    size_t faults;
    const uint32_t *named; /* for each page: number of index words that name it */
};

__attribute__((format(printf, 2, 3))) static void fault(struct check *check, const char *format, ...) {
    check->faults++;
    if (check->out) {
        va_list arguments;
        va_start(arguments, format);
        vfprintf(check->out, format, arguments);
        va_end(arguments);
        fputc('\n', check->out);
    }
}

/* For each page, the number of index words that name it. NULL: out of memory. */
static uint32_t *count_names(const struct map *map) {
    uint32_t *named = calloc(map->page_count, sizeof *named);
    for (uint32_t b = 0; named && b < map->bucket_count; b++) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            const uint64_t word = word_load(&ref_bucket(map, b)->slots[i]);
            if (word && ref_page(map, slot_location(word)) < map->page_count) {
                named[ref_page(map, slot_location(word))]++;
            }
        }
    }
    return named;
}

static bool is_start(const struct map *map, uint64_t location) {
    const uint64_t unit = ref_unit(map, location);
    return (word_load(&ref_starts(map, ref_page(map, location))[unit >> 6]) >> (unit & 63)) & 1;
}

/* The units of a page, or of its run. */
static uint64_t units_available(const struct map *map, uint32_t page) {
    return (uint64_t)page_run(map, page) << map->unit_shift;
}

static void check_word(struct check *check, uint32_t bucket, uint64_t word) {
    const struct map *map = &check->cache->map;
    const uint64_t location = slot_location(word);
    const uint32_t page = ref_page(map, location);
    if (page >= map->page_count) {
        fault(check, "bucket %u names a page beyond the last", bucket);
        return;
    }
    const uint64_t state = word_load(&map->pages[page].state);
    const enum page_state kind = state_of(state);
    if (kind == PAGE_FREE || kind == PAGE_LIMBO || kind == PAGE_MEMBER) {
        fault(check, "bucket %u names page %u in state %d", bucket, page, (int)kind);
    }
    if (!ref_page_has_memory(map, page)) {
        fault(check, "bucket %u names page %u, which has no memory", bucket, page);
        return;
    }
    const struct entry_shared *entry = ref_entry(map, location);
    if (!entry_inside(map, location, entry)) {
        fault(check, "bucket %u names an entry that leaves the pages", bucket);
        return;
    }
    if (!is_start(map, location)) {
        fault(check, "bucket %u names a place without a start bit", bucket);
    }
    if (slot_location(entry->where) != location || entry->generation != state_generation(state)) {
        fault(check, "bucket %u names an entry of another place or generation", bucket);
    }
    const struct place place = hash_place(map, entry_hash(entry));
    if (place.tag != slot_tag(word) ||
        (place.first != &map->buckets[bucket] && place.second != &map->buckets[bucket])) {
        fault(check, "bucket %u holds a key that belongs elsewhere", bucket);
    }
    const uint64_t units = entry_units(where_key_length(entry->where), entry->units);
    if (ref_unit(map, location) + units > units_available(map, page)) {
        fault(check, "bucket %u names an entry that leaves its page", bucket);
    }
}

static bool same_key(const struct entry_shared *a, const struct entry_shared *b) {
    const uint32_t length = where_key_length(a->where);
    return entry_hash(a) == entry_hash(b) && length == where_key_length(b->where) &&
           memcmp(entry_key(a), entry_key(b), length) == 0;
}

static bool is_readable(const struct map *map, uint64_t location) {
    return ref_page(map, location) < map->page_count && ref_page_has_memory(map, ref_page(map, location));
}

/* The entry of a committed word, or NULL. */
static const struct entry_shared *committed_entry(const struct map *map, uint64_t word) {
    return slot_is_committed(word) && is_readable(map, slot_location(word)) ? ref_entry(map, slot_location(word))
                                                                            : NULL;
}

/* A key must have only one committed word. Tentative words may be left by stopped or killed processes. */
static void check_twice(struct check *check, const shared_word *slot) {
    const struct map *map = &check->cache->map;
    const struct entry_shared *entry = committed_entry(map, word_load(slot));
    if (!entry) {
        return;
    }
    const struct place place = hash_place(map, entry_hash(entry));
    for (unsigned i = 0; i < place_slots(&place); i++) {
        const shared_word *other = place_slot(&place, i);
        const struct entry_shared *twin = other > slot ? committed_entry(map, word_load(other)) : NULL;
        if (twin && same_key(entry, twin)) {
            fault(check, "a key of %u bytes has two entries", where_key_length(entry->where));
        }
    }
}

static void check_marked(struct check *check, uint32_t bucket, uint64_t word) {
    const struct map *map = &check->cache->map;
    if (slot_is_committed(word) && !(word_load(occupied_word(map, bucket)) & occupied_bit(bucket))) {
        fault(check, "bucket %u has a committed word and is not marked as occupied", bucket);
    }
}

static void check_index(struct check *check) {
    const struct map *map = &check->cache->map;
    for (uint32_t b = 0; b < map->bucket_count; b++) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            const shared_word *slot = &ref_bucket(map, b)->slots[i];
            const uint64_t word = word_load(slot);
            if (word && slot_location(word) == 0) {
                fault(check, "bucket %u has a word without a location", b);
            } else if (word) {
                check_word(check, b, word);
                check_marked(check, b, word);
                if (ref_page(map, slot_location(word)) < map->page_count) {
                    check_twice(check, slot);
                }
            }
        }
    }
}

static void check_pages(struct check *check) {
    struct cache *cache = check->cache;
    const struct map *map = &cache->map;
    for (uint32_t page = 0; page < map->page_count; page++) {
        const struct page_shared *row = &map->pages[page];
        const uint64_t state = word_load(&row->state);
        if (state_of(state) > PAGE_MEMBER) {
            fault(check, "page %u is in no known state", page);
        }
        const uint64_t live = word_load(&row->live);
        if (check->named[page] > 0 &&
            (live >> 32 != state_generation(state) || (uint32_t)live < check->named[page])) {
            fault(check, "page %u counts %u living entries of generation %u, the index names %u of generation %u",
                  page, (unsigned)live, (unsigned)(live >> 32), check->named[page], state_generation(state));
        }
        if (state_of(state) == PAGE_MEMBER && page_head(map, page) == page &&
            !page_abandoned(cache, page, state, true)) {
            fault(check, "page %u belongs to a run without a head", page);
        }
    }
}

size_t cache_check(struct cache *cache, FILE *out) {
    struct check check = {.cache = cache, .out = out};
    if (!attached_record(cache)) {
        return 0;
    }
    uint32_t *named = count_names(&cache->map);
    if (!named) {
        fault(&check, "out of memory");
        return check.faults;
    }
    check.named = named;
    check_index(&check);
    check_pages(&check);
    free(named);
    return check.faults;
}

size_t cache_sweep(struct cache *cache) {
    struct record_shared *record = attached_record(cache);
    uint32_t *named = record ? count_names(&cache->map) : NULL;
    size_t used = 0;
    if (!named) {
        return 0;
    }
    /* Open pages are closed too, so that an empty cache uses none. */
    for (unsigned log = 0; log < LOGS; log++) {
        const uint32_t open = current_page(cache, word_load(&cache->map.header->current[log]));
        if (open < cache->map.page_count && !named[open]) {
            uint64_t state = word_load(&page_row(cache, open)->state);
            if (state_of(state) == PAGE_OPEN) {
                word_swap(&page_row(cache, open)->state, &state, state_change(state, PAGE_CLOSED));
            }
        }
    }
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        if (state_of(word_load(&page_row(cache, page)->state)) != PAGE_FREE && !named[page]) {
            reclaim_page(cache, record, page, RECLAIM_INSIST);
        }
        used += state_of(word_load(&page_row(cache, page)->state)) != PAGE_FREE;
    }
    free(named);
    return used;
}
