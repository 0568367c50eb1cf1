/*
 * Pages: opening, appending, counting live entries, closing.
 *
 *   free -> opening -> open -> closed -> reclaiming -> limbo -> free
 *   free -> opening -> closed -> reclaiming -> limbo -> free     the head of a run
 *   free -> opening -> member -> free                            its members, freed with it
 *
 * Each arrow is one compare-and-swap of the whole state word. A page that a dead process left in opening, open (and
 * not current) or reclaiming counts as closed; so does a member without a head.
 */
#ifndef LARDER_PAGE_H
#define LARDER_PAGE_H

#include "process.h"

static inline struct page_shared *page_row(const struct cache *cache, uint32_t page) {
    return &cache->map.pages[page];
}

/* 1, or the length of the run that the page heads. A hint unless the page is held. */
static inline uint32_t page_run(const struct map *map, uint32_t page) {
    const uint32_t run = (uint32_t)word_peek(&map->pages[page].extent);
    return LIKELY(run <= 1) ? 1 : run <= map->page_count - page ? run : 1;
}

/* Atomic, so that it never falls within a generation: a preempted writer bringing back an old number would make a page
 * chosen for compaction look whole, and its live entries would be dropped. */
static inline void page_add_dead(const struct cache *cache, uint32_t page, uint64_t units) {
    word_add(&cache->map.pages[page].dead, units);
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

/* Units behind the last entry. 0 where entries are not appended: in runs, even of one page. */
static inline uint64_t page_tail(const struct map *map, const struct page_shared *row) {
    const uint64_t append = (uint32_t)word_peek(&row->append), units = page_units(map);
    return append != 0 && append < units ? units - append : 0;
}

/* Units that emptying the page would gain. */
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

/* True if the state's owner is dead and the page not current. Asks the kernel only in states that have an owner. */
bool page_abandoned(struct cache *cache, uint32_t page, uint64_t state, bool fresh);

/* The header word that names a log's open page. */
static inline uint64_t current_of(uint32_t page, uint32_t generation) {
    return (uint64_t)generation << 32 | ((uint64_t)page + 1);
}

/* The page that it names; page_count if none yet. */
static inline uint32_t current_page(const struct cache *cache, uint64_t current) {
    const uint32_t page = (uint32_t)current - 1;
    return page < cache->map.page_count ? page : cache->map.page_count;
}

/* True if it is open. */
bool page_is_current(const struct cache *cache, uint64_t current);

/* Takes `units` in the log's open page, which stays announced in `writing` until the caller clears it. False: no open
 * page has that much room; a full one was closed. */
bool page_append(struct cache *cache, struct record_shared *record, enum page_log log, uint64_t units,
                 struct reservation *reservation);

/* The same in a page that this process has claimed, which needs no announcement. */
bool page_append_own(struct cache *cache, uint32_t page, uint64_t units, struct reservation *reservation);

/* Opens a claimed page with entries as the log's current one, if that is `seen` and not open. Else closes it. */
void page_release(struct cache *cache, uint32_t page, enum page_log log, uint64_t seen);

/* True if all entries of the page are unlinked or expired. */
bool page_is_dead(const struct page_shared *row);

/* Opens a free page as the log's current one instead of `seen`. False: another process was faster. */
bool page_open(struct cache *cache, uint32_t page, enum page_log log, uint64_t seen);

/* Takes a free page into `opening`, in a new generation, as the log's newest. Its new state; 0 also if there is no
 * memory for it. */
uint64_t page_claim(struct cache *cache, uint32_t page, enum page_log log);

/* Takes a free page without preparing it; page_unclaim() releases it. */
bool page_hold(struct cache *cache, uint32_t page);

/* Dates a page or run by its last store instead of its opening: it may have been open for long, or its writer
 * preempted, and what was just stored would be next to go. */
void page_refresh_age(struct cache *cache, uint32_t page);

/* Makes a page or run the newest of the log. */
void page_make_newest(struct cache *cache, uint32_t page, enum page_log log);

/* Makes a claimed page a member of a run. The link is written first: by a link of an earlier generation, whoever still
 * frees that run would free this page again. */
void page_join_run(struct cache *cache, uint32_t page, uint64_t opening, uint32_t head, uint32_t head_generation);

/* Releases a claimed page that nobody else has seen, if it is still ours. */
void page_unclaim(struct cache *cache, uint32_t page);

/* Completes an entry's header and sets its start bit: it is whole then and may be published. */
void page_seal(struct cache *cache, const struct reservation *reservation, struct entry_shared *entry);

/* Copies an entry from `location` into the reservation with another expiry, and seals it. The caller protects the
 * source, and has sealed it if it is an integer. */
void page_copy(struct cache *cache, const struct reservation *reservation, const struct entry_shared *entry,
               uint64_t location, uint64_t expires);

/* One more live entry in a page that the caller writes into. Called before its word is published: the count is never
 * too low. */
void page_raise_live(struct cache *cache, uint32_t page);

/* One live entry fewer, of so many units; `generation` is the entry's. */
void page_lower_live(struct cache *cache, uint32_t page, uint32_t generation, uint64_t units);

#endif
