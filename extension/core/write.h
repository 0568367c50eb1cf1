#ifndef LARDER_WRITE_H
#define LARDER_WRITE_H

#include "index.h"

/* Counts a refusal and returns `result`. A refused set removes the key's old value, which would be outdated. All
 * other refused changes leave it. */
enum cache_result write_refused(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, enum counter counter, enum cache_result result);

/* cache_reserve_fresh() with a record. */
enum cache_result write_reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                size_t length, uint64_t freshness, enum cache_mode mode, struct cache_span *span);

/* Completes the header of the reserved entry, after its value was written. May be repeated until the entry is
 * published. */
void write_seal(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires);

/* As write_publish(), but does not count as a store. */
enum cache_result write_put(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                            enum cache_mode mode, const uint64_t *token);

/* Publishes the sealed entry if the mode allows it. With a token, only over the token's entry (with CACHE_REPLACE).
 * Otherwise the entry is abandoned. */
enum cache_result write_publish(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, const uint64_t *token);

#endif
