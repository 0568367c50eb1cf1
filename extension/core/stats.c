/* The figures of the segment and its processes, for larder_info() and tools. */
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "os.h"
#include "page.h"
#include "pin.h"
#include "segment.h"

static void read_age(const struct page_shared *row, struct cache_info *info) {
    const uint64_t begun = (word_load(&row->extent) >> 32) * 1000;
    const uint64_t age = info->age_ms > begun ? info->age_ms - begun : 0;
    info->bytes_dead += (size_t)word_load(&row->dead) << UNIT_SHIFT;
    if ((uint32_t)word_load(&row->live) > 0 && age > info->oldest_ms) {
        info->oldest_ms = age;
    }
}

static void read_pages(const struct map *map, struct cache_info *info) {
    for (uint32_t page = 0; page < map->page_count; page++) {
        const enum page_state state = state_of(word_load(&map->pages[page].state));
        if (state != PAGE_FREE && state != PAGE_MEMBER) {
            read_age(&map->pages[page], info);
        }
        switch (state) {
            case PAGE_FREE:
                info->pages_free++;
                break;
            case PAGE_OPENING:
            case PAGE_OPEN:
                info->pages_open++;
                break;
            case PAGE_CLOSED:
            case PAGE_RECLAIMING:
                info->pages_closed++;
                break;
            case PAGE_LIMBO:
                info->pages_limbo++;
                break;
            case PAGE_MEMBER:
                info->pages_run++;
                break;
        }
    }
}

static void read_index(const struct map *map, struct cache_info *info) {
    for (uint32_t b = 0; b < map->bucket_count; b++) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            info->entries += word_peek(&ref_bucket(map, b)->slots[i]) != 0;
        }
    }
}

static bool lives(struct cache *cache, unsigned number) {
    const struct record_shared *record = ref_record(&cache->map, number);
    return word_load(&record->use) != RECORD_UNUSED &&
           process_alive(cache, number, (uint32_t)word_load(&record->incarnation), 32, true);
}

/* Counters of all processes, dead ones included. */
static void read_counters(const struct map *map, struct cache_info *info) {
    uint64_t sum[COUNTERS];
    for (unsigned i = 0; i < COUNTERS; i++) {
        sum[i] = word_peek(&map->header->totals[i]);
    }
    for (unsigned record = 0; record < ref_records_used(map); record++) {
        for (unsigned i = 0; i < COUNTERS; i++) {
            sum[i] += word_peek(&ref_record(map, record)->counters[i]);
        }
    }
    const uint64_t unreadable = sum[COUNT_UNREADABLE];
    const uint64_t no_hits = unreadable < sum[COUNT_HITS] ? unreadable : sum[COUNT_HITS];
    info->unreadable = unreadable;
    info->hits = sum[COUNT_HITS] - no_hits;
    info->misses = sum[COUNT_MISSES] + no_hits;
    info->stores = sum[COUNT_STORES];
    info->deletes = sum[COUNT_DELETES];
    info->clears = sum[COUNT_CLEARS];
    info->copies = sum[COUNT_COPIES];
    info->evicted = sum[COUNT_EVICTED];
    info->expired = sum[COUNT_EXPIRED];
    info->moved = sum[COUNT_MOVED];
    info->displaced = sum[COUNT_DISPLACED];
    info->refused_size = sum[COUNT_REFUSED_SIZE];
    info->refused_room = sum[COUNT_REFUSED_ROOM];
    info->swept = sum[COUNT_SWEPT];
    _Static_assert(sizeof info->evicted_ages == sizeof map->header->evicted_ages, "ages");
    for (unsigned i = 0; i < EVICTED_AGES; i++) {
        info->evicted_ages[i] = word_peek(&map->header->evicted_ages[i]);
    }
    info->evicted_seconds = word_peek(&map->header->evicted_seconds);
    info->evicted_unread = word_peek(&map->header->evicted_unread);
}

bool cache_read_counters(struct cache *cache, struct cache_info *info) {
    memset(info, 0, sizeof *info);
    if (!attached_record(cache)) {
        return false;
    }
    const struct map *map = &cache->map;
    info->age_ms = os_milliseconds() - map->header->created;
    info->path = segment_path(cache->segment);
    info->size = map->header->size;
    info->size_asked = cache->options.size;
    info->size_made_for = map->header->size_asked;
    info->pin_share_made_for = map->header->pin_share;
    info->memory = os_memory(process_file(cache));
    info->address = (uintptr_t)map->readonly;
    info->fixed = map->fixed;
    info->page_size = page_bytes(map);
    info->pages = map->page_count;
    info->slots = (size_t)map->bucket_count * BUCKET_SLOTS;
    info->pin_limit = ref_share_usable(map, map->pin_limit);
    info->pin_limit_long = ref_share_usable(map, map->pin_limit_long);
    info->pages_held_by_me = cache->pages_held;
    info->scans = cache->scans.count;
    info->scan_pages = cache->scans.pages;
    info->scan_ns = cache->scans.nanoseconds;
    info->record = cache->number;
    info->process_limit = map->record_count;
    read_counters(map, info);
    return true;
}

/* Counts living processes by asking the kernel. This clears the records of dead ones, which counts as `swept`. */
static unsigned living(struct cache *cache) {
    unsigned count = 0;
    for (unsigned i = 0; i < ref_records_used(&cache->map); i++) {
        count += lives(cache, i);
    }
    return count;
}

bool cache_read_info(struct cache *cache, struct cache_info *info) {
    const unsigned processes = attached_record(cache) ? living(cache) : 0;
    if (!cache_read_counters(cache, info)) {
        return false;
    }
    const struct map *map = &cache->map;
    info->processes = processes;
    read_pages(map, info);
    read_index(map, info);
    info->pages_pinned = pin_population(map, false);
    info->pages_pinned_long = pin_population(map, true);
    info->pages_pinned_any = pin_population_of_all(map);
    return true;
}

/* Units of a page, or of a run, that live entries take. */
static inline uint64_t units_live(const struct map *map, uint32_t page, uint64_t units) {
    const struct page_shared *row = &map->pages[page];
    const uint64_t appended = (uint32_t)word_peek(&row->append), dead = word_peek(&row->dead);
    const uint32_t run = page_run(map, page);
    const uint64_t taken = UNLIKELY(run > 1) ? run * units : appended < units ? appended : units;
    return taken > dead ? taken - dead : 0;
}

bool cache_read_usage(struct cache *cache, struct cache_usage *usage) {
    memset(usage, 0, sizeof *usage);
    if (!attached_record(cache)) {
        return false;
    }
    const struct map *map = &cache->map;
    const uint64_t begun = word_peek(&map->header->pages_begun), page_size = page_units(map);
    const uint32_t pages = begun < map->page_count ? (uint32_t)begun : map->page_count;
    uint64_t entries = 0, units = 0; /* kept in registers: the loop is most of the cost of a call */
    for (uint32_t page = 0; page < pages; page++) {
        const uint32_t live = (uint32_t)word_peek(&map->pages[page].live);
        const enum page_state state = state_of(word_peek(&map->pages[page].state));
        if (live > 0 && state != PAGE_FREE && state != PAGE_MEMBER && state != PAGE_LIMBO) {
            units += units_live(map, page, page_size);
            entries += live;
        }
    }
    struct cache_info counters;
    read_counters(map, &counters);
    usage->hits = counters.hits;
    usage->misses = counters.misses;
    usage->stores = counters.stores;
    usage->created = map->header->created + 1; /* as cache_now() counts */
    usage->slots = (size_t)map->bucket_count * BUCKET_SLOTS;
    usage->entries = entries;
    usage->live = (size_t)units << UNIT_SHIFT;
    return true;
}

bool cache_read_memory(struct cache *cache, struct cache_memory *memory) {
    memset(memory, 0, sizeof *memory);
    if (!attached_record(cache)) {
        return false;
    }
    pin_recount(cache);
    const struct map *map = &cache->map;
    memory->pages = map->page_count * page_bytes(map);
    for (unsigned i = 0; i < map->pin_words; i++) {
        uint64_t held = word_peek(&map->populations[0][i]) | word_peek(&map->populations[1][i]);
        for (; held != 0; held &= held - 1) {
            const uint32_t page = i * 64 + (unsigned)__builtin_ctzll(held);
            memory->held += page < map->page_count ? page_run(map, page) * page_bytes(map) : 0;
        }
    }
    if (UNLIKELY(memory->held > memory->pages)) { /* the runs of a damaged table may overlap */
        memory->held = memory->pages;
    }
    return true;
}

static size_t pages_held(const struct map *map, const struct record_shared *record) {
    size_t pages = 0;
    for (uint32_t page = 0; page < map->page_count; page++) {
        pages += bit_get(record->pins, page) ? page_run(map, page) : 0;
    }
    return pages;
}

static int by_pages(const void *a, const void *b) {
    const struct cache_holder *left = a, *right = b;
    return (left->pages < right->pages) - (left->pages > right->pages);
}

size_t cache_read_holders(struct cache *cache, struct cache_holder *holders, size_t most) {
    if (!attached_record(cache)) {
        return 0;
    }
    const struct map *map = &cache->map;
    size_t count = 0;
    for (unsigned i = 0; i < ref_records_used(map); i++) {
        const struct record_shared *record = ref_record(map, i);
        const size_t pages = pages_held(map, record);
        if (pages == 0 || !lives(cache, i)) {
            continue;
        }
        const struct cache_holder holder = {
            .record = i,
            .process = (long)word_load(&record->process),
            .pages = pages,
            .me = i == cache->number,
            .long_lived = word_load(&record->use) == RECORD_LONG_LIVED,
        };
        if (count < most) {
            holders[count++] = holder;
        } else if (most && holders[most - 1].pages < pages) {
            holders[most - 1] = holder;
        }
        qsort(holders, count, sizeof *holders, by_pages);
    }
    return count;
}
