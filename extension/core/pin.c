#include "pin.h"

#include "failpoint.h"
#include "os.h"
#include "page.h"
#include "scan.h"

enum { RECOUNT_MS = 100, CALLS_UNTIL_RECOUNT = 8 };

uint32_t pin_population(const struct map *map, bool long_lived) {
    const shared_word *population = map->populations[long_lived];
    uint32_t pages = 0;
    for (unsigned i = 0; i < map->pin_words; i++) {
        pages += (uint32_t)__builtin_popcountll(word_peek(&population[i]));
    }
    return pages;
}

/* A run counts with all its pages. */
static void population_add(shared_word *population, uint32_t page, uint32_t pages) {
    for (uint32_t i = page; i < page + pages; i++) {
        if (!bit_get(population, i)) {
            word_or(&population[i >> 6], UINT64_C(1) << (i & 63));
        }
    }
}

uint32_t pin_population_of_all(const struct map *map) {
    uint32_t pages = 0;
    for (unsigned i = 0; i < map->pin_words; i++) {
        const uint64_t both = word_peek(&map->populations[0][i]) | word_peek(&map->populations[1][i]);
        pages += (uint32_t)__builtin_popcountll(both);
    }
    return pages;
}

/* All processes have one share of pages in common; long-lived processes may have only a part of it. */
static bool share_has(const struct cache *cache, uint32_t pages) {
    const struct map *map = &cache->map;
    FAILPOINT(populations_counted);
    return pin_population_of_all(map) + pages <= ref_share_usable(map, map->pin_limit) &&
           (!cache->long_lived || pin_population(map, true) + pages <= ref_share_usable(map, map->pin_limit_long));
}

/* Only a recount removes pages from the populations. So a full share stays full until the next recount, and counting
 * before that is useless. At worst, values are copied for some calls although there is room. */
static bool is_known_full(struct cache *cache, uint32_t pages) {
    struct full *full = &cache->full;
    if (full->pages == 0 || pages < full->pages || word_load(&cache->map.header->recounted) != full->recounted) {
        return false;
    }
    if (full->calls_until_recount-- != 0) {
        return true;
    }
    full->calls_until_recount = CALLS_UNTIL_RECOUNT;
    return !pin_recount(cache);
}

/* True if this many more distinct pages fit into the share. */
static bool share_allows(struct cache *cache, uint32_t pages) {
    if (is_known_full(cache, pages)) {
        return false;
    }
    struct full full = {.calls_until_recount = CALLS_UNTIL_RECOUNT};
    bool allows;
    do {
        full.recounted =
            word_load(&cache->map.header->recounted); /* before counting, so that a later recount is noticed */
        allows = share_has(cache, pages);
    } while (!allows && pin_recount(cache));
    full.pages = allows ? 0 : pages;
    cache->full = full;
    return allows;
}

static void unpin(struct cache *cache, struct record_shared *record, uint32_t page, uint32_t pages) {
    shared_word *word = &record->pins[page >> 6];
    word_store(word, word_peek(word) & ~(UINT64_C(1) << (page & 63)));
    cache->pages_held -= pages;
}

bool pin_page(struct cache *cache, struct record_shared *record, uint32_t page) {
    shared_word *population = cache->map.populations[cache->long_lived];
    const uint32_t pages = page_run(&cache->map, page);
    if (cache->pages_held + pages > ref_share_usable(&cache->map, cache->map.pin_limit) / 2) {
        return false;
    }
    if (!bit_get(population, page)) {
        if (!share_allows(cache, pages)) {
            return false;
        }
        population_add(population, page, pages);
    }
    FAILPOINT(pin_counted);
    shared_word *pins = &record->pins[page >> 6];
    const uint64_t before = word_peek(pins);
    if (before == 0) {
        bool known = false;
        for (unsigned i = 0; i < cache->pinned_word_count; i++) {
            known = known || cache->pinned_words[i] == page >> 6;
        }
        if (!known) {
            cache->pinned_words[cache->pinned_word_count++] = (uint16_t)(page >> 6);
        }
    }
    word_store(pins, before | UINT64_C(1) << (page & 63));
    cache->pages_held += pages;
    fence();
    FAILPOINT(pin_set);
    /* Between our look and our pin, a recount may have cleared the page, or some pages of its run. */
    const bool counted = bit_get(population, page) || share_allows(cache, pages);
    if (counted) {
        population_add(population, page, page_run(&cache->map, page));
    } else {
        unpin(cache, record, page, pages);
    }
    if (UNLIKELY(counted && !ref_page_has_memory(&cache->map, page))) {
        /* The page was trimmed in between. A bit that stayed would let a damaged word lead to it. */
        unpin(cache, record, page, pages);
        return false;
    }
    return counted;
}

/* ---- Pins that are needed no more ---- */

/* Assumed until the first scan shows how much memory there is to read; a worker of a framework has 60 MiB. */
#define SCAN_PRICE_FIRST (UINT64_C(64) << 20)
#define SCAN_PRICE_LEAST (UINT64_C(1) << 20)
enum { SCANS_IN_VAIN_MAX = 6 };

static void recount(struct cache *cache, bool long_lived);

static bool is_used(const uint64_t used[], uint32_t page, uint32_t pages) {
    for (uint32_t i = page; i < page + pages; i++) {
        if (used[i >> 6] >> (i & 63) & 1) {
            return true;
        }
    }
    return false;
}

/* Unpins what is unused. A run stays pinned if one of its pages is used. */
static void unpin_unused(struct cache *cache, struct record_shared *record, const uint64_t used[]) {
    unsigned left = 0;
    for (unsigned i = 0; i < cache->pinned_word_count; i++) {
        const uint16_t word = cache->pinned_words[i];
        for (uint64_t pins = word_peek(&record->pins[word]); pins; pins &= pins - 1) {
            const uint32_t page = (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(pins);
            const uint32_t pages = page_run(&cache->map, page);
            if (!is_used(used, page, pages)) {
                unpin(cache, record, page, pages);
#ifdef LARDER_UNREADABLE
                const struct page_range range = ref_range(&cache->map, page, pages);
                unreadable_pages_forbid(&range);
#endif
            }
        }
        if (word_peek(&record->pins[word])) {
            cache->pinned_words[left++] = word;
        }
    }
    cache->pinned_word_count = left;
}

/* Removes pages from the population that are no longer pinned; otherwise this process would go on copying. It
 * recounts one population itself, and does not delay the next recount of both: a process that scans more often would
 * delay that forever. */
static void recount_now(struct cache *cache) {
    if (!pin_recount(cache)) {
        recount(cache, cache->long_lived);
    }
    cache->full.pages = 0;
}

/* Finds the pages that something points to. `used` must be cleared; the caller holds process_lock(). False: unknown. */
static bool find_used(const struct cache *cache, const struct map *map, uint64_t used[], uint64_t *cost) {
    struct scan scan = {
        .before = (uintptr_t)map->readonly + map->first_page * page_bytes(map) - 1,
        .page_shift = map->unit_shift + UNIT_SHIFT,
        .page_count = map->page_count,
        .ignored = cache->scratch, /* copies keep the pointers of their originals */
        .ignored_size = cache->scratch_size,
        .used = used,
    };
    const bool known = scan_memory(&scan);
    *cost = scan.cost;
    return known;
}

bool pin_is_unused(const struct cache *cache, const struct map *map) {
    uint64_t used[PAGES_MAX / 64] = {0}, cost;
    if (!process_trylock()) {
        return false;
    }
    const bool known = find_used(cache, map, used, &cost);
    process_unlock();
    return known && !is_used(used, 0, map->page_count);
}

bool pin_drop_unused_now(struct cache *cache, struct record_shared *record) {
    struct scans *scans = &cache->scans;
    const uint32_t held = cache->pages_held;
    if (held == 0 || !process_trylock()) {
        return false;
    }
    uint64_t used[PAGES_MAX / 64] = {0}, cost;
    const uint64_t began = os_nanoseconds();
    const bool known = find_used(cache, &cache->map, used, &cost);
    process_unlock();
    if (known) {
        unpin_unused(cache, record, used);
        recount_now(cache);
        scans->count++;
        scans->pages += held - cache->pages_held;
        scans->nanoseconds = os_nanoseconds() - began;
    }
    const bool in_vain = cache->pages_held > held / 2;
    scans->in_vain = !in_vain ? 0 : scans->in_vain < SCANS_IN_VAIN_MAX ? scans->in_vain + 1 : scans->in_vain;
    scans->price = (cost > SCAN_PRICE_LEAST ? cost : SCAN_PRICE_LEAST) << scans->in_vain;
    scans->copied = 0;
    return cache->pages_held < held;
}

bool pin_drop_unused(struct cache *cache, struct record_shared *record) {
    const uint64_t price = cache->scans.price ? cache->scans.price : SCAN_PRICE_FIRST;
    return UNLIKELY(cache->scans.copied >= price) && pin_drop_unused_now(cache, record);
}

/* ---- All pins ---- */

void pin_drop_all(struct cache *cache, struct record_shared *record) {
    for (unsigned i = 0; i < cache->pinned_word_count; i++) {
        word_store(&record->pins[cache->pinned_words[i]], 0);
    }
    cache->pinned_word_count = 0;
    cache->pages_held = 0;
    cache->full.calls_until_recount = 0;
}

/* ---- Recounting ---- */

/* True if a record of this use pins the page. */
static bool is_pinned(const struct map *map, enum record_use use, uint32_t page) {
    const unsigned used = ref_records_used(map);
    for (unsigned i = 0; i < used; i++) {
        const struct record_shared *record = ref_record(map, i);
        if (word_load(&record->use) == use && bit_get(record->pins, page)) {
            return true;
        }
    }
    return false;
}

/* The pins of all live processes of this use; records of dead ones are cleared. */
static void gather(struct cache *cache, enum record_use use, uint64_t pins[PAGES_MAX / 64]) {
    const struct map *map = &cache->map;
    for (unsigned i = 0; i < map->pin_words; i++) {
        pins[i] = 0;
    }
    const unsigned used = ref_records_used(map);
    for (unsigned i = 0; i < used; i++) {
        const struct record_shared *record = ref_record(map, i);
        if (word_load(&record->use) != use) {
            continue;
        }
        uint64_t any = 0;
        for (unsigned w = 0; w < map->pin_words; w++) {
            any |= word_load(&record->pins[w]);
        }
        if (any && process_alive(cache, i, (uint32_t)word_load(&record->incarnation), 32, false)) {
            for (unsigned w = 0; w < map->pin_words; w++) {
                pins[w] |= word_load(&record->pins[w]);
            }
        }
    }
}

static bool has(const uint64_t pins[], uint32_t page) {
    return (pins[page >> 6] >> (page & 63)) & 1;
}

/* Never stores a whole population, which would overwrite new pins by an old count. First sets what is pinned. Then
 * clears each page that seems unneeded, and sets it again if a pin is there after a fence. A reader sets its bit,
 * fences and looks at the population, so one of the two sees the other. */
static void recount(struct cache *cache, bool long_lived) {
    const struct map *map = &cache->map;
    const enum record_use use = long_lived ? RECORD_LONG_LIVED : RECORD_REQUESTS;
    shared_word *population = map->populations[long_lived];
    uint64_t pins[PAGES_MAX / 64];
    gather(cache, use, pins);
    for (uint32_t page = 0; page < map->page_count; page++) {
        if (has(pins, page)) {
            population_add(population, page, page_run(map, page));
        }
    }
    for (uint32_t page = 0; page < map->page_count; page++) {
        if (!bit_get(population, page)) {
            continue;
        }
        const uint32_t head = page_head(map, page);
        if (has(pins, head) || has(pins, page)) {
            continue;
        }
        const uint64_t bit = UINT64_C(1) << (page & 63);
        word_and(&population[page >> 6], ~bit);
        fence();
        FAILPOINT(recount_cleared);
        if (is_pinned(map, use, head)) {
            word_or(&population[page >> 6], bit);
        }
    }
}

bool pin_recount(struct cache *cache) {
    shared_word *recounted = &cache->map.header->recounted;
    const uint64_t now = os_milliseconds();
    uint64_t last = word_load(recounted);
    if (now - last < RECOUNT_MS || !word_swap(recounted, &last, now)) {
        return false;
    }
    recount(cache, false);
    recount(cache, true);
    return true;
}
