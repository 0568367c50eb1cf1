/*
 * The value of an integer entry: two words that change together.
 *
 *   value 64     state 64: sealed 1 | when it was last counted 63, milliseconds; 0 never
 *
 * A count changes both by one pair_swap(), wherever the entry lies, without a lock. Whoever wants to carry the entry
 * elsewhere, store over just this value, or drop it as unused, seals it first: from then on it is immutable as all other
 * entries are, and what is read from it stays right as long as an index word names it. Whoever wants to change a sealed
 * one does not wait for who sealed it, who may be stopped or dead: it puts an entry of its own, with the changed value,
 * in the place of the sealed one. The index word is swapped once, so one of the two sees that the other was faster.
 *
 * A count that goes into an entry just after its word was replaced or removed by a store, a delete or an eviction happened
 * just before that: it began before, for it found the word. The entry is announced or pinned from then on.
 */
#ifndef LARDER_INTEGER_H
#define LARDER_INTEGER_H

#include "cache.h"
#include "ref.h"

/* An integer that was counted so lately is not dropped to make room. */
enum { INTEGER_KEPT_MS = 60 * 1000 };

struct integer {
    uint64_t value, state;
};

static inline bool entry_is_integer(const struct entry_shared *entry) {
    return where_kind(entry->where) == CACHE_INTEGER && entry->units == INTEGER_UNITS;
}

/* Where the two words of an integer entry are; for reading. */
static inline const struct pair_shared *integer_pair(const struct entry_shared *entry) {
    return (const struct pair_shared *)(((uintptr_t)entry_value(entry) + UNIT) &
                                        ~(uintptr_t)(sizeof(struct pair_shared) - 1));
}

static inline struct integer integer_read(const struct entry_shared *entry) {
    const struct pair_shared *pair = integer_pair(entry);
    const uint64_t state = word_load(&pair->words[1]);
    return (struct integer){word_load(&pair->words[0]), state};
}

static inline bool integer_is_sealed(struct integer integer) {
    return (integer.state & INTEGER_SEALED) != 0;
}

static inline bool integer_is_kept(struct integer integer, uint64_t now) {
    const uint64_t counted = integer.state & ~INTEGER_SEALED;
    return counted != 0 && now < counted + INTEGER_KEPT_MS;
}

/* Fills an entry that nobody knows yet, in the writable mapping. */
static inline void integer_fill(struct entry_shared *entry, struct integer integer) {
    struct pair_shared *pair = (struct pair_shared *)(uintptr_t)integer_pair(entry);
    word_poke(&pair->words[0], integer.value);
    word_poke(&pair->words[1], integer.state & ~INTEGER_SEALED);
}

/* Changes a protected entry from just what was read; false: it is another now. */
static inline bool integer_change(const struct map *map, const struct entry_shared *entry, struct integer from,
                                  struct integer to) {
    const char *pair = (const char *)integer_pair(entry);
    const uint64_t expected[2] = {from.value, from.state}, desired[2] = {to.value, to.state};
    return pair_swap((struct pair_shared *)(void *)(map->writable + (pair - map->readonly)), expected, desired);
}

/* Seals a protected entry with just what was read; false: it is another now. */
static inline bool integer_seal(const struct map *map, const struct entry_shared *entry, struct integer as_read) {
    return integer_is_sealed(as_read) ||
           integer_change(map, entry, as_read, (struct integer){as_read.value, as_read.state | INTEGER_SEALED});
}

/* Seals a protected entry, whatever its value is by then. */
static inline void integer_force_seal(const struct map *map, const struct entry_shared *entry) {
    while (!integer_seal(map, entry, integer_read(entry))) {
    }
}

/* Whether a protected entry may be dropped to make room; then it is sealed, so that no count is told that goes with it.
 * False: it was counted lately. */
static inline bool integer_may_go(const struct map *map, const struct entry_shared *entry) {
    const uint64_t now = cache_now();
    for (;;) {
        const struct integer integer = integer_read(entry);
        if (integer_is_kept(integer, now)) {
            return false;
        }
        if (integer_seal(map, entry, integer)) {
            return true;
        }
    }
}

#endif
