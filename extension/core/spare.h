#ifndef LARDER_SPARE_H
#define LARDER_SPARE_H

#include "process.h"

/*
 * Spare pages: kept free for the entries that reclaiming moves.
 *
 * A process takes one to compact a page and gives one back when it is done, which takes long if it is preempted. So
 * there is one for each process, up to SPARE_MAX and a 32nd of the pages; with one for all, rewriting what fits
 * dropped entries. In a segment that keeps, their number must not rise when it is full.
 *
 * Those from SPARE_SHARED on become open to all, so several processes that compact at once can fill them while none has
 * emptied its page. The one before, the reserve, is then taken by a process for itself: whatever lives in one page fits,
 * so a page is emptied, and becomes the reserve.
 */
enum { SPARE_SHARED = 1 };

static inline unsigned spare_wanted(const struct map *map) {
    const uint32_t share = map->page_count / 32, processes = map->keeps ? SPARE_MAX : ref_records_used(map);
    const uint32_t wanted = processes < SPARE_MAX ? processes : SPARE_MAX;
    return wanted < share ? wanted : share;
}

/* True if a page is one of them. */
bool spare_has(const struct cache *cache, uint32_t page);

/* Keeps a free page as one if one is missing. Whether it is one now. */
bool spare_keep(struct cache *cache, uint32_t page);

/* How many there are; whether the reserve is there. */
unsigned spare_count(const struct cache *cache);
bool spare_has_reserve(const struct cache *cache);

/* Takes one, looking from slot `*at` on, which is raised; page_count: none is left. */
uint32_t spare_take(struct cache *cache, unsigned *at);

/* Removes a page from them; removes all. */
void spare_forget(struct cache *cache, uint32_t page);
void spare_forget_all(struct cache *cache);

#endif
