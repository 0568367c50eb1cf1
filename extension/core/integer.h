/*
 * The value of an integer entry: two words that change together.
 *
 *   value 64     state 64: sealed 1 | time of the last count 63, milliseconds; 0 never
 *
 * A count changes both words by one pair_swap(), wherever the entry lies, without a lock. A process that is to move
 * the entry, store over exactly this value, or drop it as unused, seals it first. From then on it is immutable like
 * any entry, and a value that was read stays right while an index word names the entry. A process that is to change
 * a sealed integer does not wait for the sealer, which may be stopped or dead. It puts a new entry with the changed
 * value in its place. The index word is swapped only once, so one of the two processes fails.
 *
 * A count may go into an entry whose word was just replaced or removed. It counts as done before that: the process
 * found the word earlier, and has had the entry announced or pinned since.
 */
#ifndef LARDER_INTEGER_H
#define LARDER_INTEGER_H

#include "cache.h"
#include "ref.h"

/* A counter in use: it was counted within this time, so it is not evicted. */
enum { INTEGER_KEPT_MS = 60 * 1000 };

struct integer {
    uint64_t value, state;
};

static inline bool entry_is_integer(const struct entry_shared *entry) {
    return where_kind(entry->where) == CACHE_INTEGER && entry_value_units(entry) == INTEGER_UNITS;
}

/* The two words of an integer, for reading. */
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

/* Fills an unpublished entry. */
static inline void integer_fill(struct entry_shared *entry, struct integer integer) {
    struct pair_shared *pair = (struct pair_shared *)(uintptr_t)integer_pair(entry);
    word_poke(&pair->words[0], integer.value);
    word_poke(&pair->words[1], integer.state & ~INTEGER_SEALED);
}

/* Changes a protected integer if it is still as read. */
static inline bool integer_change(const struct map *map, const struct entry_shared *entry, struct integer from,
                                  struct integer to) {
    const char *pair = (const char *)integer_pair(entry);
    const uint64_t expected[2] = {from.value, from.state}, desired[2] = {to.value, to.state};
    return pair_swap((struct pair_shared *)(void *)(map->writable + (pair - map->readonly)), expected, desired);
}

/* Seals a protected integer if it is still as read. */
static inline bool integer_seal(const struct map *map, const struct entry_shared *entry, struct integer as_read) {
    return integer_is_sealed(as_read) ||
           integer_change(map, entry, as_read, (struct integer){as_read.value, as_read.state | INTEGER_SEALED});
}

/* Seals a protected integer, whatever its value is. */
static inline void integer_force_seal(const struct map *map, const struct entry_shared *entry) {
    while (!integer_seal(map, entry, integer_read(entry))) {
    }
}

/* True if a protected integer may be evicted. Then it is sealed, so that no count is lost with it unnoticed. False:
 * a counter in use. */
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
