/* Giving memory back to the system. */
#include "attach.h"
#include "commit.h"
#include "failpoint.h"
#include "page.h"
#include "pin.h"
#include "reclaim.h"
#include "segment.h"
#include "spare.h"

/* Reclaims pages without live entries, except open ones. */
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

/* Gives back the step that begins with `page`, if all its pages are free. */
static uint64_t release_step(struct cache *cache, uint32_t page) {
    const struct map *map = &cache->map;
    const uint32_t count = ref_step_pages(map, page);
    if (!ref_page_has_memory(map, page)) {
        return 0;
    }
    uint32_t held = 0;
    while (held < count && page_hold(cache, page + held)) {
        held++;
    }
    const uint64_t bytes = held == count ? commit_give_back(cache, page, count) : 0;
    while (held-- > 0) {
        page_unclaim(cache, page + held);
    }
    return bytes;
}

size_t cache_release(struct cache *cache) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return 0;
    }
    pin_drop_unused_now(cache, record);
    attach_release_unused(cache);
    reclaim_dead(cache, record);
    spare_forget_all(cache);
    size_t bytes = 0;
    for (uint64_t page = 0; page < cache->map.page_count; page += UINT64_C(1) << cache->map.page_step_shift) {
        bytes += release_step(cache, (uint32_t)page);
    }
    segment_tidy(cache);
    return bytes;
}
