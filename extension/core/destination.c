#include "destination.h"

#include "failpoint.h"
#include "page.h"
#include "spare.h"

uint64_t destination_tail(const struct cache *cache) {
    return cache->destination ? page_tail(&cache->map, page_row(cache, cache->destination - 1)) : 0;
}

static void set_destination(struct cache *cache, uint32_t page) {
    cache->destination = page + 1;
}

bool destination_adopt(struct cache *cache) {
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        struct page_shared *row = page_row(cache, page);
        uint64_t state = word_load(&row->state);
        const uint64_t append = word_load(&row->append);
        if (state_of(state) == PAGE_OPENING && state_generation(state) == append >> 32 &&
            page_tail(&cache->map, row) > 0 && (uint32_t)word_load(&row->live) > 0 &&
            page_abandoned(cache, page, state, true) &&
            word_swap(&row->state, &state,
                      state_make(state_generation(state), cache->incarnation, cache->number, PAGE_OPENING))) {
            FAILPOINT(compact_adopted);
            set_destination(cache, page);
            return true;
        }
    }
    return false;
}

bool destination_place(struct cache *cache, enum page_log log, uint64_t units, struct reservation *reservation) {
    for (unsigned spare = 0; !cache->destination;) {
        const uint32_t page = spare_take(cache, &spare);
        if (page == cache->map.page_count) {
            return false;
        }
        if (page_claim(cache, page, log)) {
            set_destination(cache, page);
            FAILPOINT(compact_begun);
        }
    }
    return page_append_own(cache, cache->destination - 1, units, reservation);
}

void destination_end(struct cache *cache) {
    if (!cache->destination) {
        return;
    }
    const uint32_t page = cache->destination - 1;
    const enum page_log log = page_log(page_row(cache, page));
    const uint64_t seen = word_load(&cache->map.header->current[log]);
    cache->destination = 0;
    page_release(cache, page, log, seen);
}
