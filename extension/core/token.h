/*
 * The token of an entry: 64 bits that no other entry of the key ever has, so that a store can replace just the entry
 * that was fetched.
 *
 *   token = (generation of its page 32 | location without its lowest bit 32)  mixed with the segment's seed
 *
 * Equal tokens mean the same entry, although the token holds nothing:
 *  - Entries of one generation of a page never overlap and are at least five units long: their locations differ
 *    without the lowest bit too. Unpublished space is not reused before the page's next generation.
 *  - A reused page has another generation. Entries are immutable; one that is moved gets another location, and its
 *    token no longer matches, which is safe.
 *  - An integer changes in place, so its token includes its value, and a matching integer is sealed before the swap.
 *    An integer that was counted up and down again matches: it has the same value at the same place.
 *  - Another segment has another seed: its tokens match only by the chance of any number.
 *
 * Between the comparison and the swap of the index word, the entry is announced. So its page is not reused, and the
 * word names this entry as long as its location is the same. A process that deletes, evicts or moves the entry in
 * between changes the word. Then the swap fails, and the key is looked up and compared again.
 */
#ifndef LARDER_TOKEN_H
#define LARDER_TOKEN_H

#include "cache.h"
#include "hash.h"
#include "integer.h"

/* A bijection in which each bit affects all others (the finalizer of Austin Appleby's MurmurHash3, public domain). */
static inline uint64_t token_spread(uint64_t value) {
    value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
    value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

static inline uint64_t token_at(const struct map *map, uint32_t generation, uint64_t location) {
    _Static_assert(LOCATION_BITS <= 33, "a location without its lowest bit has 32 bits");
    return ((uint64_t)generation << 32 | location >> 1) ^ hash_mix(0, map->seed);
}

/* The words of a placeholder's value, see computing.c. */
enum { PLACEHOLDER_UNITS = 2 };

static inline bool entry_is_placeholder(const struct entry_shared *entry) {
    return where_kind(entry->where) == CACHE_PLACEHOLDER && entry_value_units(entry) == PLACEHOLDER_UNITS;
}

/* For a placeholder: the token of the previous one, whose computation stored nothing; 0: none. */
static inline uint64_t token_failed(const struct entry_shared *entry) {
    return ((const uint64_t *)entry_value(entry))[1];
}

/* `word` is an integer's value, read once; ignored for other entries. */
static inline uint64_t token_of(const struct map *map, const struct entry_shared *entry, uint64_t word) {
    if (UNLIKELY(entry_is_placeholder(entry))) {
        return *(const uint64_t *)entry_value(entry);
    }
    const uint64_t token = token_at(map, entry->generation, entry->where & LOCATION_MASK);
    return entry_is_integer(entry) ? token ^ token_spread(word) : token;
}

/* True if a protected entry has the token. It keeps the token as long as the index names it: an integer is sealed. */
static inline bool token_holds(const struct map *map, const struct entry_shared *entry, uint64_t token) {
    if (UNLIKELY(entry_is_placeholder(entry)) && token != 0 && token_failed(entry) == token) {
        return true;
    }
    if (!entry_is_integer(entry)) {
        return token_of(map, entry, 0) == token;
    }
    for (;;) {
        const struct integer integer = integer_read(entry);
        if (token_of(map, entry, integer.value) != token) {
            return false;
        }
        if (integer_seal(map, entry, integer)) {
            return true;
        }
    }
}

#endif
