/*
 * Pins: how the bytes of a value stay while a script holds them, and how much may be held.
 *
 *   reader      set my bit for the page; fence; load the index word again: does it name that page?
 *   reclaimer   take the words that name the page out of the index; fence; look at everybody's bits
 *
 * In the single order of the two fences one comes first. If the reader's, the reclaimer sees the bit and
 * leaves the page in limbo. If the reclaimer's, the reader sees no word that names the page and reads nothing there. A
 * reader whose bit was set already makes the same argument with an older fence. It is the page that is kept, so the
 * word may name another entry of it than before the fence: that one was put there by who could still write into the
 * page, and no reclaimer that has yet to look can overlook the bit. (The hazard pointers of Maged
 * Michael, 2004, with a page in place of a node and a bit in place of a pointer.)
 *
 * What may be held is bounded by two populations, bitmaps of the distinct pages pinned by processes with
 * and without request ends. The number is the bitmap's population; there is no counter that could drift.
 */
#ifndef LARDER_PIN_H
#define LARDER_PIN_H

#include "process.h"

/* Whether this process has pinned the page. */
static inline bool pin_is_held(const struct record_shared *record, uint32_t page) {
    return bit_get(record->pins, page);
}

/* Pins the page, and fences: what an index word names there after this stays. False: the share is used up, copy. What
 * it costs does not depend on how many pages there are, but for one count of the populations after each recount. */
bool pin_page(struct cache *cache, struct record_shared *record, uint32_t page);

/* Drops all pins of this process. */
void pin_drop_all(struct cache *cache, struct record_shared *record);

/* Whether somebody seems to hold the page: a look at the populations only. */
static inline bool pin_seems_held(const struct map *map, uint32_t page) {
    return bit_get(map->populations[0], page) || bit_get(map->populations[1], page);
}

/* Corrects the populations, at most every 100 ms; whether it was done. */
bool pin_recount(struct cache *cache);

uint32_t pin_population(const struct map *map, bool long_lived);

#endif
