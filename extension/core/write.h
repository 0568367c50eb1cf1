#ifndef LARDER_WRITE_H
#define LARDER_WRITE_H

#include "index.h"

/* Counts a refusal and returns `result`. A refused set removes the key's old value, so that it does not get stale; all
 * other changes leave it. */
enum cache_result write_refused(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, enum counter counter, enum cache_result result);

/* cache_reserve_fresh() with a record. */
enum cache_result write_reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                size_t length, uint64_t freshness, enum cache_mode mode, struct cache_span *span);

/* Completes the reserved and written entry; may be repeated until it is published. */
void write_seal(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires);

/* write_publish() of what does not count as a store. */
enum cache_result write_put(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                            enum cache_mode mode, const uint64_t *token);

/* Publishes the sealed entry if the mode allows and, unless `token` is NULL, over its entry only (with CACHE_REPLACE).
 * Else it is abandoned. */
enum cache_result write_publish(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, const uint64_t *token);

#endif
