/* Pages kept free for what reclaiming moves. */
#ifndef LARDER_SPARE_H
#define LARDER_SPARE_H

#include "process.h"

/*
 * How many pages are kept free for what reclaims move. Each process that compacts a page takes one, and gives one back
 * when it is done, which takes long if it is preempted in the middle of it: with one page for all, several processes
 * that rewrite what fits would find no place for it.
 */
static inline unsigned spare_wanted(const struct map *map) {
    const uint32_t share = map->page_count / 32, processes = ref_records_used(map);
    const uint32_t wanted = processes < SPARE_MAX ? processes : SPARE_MAX;
    return wanted < share ? wanted : share;
}

/* Whether the page is one of them. */
bool spare_has(const struct cache *cache, uint32_t page);

/* Keeps a free page if one is wanted. Whether it is one of them. */
bool spare_keep(struct cache *cache, uint32_t page);

/* How many there are. */
unsigned spare_count(const struct cache *cache);

/* Takes one from place `*at` on, which is raised; page_count if there is none. */
uint32_t spare_take(struct cache *cache, unsigned *at);

/* The page is no longer one of them; all are no longer. */
void spare_forget(struct cache *cache, uint32_t page);
void spare_forget_all(struct cache *cache);

#endif
