/*
 * Making room: which pages are taken back, and how.
 *
 * The pages form two logs. New entries are appended to the probation log, about an eighth of the pages; when its
 * oldest page is reclaimed, entries that were used move to the main log and the others go. When the main log has to
 * yield, entries used since they came there move once more, with their use count lowered, and the others go. So a
 * single pass over many keys does not push out what is in use; where nothing in probation is used for long, some move
 * by lot (see reclaim.c), so that a loop over more than the memory hits. It is the lock-free relative, by pages, of S3-FIFO
 * (Yang et al., SOSP 2023), SIEVE (Zhang et al., NSDI 2024) and 2Q (Johnson and Shasha, VLDB 1994): a hit writes at
 * most four times in an entry's generation and moves nothing. core-tests/replay measures it beside them.
 *
 * Whoever needs room makes it, a bounded piece at a time; there is no daemon. Never called while this
 * process has a page in `writing`.
 */
#ifndef LARDER_EVICT_H
#define LARDER_EVICT_H

#include "process.h"

/*
 * Takes place for an entry of `units`, evicting as needed. True: `pending` is filled. An entry of up to
 * half a page lies in the open page, which stays announced in `writing`; a longer one has a run of pages
 * of its own, whose head is in `opening`. False: no room can be made.
 */
bool reservation_make(struct cache *cache, struct record_shared *record, uint64_t units,
                      struct reservation *reservation);

/* Ends what reservation_make() began: the entry is published (or not, and its place is given up). */
void reservation_end(struct cache *cache, struct record_shared *record, struct reservation *reservation,
                     bool published);

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

/* The longest entry, in units: an eighth of the pages. */
static inline uint64_t entry_units_max(const struct map *map) {
    return (uint64_t)(map->page_count / 8) << map->unit_shift;
}

#endif
