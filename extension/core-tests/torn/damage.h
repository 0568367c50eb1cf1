/*
 * Damages a mapped segment at random, and uses it. Whatever is damaged, except the bytes of values, nothing may
 * crash, hang or read outside the mappings. Only misses and refusals are allowed.
 */
#ifndef LARDER_DAMAGE_H
#define LARDER_DAMAGE_H

#include "fixture.h"

/* A reproducible sequence: xorshift64* (Marsaglia 2003, Vigna 2016). */
struct sequence {
    uint64_t state; /* not 0 */
};
uint64_t draw(struct sequence *sequence, uint64_t below);

/* Changes up to sixteen words or bits of one table, of headers of entries, or of their keys. */
void damage(const struct map *map, struct sequence *sequence);

/* Calls every function of cache.h in random order, and reads every byte of the values found. Afterwards the cache
 * may be another one (attached again), or NULL. */
void use(struct cache **cache, struct sequence *sequence, unsigned calls);

/* One batch: a fresh segment is filled, then damaged and used in turns. Runs in a separate process. */
void damage_batch(uint64_t seed, unsigned rounds);

#endif
