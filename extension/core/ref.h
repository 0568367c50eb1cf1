/*
 * A mapped segment, and the one place where a location becomes a pointer.
 *
 * The geometry is copied from the header once, when the segment is attached and checked, and never read
 * again: a header damaged later cannot lead anywhere. Whatever else comes out of the segment is checked
 * here against that copy.
 *
 * `desk` is the writable mapping and serves tables and writers; `view` is the read-only one and serves
 * readers of entries. Both show the same file.
 */
#ifndef LARDER_REF_H
#define LARDER_REF_H

#include <stddef.h>

#include "layout.h"

struct map {
    char *desk;
    const char *view;
    uintptr_t base; /* where pointers inside values assume the file to begin; equals view if `fixed` */
    bool fixed;
    uint64_t seed;
    unsigned unit_shift; /* log2 of the units in a page */
    uint32_t page_count;
    uint32_t first_page; /* offset of the pages, in pages */
    uint32_t bucket_count;
    unsigned record_count;
    unsigned pin_words; /* words of a pin map */
    uint32_t pin_limit, pin_limit_long;
    size_t record_size;
    size_t size;
    /* the tables, in the desk */
    struct header_shared *header;
    char *records;
    struct page_shared *pages;
    shared_word *starts;         /* of all pages, one after the other */
    shared_word *populations[2]; /* pinned pages: of requests, of long-lived processes */
    struct bucket_shared *buckets;
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

/* Records that have ever been claimed: all others are blank. */
static inline unsigned ref_records_used(const struct map *map) {
    const uint64_t used = word_load(&map->header->records_used);
    return used < map->record_count ? (unsigned)used : map->record_count;
}

static inline shared_word *ref_starts(const struct map *map, uint32_t page) {
    return map->starts + ((uint64_t)page << (map->unit_shift - 6));
}

/* The location of a unit of a page. */
static inline uint64_t ref_location(const struct map *map, uint32_t page, uint64_t unit) {
    return ((uint64_t)(page + map->first_page) << map->unit_shift) + unit;
}

/* The page of a location; page_count or more if the location is damaged. */
static inline uint32_t ref_page(const struct map *map, uint64_t location) {
    return (uint32_t)(location >> map->unit_shift) - map->first_page;
}

static inline uint64_t ref_unit(const struct map *map, uint64_t location) {
    return location & (page_units(map) - 1);
}

/* Whether `units` units from `location` on lie inside the pages; `location` itself is in a page. */
static inline bool ref_inside(const struct map *map, uint64_t location, uint64_t units) {
    return units <= (map->size >> UNIT_SHIFT) - location;
}

/* The entry at a location whose page was checked. Its header can be read whatever the location is: the file
 * goes on behind the last page. */
static inline const struct entry_shared *ref_entry(const struct map *map, uint64_t location) {
    return (const struct entry_shared *)(const void *)(map->view + (location << UNIT_SHIFT));
}

static inline void *ref_desk(const struct map *map, uint64_t location) {
    return map->desk + (location << UNIT_SHIFT);
}

/* ---- Parts of an entry ---- */

static inline uint64_t units_of(size_t bytes) {
    return (bytes + UNIT - 1) >> UNIT_SHIFT;
}

static inline uint64_t entry_units(uint32_t key_length, uint64_t value_units) {
    return sizeof(struct entry_shared) / UNIT + units_of(key_length) + value_units;
}

/* Of a whole entry. */
static inline uint64_t entry_units_all(const struct entry_shared *entry) {
    return entry_units(where_key_length(entry->where), entry->units);
}

static inline const char *entry_key(const struct entry_shared *entry) {
    return (const char *)(entry + 1);
}

static inline const void *entry_value(const struct entry_shared *entry) {
    return (const char *)(entry + 1) + (units_of(where_key_length(entry->where)) << UNIT_SHIFT);
}

/* What an entry keeps its key's hash mixed with: all else that its header says. So a header that was damaged is a
 * stranger's, and no other length or kind comes of it. */
static inline uint64_t entry_seal(const struct entry_shared *entry) {
    return entry->where ^ ((uint64_t)entry->units << 32 | entry->life) ^ entry->expires;
}

/* The mixed hash of its key, if the entry is whole. */
static inline uint64_t entry_hash(const struct entry_shared *entry) {
    return entry->hash ^ entry_seal(entry);
}

/* Whether key and value of an entry lie inside the pages. */
static inline bool entry_inside(const struct map *map, uint64_t location, const struct entry_shared *entry) {
    return ref_inside(map, location, entry_units(where_key_length(entry->where), entry->units));
}

/* ---- Bits ---- */

static inline bool bit_get(const shared_word *map, uint32_t bit) {
    return (word_peek(&map[bit >> 6]) >> (bit & 63)) & 1;
}

#endif
