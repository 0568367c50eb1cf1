/*
 * From the caller's hash of a key to its two buckets and its tag.
 *
 * The caller's hash may be weak and known to an attacker. It is mixed with the segment's secret seed by
 * the finalizer of MurmurHash3 (Austin Appleby, public domain), so keys that share a bucket in one
 * segment do not in another. Keys with equal hashes share everything, and can only push out each other.
 */
#ifndef LARDER_HASH_H
#define LARDER_HASH_H

#include "ref.h"

static inline uint64_t hash_mix(uint64_t hash, uint64_t seed) {
    hash ^= seed;
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ (hash >> 33);
}

/* Where a key may stand. */
struct place {
    uint64_t hash; /* mixed */
    uint64_t tag;
    struct bucket_shared *first;
    struct bucket_shared *second; /* may be the first */
};

/* From a mixed hash, which entries keep. Both bucket numbers scale 32 bits of it to the count of buckets,
 * which need be no power of two. */
static inline struct place hash_place(const struct map *map, uint64_t hash) {
    const uint64_t again = hash * UINT64_C(0x9e3779b97f4a7c15);
    return (struct place){
        .hash = hash,
        .tag = hash & ((UINT64_C(1) << TAG_BITS) - 1),
        .first = map->buckets + ((hash >> 32) * map->bucket_count >> 32),
        .second = map->buckets + ((again >> 32) * map->bucket_count >> 32),
    };
}

#endif
