/*
 * Bits for the buckets of the index that have words, so that a walk of a cache with few entries does not read the
 * whole index.
 *
 * A set bit may be wrong: its bucket may be empty. A clear bit is right for every word that was committed before the
 * bit was read. A process that puts a word marks its bucket before it commits the word, and marking raises the
 * version beside the bits. A process that finds a marked bucket empty clears the bit by one swap of the word of bits
 * that it had read before it looked. If its look missed an index word, that word was put later. Then the word's
 * marking raises the version and fails the swap, or it comes after the swap and sets the bit again. So a process may
 * be stopped or killed between any two of these steps. (This fails after exactly 2^32 markings of these 32 buckets,
 * or a multiple of that, between reading and swapping.)
 *
 * A damaged word can hide the entries of its buckets from walks until each bucket gets another key. It does not hide
 * them from look-ups.
 */
#ifndef LARDER_OCCUPIED_H
#define LARDER_OCCUPIED_H

#include "ref.h"

#define OCCUPIED_VERSION (UINT64_C(1) << OCCUPIED_BUCKETS)

static inline uint32_t occupied_words(uint64_t buckets) {
    return (uint32_t)((buckets + OCCUPIED_BUCKETS - 1) / OCCUPIED_BUCKETS);
}

static inline shared_word *occupied_word(const struct map *map, uint32_t bucket) {
    return &map->occupied[bucket / OCCUPIED_BUCKETS];
}

static inline uint64_t occupied_bit(uint32_t bucket) {
    return UINT64_C(1) << bucket % OCCUPIED_BUCKETS;
}

/* Called after a word was put and before it is committed; even if the bit is set, for the version. */
static inline void occupied_mark(const struct map *map, uint32_t bucket) {
    shared_word *word = occupied_word(map, bucket);
    uint64_t known = word_peek(word);
    while (!word_swap(word, &known, (known + OCCUPIED_VERSION) | occupied_bit(bucket))) {
    }
}

/* Takes the next marked bucket, in order. `*bits` are the bits of the word before `*word` that were not taken yet;
 * at first both are 0. False: there is none, or the last word is damaged. */
static inline bool occupied_take(const struct map *map, uint32_t *word, uint32_t *bits, uint32_t *bucket) {
    const uint32_t words = occupied_words(map->bucket_count);
    while (*bits == 0 && *word < words) {
        *bits = (uint32_t)word_load(&map->occupied[(*word)++]);
    }
    if (*bits == 0) {
        return false;
    }
    *bucket = (*word - 1) * OCCUPIED_BUCKETS + (uint32_t)__builtin_ctz(*bits);
    *bits &= *bits - 1;
    return *bucket < map->bucket_count;
}

/* Called after all slots of the bucket were found empty. `known` is the word of bits, loaded before the slots were
 * looked at. One try. */
static inline void occupied_forget(const struct map *map, uint32_t bucket, uint64_t known) {
    word_swap(occupied_word(map, bucket), &known, known & ~occupied_bit(bucket));
}

#endif
