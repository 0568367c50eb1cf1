/*
 * From the caller's hash of a key to its two buckets and its tag.
 *
 * The caller's hash may be weak and known to an attacker. One multiplication mixes it with the segment's secret seed
 * and folds both halves (the "mum" of wyhash, Wang Yi, public domain), so keys that collide in one segment do not in
 * another. Keys with equal hashes can only displace each other.
 */
#ifndef LARDER_HASH_H
#define LARDER_HASH_H

#include "ref.h"

static inline uint64_t hash_mix(uint64_t hash, uint64_t seed) {
    const unsigned __int128 product = (unsigned __int128)(hash ^ (seed >> 32 | seed << 32)) * (seed | 1);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The slots in which a key may be. */
struct place {
    uint64_t hash; /* mixed */
    uint64_t tag;
    struct bucket_shared *first;  /* each may be ref_no_bucket, which must not be written to */
    struct bucket_shared *second; /* may be the first */
};

/* From a mixed hash, as entries store it. Each bucket number scales one half of the hash to the number of buckets,
 * which need not be a power of two. The tag is the middle of the hash, so at least half of it is independent of
 * either bucket. */
static inline uint32_t hash_first(const struct map *map, uint64_t hash) {
    return (uint32_t)((hash >> 32) * map->bucket_count >> 32);
}
static inline uint32_t hash_second(const struct map *map, uint64_t hash) {
    return (uint32_t)((hash & UINT32_MAX) * map->bucket_count >> 32);
}
static inline uint64_t hash_tag(uint64_t hash) {
    enum { TAG_FROM = (64 - TAG_BITS) / 2 };
    return hash << TAG_FROM >> (64 - TAG_BITS);
}
static inline struct place hash_place(const struct map *map, uint64_t hash) {
    return (struct place){
        .hash = hash,
        .tag = hash_tag(hash),
        .first = ref_bucket(map, hash_first(map, hash)),
        .second = ref_bucket(map, hash_second(map, hash)),
    };
}

/* Number of slots in which a key may be. */
static inline unsigned place_slots(const struct place *place) {
    return place->first == place->second ? BUCKET_SLOTS : 2 * BUCKET_SLOTS;
}

/* One of these slots: those of the first bucket, then those of the second. */
static inline shared_word *place_slot(const struct place *place, unsigned number) {
    return number < BUCKET_SLOTS ? &place->first->slots[number] : &place->second->slots[number - BUCKET_SLOTS];
}

#endif
