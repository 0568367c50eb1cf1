#ifndef LARDER_SPARE_H
#define LARDER_SPARE_H

#include "process.h"

/*
 * Spare pages are kept free for the entries that reclaiming moves.
 *
 * A process takes one to compact a page and gives one back when it is done, which takes long if it is preempted. So
 * there is one spare page for each process, up to SPARE_MAX and a 32nd of the pages. With one for all processes,
 * entries were dropped even when data that fitted was rewritten. In a segment that keeps its entries, the number
 * must not rise when the segment is full.
 *
 * Spare pages from SPARE_SHARED on become open to all. So several processes that compact at once can fill them while
 * none has emptied its page. The spare page before that number, the reserve, is then taken by one process for
 * itself. Whatever lives in one page fits into it, so a page is emptied, and becomes the reserve.
 */
enum { SPARE_SHARED = 1 };

static inline unsigned spare_wanted(const struct map *map) {
    const uint32_t share = map->page_count / 32, processes = map->keeps ? SPARE_MAX : ref_records_used(map);
    const uint32_t wanted = processes < SPARE_MAX ? processes : SPARE_MAX;
    return wanted < share ? wanted : share;
}

/* True if a page is spare. */
bool spare_has(const struct cache *cache, uint32_t page);

/* Keeps a free page as a spare one if one is missing. True if it is spare now. */
bool spare_keep(struct cache *cache, uint32_t page);

/* The number of spare pages; true if the reserve is there. */
unsigned spare_count(const struct cache *cache);
bool spare_has_reserve(const struct cache *cache);

/* Takes a spare page from slot `*at` on, and raises `*at`. page_count: none is left. */
uint32_t spare_take(struct cache *cache, unsigned *at);

/* Removes a page, or all pages, from the spare ones. */
void spare_forget(struct cache *cache, uint32_t page);
void spare_forget_all(struct cache *cache);

#endif
