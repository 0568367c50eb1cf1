/*
 * Pins: how a value's bytes stay while a script holds them, and how much may be held.
 *
 *   reader      set my bit for the page; fence; load the index word again: does it name that page?
 *   reclaimer   remove the words that name the page; fence; look at the bits of all readers
 *
 * One of the two fences comes first. If it is the reader's, the reclaimer sees the bit and leaves the page in limbo.
 * If it is the reclaimer's, the reader sees no word that names the page, and reads nothing there. For a bit that was
 * set earlier the same argument holds with an older fence.
 *
 * The page is kept, not the entry. After the fence the word may name another entry of the page than before, put
 * there by a writer of that page; a reclaimer that has yet to look at the bits cannot miss this one. (These are
 * hazard pointers, Michael 2004, with a page for a node and a bit for a pointer.)
 *
 * The bound is on two populations: bitmaps of the distinct pages that are pinned by processes with and without
 * request ends. Counting the bits of a bitmap gives the number of its pages, so no counter can drift.
 *
 * Pins go at the end of a request. A process without request ends, or in a long request, would use up its share and
 * then copy forever. So when it has copied as many bytes as a scan would read, it scans its memory for pointers
 * (scan.h), and drops the pins of pages to which it finds none. A scan takes at most as long as the copies before
 * it, whatever the values are. So the cost is at most twice that of the better way (ski rental). After a scan that
 * found most pages in use, the next one needs more copies.
 */
#ifndef LARDER_PIN_H
#define LARDER_PIN_H

#include "process.h"

/* The fixed cost of a copy, expressed in bytes. */
enum { PIN_COPY_BYTES = 1024 };

/* True if this process has pinned the page. */
static inline bool pin_is_held(const struct record_shared *record, uint32_t page) {
    return bit_get(record->pins, page);
}

/* Pins the page and fences. Whatever an index word names in it afterwards stays. False: the share is used up, so
 * copy. The cost does not depend on the number of pages, except for one count of the populations after each recount. */
bool pin_page(struct cache *cache, struct record_shared *record, uint32_t page);

/* Notes that a value of `length` bytes was copied although it might have been pinned. */
static inline void pin_note_copy(struct cache *cache, size_t length) {
    cache->scans.copied += length + PIN_COPY_BYTES;
}

/* Drops the pins of pages to which nothing in this process points any more, if the copies since the last scan cost
 * as much as a scan. True if it dropped any. */
bool pin_drop_unused(struct cache *cache, struct record_shared *record);

/* The same, without regard to its cost. */
bool pin_drop_unused_now(struct cache *cache, struct record_shared *record);

/* True if nothing in this process points into the pages of a segment that it has left. Takes as long as a scan. */
bool pin_is_unused(const struct cache *cache, const struct map *map);

void pin_drop_all(struct cache *cache, struct record_shared *record);

/* True if the page is held according to the populations. */
static inline bool pin_seems_held(const struct map *map, uint32_t page) {
    return bit_get(map->populations[0], page) || bit_get(map->populations[1], page);
}

/* Corrects the populations, at most every 100 ms. False: not done, the last time was too recent. */
bool pin_recount(struct cache *cache);

uint32_t pin_population(const struct map *map, bool long_lived);
/* Distinct pages in either population. */
uint32_t pin_population_of_all(const struct map *map);

#endif
