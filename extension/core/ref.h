/*
 * A mapped segment, and the only place where a location becomes a pointer.
 *
 * The geometry is copied from the header and checked when the segment is attached, and never read again. So a header
 * that is damaged later leads nowhere. Everything else from the segment is checked here against that copy. Before an
 * entry is read in a page that is neither pinned nor being written to, ref_page_has_memory() must be asked.
 *
 * Both mappings show the same file: tables and writers use `writable`, readers of entries use `readonly`.
 */
#ifndef LARDER_REF_H
#define LARDER_REF_H

#include <stddef.h>

#include "layout.h"
#include "unreadable_pages.h"

struct map {
    char *writable;
    const char *readonly;
    uintptr_t base; /* the address that pointers inside values assume for the file; readonly if `fixed` */
    bool fixed;
    uint64_t seed;
    bool keeps;          /* nothing unexpired is evicted */
    unsigned unit_shift; /* log2 of the units in a page */
    uint32_t page_count;
    uint32_t first_page; /* offset of the pages, in pages */
    uint32_t bucket_count;
    unsigned record_count;
    unsigned pin_words; /* words of a pin map */
    uint32_t pin_limit, pin_limit_long;
    size_t record_size;
    size_t size;
    size_t file_size;
    /* steps of memory: those of the index, then, beginning with a new word, those of the pages, then, alike, that of the
     * ring of samples */
    unsigned bucket_step_shift, page_step_shift; /* log2 of the buckets, and of the pages, in a step */
    uint32_t bucket_steps, page_steps, first_page_step;
    bool index_whole; /* the whole index has memory, so look-ups need not ask */
    /* the tables, in the writable mapping */
    struct header_shared *header;
    char *records;
    struct claims_shared *claims;
    struct page_shared *pages;
    shared_word *steps;
    shared_word *starts;         /* entry starts of all pages, one after the other */
    shared_word *populations[2]; /* pinned pages: of requests, of long-lived processes */
    shared_word *occupied;       /* see occupied.h */
    struct bucket_shared *buckets;
    shared_word *samples;               /* the ring of samples, */
    uint32_t sample_words, sample_step; /* its words (a power of two, or 0) and its step of memory; */
    uint64_t sample_least;              /* the mask of sampled keys has these bits at least */
};

static inline uint64_t page_units(const struct map *map) {
    return UINT64_C(1) << map->unit_shift;
}

static inline size_t page_bytes(const struct map *map) {
    return (size_t)UNIT << map->unit_shift;
}

static inline struct record_shared *ref_record(const struct map *map, unsigned number) {
    return (struct record_shared *)(void *)(map->records + number * map->record_size);
}

/* Records ever claimed; all others are blank. */
static inline unsigned ref_records_used(const struct map *map) {
    const uint64_t used = word_load(&map->header->records_used);
    return used < map->record_count ? (unsigned)used : map->record_count;
}

/* Slot `number` of the claims of all buckets. */
enum { CLAIMS_MAX = CLAIM_BUCKETS * CLAIM_SLOTS };
static inline shared_word *ref_claim(const struct map *map, unsigned number) {
    return &map->claims[number / CLAIM_SLOTS].slots[number % CLAIM_SLOTS];
}

static inline shared_word *ref_starts(const struct map *map, uint32_t page) {
    return map->starts + ((uint64_t)page << (map->unit_shift - 6));
}

/* ---- Which parts have memory. Nothing else may be touched: reading a hole of the file would allocate memory for
 * it, and kill the process if there is none. ---- */

enum { STEPS_A_WORD = 32 };

/* A word of steps with its checksum, so that no damaged word claims memory that is not there. */
static inline uint64_t ref_sealed_steps(const struct map *map, uint32_t word, uint32_t bits) {
    const uint64_t mixed = (map->seed ^ ((uint64_t)word << 32 | bits)) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed & ~(uint64_t)UINT32_MAX) | bits;
}

/* True if a word of steps is whole: still empty, or sealed. */
static inline bool ref_steps_whole(const struct map *map, uint32_t word, uint64_t steps) {
    return steps == 0 || LIKELY(steps == ref_sealed_steps(map, word, (uint32_t)steps));
}

/* The steps of a word that have memory. A damaged word cannot be repaired without bringing back what was deleted
 * since, so the segment is retired. */
static inline uint32_t ref_steps(const struct map *map, uint32_t word) {
    const uint64_t steps = word_load(&map->steps[word]);
    if (UNLIKELY(!ref_steps_whole(map, word, steps))) {
        word_poke(&map->header->retired, 1);
        return 0;
    }
    return (uint32_t)steps;
}

static inline bool ref_has_memory(const struct map *map, uint32_t step) {
    return ref_steps(map, step / STEPS_A_WORD) >> (step % STEPS_A_WORD) & 1;
}

static inline uint32_t ref_page_step(const struct map *map, uint32_t page) {
    return map->first_page_step + (page >> map->page_step_shift);
}

/* Pages in the step in which `first` is the first. */
static inline uint32_t ref_step_pages(const struct map *map, uint32_t first) {
    const uint32_t pages = UINT32_C(1) << map->page_step_shift;
    return pages < map->page_count - first ? pages : map->page_count - first;
}

static inline bool ref_page_has_memory(const struct map *map, uint32_t page) {
    return ref_has_memory(map, ref_page_step(map, page));
}

/* Represents every bucket without memory. It is always empty; a store gives the bucket its memory first. */
extern const struct bucket_shared ref_no_bucket;

static inline bool ref_is_bucket(const struct bucket_shared *bucket) {
    return bucket != &ref_no_bucket;
}

/* A bucket, or ref_no_bucket. */
static inline struct bucket_shared *ref_bucket(const struct map *map, uint32_t number) {
    return LIKELY(map->index_whole || ref_has_memory(map, number >> map->bucket_step_shift))
               ? &map->buckets[number]
               : (struct bucket_shared *)(uintptr_t)&ref_no_bucket;
}

/* The number of a slot's bucket. The bucket has memory. */
static inline uint32_t ref_bucket_of(const struct map *map, const shared_word *slot) {
    return (uint32_t)((size_t)(slot - map->buckets->slots) / BUCKET_SLOTS);
}

/* Pages that can be used: all; or, while no more memory is available, those that have memory. */
static inline uint32_t ref_pages_usable(const struct map *map) {
    const uint64_t usable = word_peek(&map->header->pages_usable);
    return LIKELY(usable == 0 || usable > map->page_count) ? map->page_count : (uint32_t)usable;
}

/* Scales a number of pages to those that can be used. */
static inline uint32_t ref_share_usable(const struct map *map, uint32_t pages) {
    return (uint32_t)((uint64_t)pages * ref_pages_usable(map) / map->page_count);
}

/* The location of a unit of a page. */
static inline uint64_t ref_location(const struct map *map, uint32_t page, uint64_t unit) {
    return ((uint64_t)(page + map->first_page) << map->unit_shift) + unit;
}

/* The page of a location; page_count or more if it is damaged. */
static inline uint32_t ref_page(const struct map *map, uint64_t location) {
    return (uint32_t)(location >> map->unit_shift) - map->first_page;
}

static inline uint64_t ref_unit(const struct map *map, uint64_t location) {
    return location & (page_units(map) - 1);
}

/* True if `units` from `location` on, which is in a page, lie inside the pages. */
static inline bool ref_inside(const struct map *map, uint64_t location, uint64_t units) {
    return units <= (map->size >> UNIT_SHIFT) - location;
}

#ifdef LARDER_UNREADABLE
static inline struct page_range ref_range(const struct map *map, uint32_t page, uint32_t pages) {
    return (struct page_range){
        .address = map->readonly + (ref_location(map, page, 0) << UNIT_SHIFT),
        .bytes = page_bytes(map),
        .first = page,
        .count = pages,
    };
}

/* Makes the page of a location, or its run, readable before it is read. */
static inline void ref_allow(const struct map *map, uint64_t location) {
    const uint32_t page = ref_page(map, location);
    if (page < map->page_count) {
        const uint64_t run = word_peek(&map->pages[page].extent) & UINT32_MAX, most = map->page_count - page;
        const struct page_range pages = ref_range(map, page, (uint32_t)(run < 1 ? 1 : run < most ? run : most));
        unreadable_pages_allow(&pages);
    }
}
#endif

/* The entry at a location in a page. Its header can always be read, since memory and file extend behind each step of
 * pages. */
static inline const struct entry_shared *ref_entry(const struct map *map, uint64_t location) {
#ifdef LARDER_UNREADABLE
    ref_allow(map, location);
#endif
    return (const struct entry_shared *)(const void *)(map->readonly + (location << UNIT_SHIFT));
}

static inline void *ref_writable(const struct map *map, uint64_t location) {
    return map->writable + (location << UNIT_SHIFT);
}

/* ---- Parts of an entry ---- */

static inline uint64_t units_of(size_t bytes) {
    return (bytes + UNIT - 1) >> UNIT_SHIFT;
}

static inline uint64_t entry_units(uint32_t key_length, uint64_t value_units) {
    return sizeof(struct entry_shared) / UNIT + units_of(key_length) + value_units;
}

/* The longest entry, in units: an eighth of the pages. */
static inline uint64_t entry_units_max(const struct map *map) {
    return (uint64_t)(map->page_count / 8) << map->unit_shift;
}

static inline uint64_t entry_units_all(const struct entry_shared *entry) {
    return entry_units(where_key_length(entry->where), entry->units);
}

static inline const char *entry_key(const struct entry_shared *entry) {
    return (const char *)(entry + 1);
}

static inline const void *entry_value(const struct entry_shared *entry) {
    return (const char *)(entry + 1) + (units_of(where_key_length(entry->where)) << UNIT_SHIFT);
}

static inline uint32_t entry_value_units(const struct entry_shared *entry) {
    return entry->units - where_has_freshness(entry->where);
}

/* The freshness of the value; 0: it has none. `header` is the entry's header, or a checked copy of it. */
static inline uint64_t entry_freshness(const struct entry_shared *header, const struct entry_shared *entry) {
    const uint64_t units = units_of(where_key_length(header->where)) + header->units;
    return UNLIKELY(where_has_freshness(header->where)) ? ((const uint64_t *)(entry + 1))[units - 1] : 0;
}

/* The time until which the key is found, in milliseconds; 0: forever. The value may be kept for longer, for callers
 * that accept stale values. */
static inline uint64_t entry_fresh_until(const struct entry_shared *header, const struct entry_shared *entry) {
    const uint64_t until = entry_freshness(header, entry) & EXPIRES_MAX;
    return LIKELY(until == 0) ? header->expires : until;
}

/* Entries store their hash mixed with the rest of their header. So a damaged header matches no key, and no wrong
 * length or kind is used. */
static inline uint64_t entry_seal(const struct entry_shared *entry) {
    return entry->where ^ ((uint64_t)entry->units << 32 | entry->generation) ^ entry->times;
}

/* The key's mixed hash, if the header is whole. */
static inline uint64_t entry_hash(const struct entry_shared *entry) {
    return entry->hash ^ entry_seal(entry);
}

/* True if key and value of an entry lie inside the pages. */
static inline bool entry_inside(const struct map *map, uint64_t location, const struct entry_shared *entry) {
    return ref_inside(map, location, entry_units(where_key_length(entry->where), entry->units));
}

/* ---- Bits ---- */

static inline bool bit_get(const shared_word *map, uint32_t bit) {
    return (word_peek(&map[bit >> 6]) >> (bit & 63)) & 1;
}

#endif
