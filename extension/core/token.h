/*
 * The token of an entry: 64 bits that no other entry of the key ever has, so that a store can be made only over the
 * entry that was fetched.
 *
 *   token = (generation of its page 32 | location without its lowest bit 32)  mixed with the segment's seed
 *
 * Why the same token means the same entry, though whoever fetched it holds nothing:
 *  - Two entries of one generation of a page never overlap, and an entry is at least five units long: their locations differ
 *    by five or more, so also without the lowest bit. What a writer took and did not publish is not used again before
 *    the page's next generation.
 *  - A page that was reused has another generation. Entries are immutable, and one that is carried, by a reclaim or by a new
 *    expiry, gets another location: its token no longer matches, which is the safe side.
 *  - An integer changes in place, so its token names its value too, and what matched is sealed before the swap. Counted
 *    up and down again it matches, and it is the same value at the same place.
 *  - Another segment has another seed: a token of it matches one here as likely as any number does.
 *
 * Nothing changes between the comparison and the compare-and-swap of the index word: the entry is announced while both
 * are done, so its page is not reused, no other entry can come to lie there, and the word names the compared entry as
 * long as its location is the same. What deletes, clears, evicts or carries the entry meanwhile changes the word: then
 * the swap fails, and the word is looked up and compared again.
 */
#ifndef LARDER_TOKEN_H
#define LARDER_TOKEN_H

#include "cache.h"
#include "hash.h"
#include "integer.h"

/* A bijection that spreads each bit over all (the last step of Austin Appleby's MurmurHash3, public domain). */
static inline uint64_t token_spread(uint64_t value) {
    value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
    value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

/* `word`: the value of an integer, read once; else it is not looked at. */
static inline uint64_t token_of(const struct map *map, const struct entry_shared *entry, uint64_t word) {
    _Static_assert(LOCATION_BITS <= 33, "a location without its lowest bit has 32 bits");
    const uint64_t location = entry->where & LOCATION_MASK;
    const uint64_t token = ((uint64_t)entry->generation << 32 | location >> 1) ^ hash_mix(0, map->seed);
    return entry_is_integer(entry) ? token ^ token_spread(word) : token;
}

/* Whether a protected entry has the token, and will have it as long as the index names it. */
static inline bool token_holds(const struct map *map, const struct entry_shared *entry, uint64_t token) {
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
