/*
 * Pages: opening, appending, counting what lives in them, closing.
 *
 *   free -> opening -> open -> closed -> reclaiming -> limbo -> free
 *   free -> opening -> closed -> reclaiming -> limbo -> free     the head of a run
 *   free -> opening -> member -> free                          its others, set free with the head
 *
 * Each arrow is one compare-and-swap of the whole state word. A page that a dead process left in opening,
 * open (and not current) or reclaiming counts as closed; so does a member that no head speaks for.
 */
#ifndef LARDER_PAGE_H
#define LARDER_PAGE_H

#include "process.h"

static inline struct page_shared *page_row(const struct cache *cache, uint32_t page) {
    return &cache->map.pages[page];
}

/* Pages that a page counts for: 1, or the length of the run that it heads. A hint unless it is held. */
static inline uint32_t page_run(const struct map *map, uint32_t page) {
    const uint32_t run = (uint32_t)word_peek(&map->pages[page].extent);
    return LIKELY(run <= 1) ? 1 : run <= map->page_count - page ? run : 1;
}

/* It never falls within a generation: who was preempted here would bring back an old number, and a page that was chosen to be
 * compacted would not be wasted any more when it is reclaimed, and what lives in it dropped. */
static inline void page_add_dead(const struct cache *cache, uint32_t page, uint64_t units) {
    word_add(&cache->map.pages[page].dead, units);
}

static inline enum page_log page_log(const struct page_shared *row) {
    return (enum page_log)(word_peek(&row->age) & 1);
}

static inline uint64_t page_age(const struct page_shared *row) {
    return word_peek(&row->age) >> 1;
}

/* Whether it pays to carry what lives in the page elsewhere: an eighth of it is dead. */
static inline bool page_is_fragmented(const struct map *map, const struct page_shared *row) {
    return word_peek(&row->dead) * 8 >= page_units(map);
}

/* Whether the page is among the newest two of the probation log, or the run that it heads is the newest. */
static inline bool page_is_new(const struct cache *cache, uint32_t page) {
    const struct page_shared *row = page_row(cache, page);
    const uint64_t newest = word_peek(&cache->map.header->age[LOG_PROBATION]);
    return page_log(row) == LOG_PROBATION && newest - page_age(row) <= page_run(&cache->map, page);
}

/* The head of the run that a member belongs to, or the page itself if no head speaks for it. */
uint32_t page_head(const struct map *map, uint32_t page);

/* Whether a state's owner is dead and the page not a current one. Asks the kernel only in states that need
 * an owner. */
bool page_abandoned(struct cache *cache, uint32_t page, uint64_t state, bool fresh);

/* A log's open page, as its header word names it. */
static inline uint64_t current_of(uint32_t page, uint32_t generation) {
    return (uint64_t)generation << 32 | ((uint64_t)page + 1);
}

/* The page that such a word names; page_count if there is none yet. */
static inline uint32_t current_page(const struct cache *cache, uint64_t current) {
    const uint32_t page = (uint32_t)current - 1;
    return page < cache->map.page_count ? page : cache->map.page_count;
}

/*
 * Takes `units` in the log's open page. True: the place is in `pending` and the page stays announced in
 * `writing` until the caller clears it. False: there is no open page with that much room, and it was
 * closed.
 */
bool page_append(struct cache *cache, struct record_shared *record, enum page_log log, uint64_t units,
                 struct reservation *reservation);

/* Whether nothing in the page is of use any more: all its entries are unlinked or expired. */
bool page_is_dead(const struct page_shared *row);

/* Opens a free page and makes it the log's current one instead of `seen`. False: somebody was faster. */
bool page_open(struct cache *cache, uint32_t page, enum page_log log, uint64_t seen);

/* Takes a free page, which is in `opening` then and begins another generation, as the log's newest. The new state
 * word, or 0, also where it has no memory and there is none to be had. */
uint64_t page_claim(struct cache *cache, uint32_t page, enum page_log log);

/* Takes a free page out of use without beginning a generation in it; page_unclaim() gives it back. */
bool page_hold(struct cache *cache, uint32_t page);

/* Makes a page, or the run that it heads, as old as what was stored in it last, not as when it was begun: while others
 * took pages it may have been open for long, or its writer preempted, and what was just stored would be next to go. */
void page_refresh_age(struct cache *cache, uint32_t page);

/* Makes a page, or the run that it heads, the newest of the log. */
void page_make_newest(struct cache *cache, uint32_t page, enum page_log log);

/* Makes a claimed page a member of the run of `head`. Whoever sees it as a member sees this link, never one
 * of an earlier generation: by such a one, whoever still frees that earlier run would free this page again. */
void page_join_run(struct cache *cache, uint32_t page, uint64_t opening, uint32_t head, uint32_t head_generation);

/* Gives back a page that page_claim() took and nobody else has seen. Nothing if it is not ours any more. */
void page_unclaim(struct cache *cache, uint32_t page);

/* Fills the header of an entry and sets its start bit. After this it is whole and may be published. */
void page_seal(struct cache *cache, const struct reservation *reservation, struct entry_shared *entry);

/* Copies a whole entry from `location` to the place of `pending` with another expiry, and seals it. The
 * caller protects the source, and has sealed it if it is an integer. */
void page_copy(struct cache *cache, const struct reservation *reservation, const struct entry_shared *entry,
               uint64_t location, uint64_t expires);

/* One entry more lives in the page, into which the caller is writing. Before its word is published, so that
 * the number is never too low. */
void page_raise_live(struct cache *cache, uint32_t page);

/* One entry fewer, of so many units, lives in the page; `generation` is the entry's. May hint at the page as all dead. */
void page_lower_live(struct cache *cache, uint32_t page, uint32_t generation, uint64_t units);

#endif
