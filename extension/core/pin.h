/*
 * Pins: how a value's bytes stay while a script holds them, and how much may be held.
 *
 *   reader      set my bit for the page; fence; load the index word again: does it name that page?
 *   reclaimer   remove the words that name the page; fence; look at everybody's bits
 *
 * One of the two fences comes first. If the reader's, the reclaimer sees the bit and leaves the page in limbo. If the
 * reclaimer's, the reader sees no word that names the page and reads nothing there. A bit that was set before makes
 * the same argument with an older fence. The page is kept, not the entry: the word may name another entry of it than
 * before the fence, put there by a writer of that page, and no reclaimer that has yet to look misses the bit. (Hazard
 * pointers, Michael 2004, with a page for a node and a bit for a pointer.)
 *
 * The bound is on two populations: bitmaps of the distinct pages pinned by processes with and without request ends.
 * The count is the bitmap's population; no counter can drift.
 *
 * Pins go at the end of a request. A process without request ends, or in a long request, would use up its share and then
 * copy forever. So when it has copied as many bytes as it would have to read, it scans its memory for pointers (scan.h)
 * and drops the pins of pages to which there is none. This takes at most as long as the copies did, whatever the values
 * are: it never costs more than twice the better of both ways (ski rental). After scans that found most pages in use, the
 * next needs more copies.
 */
#ifndef LARDER_PIN_H
#define LARDER_PIN_H

#include "process.h"

/* What a copy costs beside its bytes, in bytes. */
enum { PIN_COPY_BYTES = 1024 };

/* True if this process has pinned the page. */
static inline bool pin_is_held(const struct record_shared *record, uint32_t page) {
    return bit_get(record->pins, page);
}

/* Pins the page and fences: what an index word names there afterwards stays. False: the share is used up, copy. The
 * cost does not depend on the number of pages, but for one count of the populations after each recount. */
bool pin_page(struct cache *cache, struct record_shared *record, uint32_t page);

/* Notes that a value of so many bytes was copied although it might have been pinned. */
static inline void pin_note_copy(struct cache *cache, size_t length) {
    cache->scans.copied += length + PIN_COPY_BYTES;
}

/* Drops the pins of pages to which nothing in this process points any more, if as much was copied meanwhile as it costs
 * to find out. Whether it dropped any. */
bool pin_drop_unused(struct cache *cache, struct record_shared *record);

/* The same at once. */
bool pin_drop_unused_now(struct cache *cache, struct record_shared *record);

/* True if nothing in this process points into the pages of a segment that it has left. Takes as long. */
bool pin_is_unused(const struct cache *cache, const struct map *map);

/* Drops all pins of this process. */
void pin_drop_all(struct cache *cache, struct record_shared *record);

/* True if the populations say that the page is held. */
static inline bool pin_seems_held(const struct map *map, uint32_t page) {
    return bit_get(map->populations[0], page) || bit_get(map->populations[1], page);
}

/* Corrects the populations, at most every 100 ms; whether it was done. */
bool pin_recount(struct cache *cache);

uint32_t pin_population(const struct map *map, bool long_lived);
/* Distinct pages in either population. */
uint32_t pin_population_of_all(const struct map *map);

#endif
