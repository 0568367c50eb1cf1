/*
 * Pages: opening, appending, counting live entries, closing.
 *
 *   free -> opening -> open -> closed -> reclaiming -> limbo -> free
 *   free -> opening -> closed -> reclaiming -> limbo -> free     the head of a run
 *   free -> opening -> member -> free                            its members, freed with it
 *
 * Each arrow is one compare-and-swap of the whole state word. A page counts as closed if a dead process left it in
 * opening, in reclaiming, or in open while it is not a log's current page. So does a member without a head.
 */
#ifndef LARDER_PAGE_H
#define LARDER_PAGE_H

#include "process.h"

static inline struct page_shared *page_row(const struct cache *cache, uint32_t page) {
    return &cache->map.pages[page];
}

/* The length of the run that the page heads, otherwise 1. A hint unless the page is held. */
static inline uint32_t page_run(const struct map *map, uint32_t page) {
    const uint32_t run = (uint32_t)word_peek(&map->pages[page].extent);
    return LIKELY(run <= 1) ? 1 : run <= map->page_count - page ? run : 1;
}

/* Atomic, so that the number never falls within a generation. Otherwise a preempted writer could bring back an old
 * number. A page chosen for compaction would then look whole, and its live entries would be dropped. */
static inline void page_add_dead(const struct cache *cache, uint32_t page, uint64_t units) {
    word_add(&cache->map.pages[page].dead, units);
}

/* Pages that the logs have ever had. */
static inline uint64_t pages_had(const struct map *map) {
    return word_peek(&map->header->age[LOG_MAIN]) + word_peek(&map->header->age[LOG_PROBATION]);
}

static inline enum page_log page_log(const struct page_shared *row) {
    return (enum page_log)(word_peek(&row->age) & 1);
}

static inline uint64_t page_age(const struct page_shared *row) {
    return word_peek(&row->age) >> 1;
}

/* True if compacting the page pays: an eighth of it is dead. */
static inline bool page_is_fragmented(const struct map *map, const struct page_shared *row) {
    return word_peek(&row->dead) * 8 >= page_units(map);
}

/* Units behind the last entry; 0 in runs, even of one page, since entries are not appended to them. */
static inline uint64_t page_tail(const struct map *map, const struct page_shared *row) {
    const uint64_t append = (uint32_t)word_peek(&row->append), units = page_units(map);
    return append != 0 && append < units ? units - append : 0;
}

/* The units that emptying the page would gain. */
static inline uint64_t page_gain(const struct map *map, const struct page_shared *row) {
    const uint64_t gain = word_peek(&row->dead) + page_tail(map, row), units = page_units(map);
    return gain < units ? gain : units;
}

/* True if the page is one of the newest two of probation, or heads its newest run. */
static inline bool page_is_new(const struct cache *cache, uint32_t page) {
    const struct page_shared *row = page_row(cache, page);
    const uint64_t newest = word_peek(&cache->map.header->age[LOG_PROBATION]);
    return page_log(row) == LOG_PROBATION && newest - page_age(row) <= page_run(&cache->map, page);
}

/* The head of a member's run, or the page itself without one. */
uint32_t page_head(const struct map *map, uint32_t page);

/* True if the state's owner is dead and the page is not current. Asks the kernel only for states that have an owner. */
bool page_abandoned(struct cache *cache, uint32_t page, uint64_t state, bool fresh);

/* The header word that names a log's open page. */
static inline uint64_t current_of(uint32_t page, uint32_t generation) {
    return (uint64_t)generation << 32 | ((uint64_t)page + 1);
}

/* The page that this word names; page_count if none yet. */
static inline uint32_t current_page(const struct cache *cache, uint64_t current) {
    const uint32_t page = (uint32_t)current - 1;
    return page < cache->map.page_count ? page : cache->map.page_count;
}

/* True if the page that this word names is open. */
bool page_is_current(const struct cache *cache, uint64_t current);

/* Takes `units` in the log's open page. The page stays announced in `writing` until the caller clears that. False:
 * no open page has that much room; a full one was closed. */
bool page_append(struct cache *cache, struct record_shared *record, enum page_log log, uint64_t units,
                 struct reservation *reservation);

/* The same in a page that this process has claimed. Needs no announcement. */
bool page_append_own(struct cache *cache, uint32_t page, uint64_t units, struct reservation *reservation);

/* Opens a claimed page with entries as the log's current one, if the current one is `seen` and not open. Otherwise
 * closes the page. */
void page_release(struct cache *cache, uint32_t page, enum page_log log, uint64_t seen);

/* True if all entries of the page are unlinked or expired. */
bool page_is_dead(const struct page_shared *row);

/* True if the log's open page has so many units left. */
bool page_has_room(const struct cache *cache, enum page_log log, uint64_t units);

/* Opens a free page as the log's current one instead of `seen`. False: another process was faster. */
bool page_open(struct cache *cache, uint32_t page, enum page_log log, uint64_t seen);

/* Takes a free page into `opening`, in a new generation, as the log's newest. Returns its new state, or 0 if another
 * process was faster or there is no memory for the page. */
uint64_t page_claim(struct cache *cache, uint32_t page, enum page_log log);

/* Takes a free page without preparing it; page_unclaim() releases it. */
bool page_hold(struct cache *cache, uint32_t page);

/* Dates a page or run by its last store instead of its opening. The page may have been open for long, or its writer
 * preempted; then a value that was just stored would be among the next to go. */
void page_refresh_age(struct cache *cache, uint32_t page);

/* Makes a page or run the newest of a log. */
void page_make_newest(struct cache *cache, uint32_t page, enum page_log log);

/* Makes a claimed page a member of a run. The link is written first. A process that still frees the run of an
 * earlier generation would free this page again if it found that generation's link in it. */
void page_join_run(struct cache *cache, uint32_t page, uint64_t opening, uint32_t head, uint32_t head_generation);

/* Releases a claimed page that no other process has seen, if it is still ours. */
void page_unclaim(struct cache *cache, uint32_t page);

/* Completes an entry's header and sets its start bit. After that the entry is whole and may be published. */
void page_seal(struct cache *cache, const struct reservation *reservation, struct entry_shared *entry);

/* Copies an entry from `location` into the reservation with another expiry, and seals it. The caller protects the
 * source, and has sealed it if it is an integer. */
void page_copy(struct cache *cache, const struct reservation *reservation, const struct entry_shared *entry,
               uint64_t location, uint64_t expires);

/* Counts one more live entry in a page that the caller writes into. Called before its word is published, so the
 * count is never too low. */
void page_raise_live(struct cache *cache, uint32_t page);

/* Counts one live entry of `units` less; `generation` is the entry's. */
void page_lower_live(struct cache *cache, uint32_t page, uint32_t generation, uint64_t units);

#endif
