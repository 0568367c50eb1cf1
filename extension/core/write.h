/* What storing and counting share. */
#ifndef LARDER_WRITE_H
#define LARDER_WRITE_H

#include "index.h"

/* Counts a refusal. A refused store leaves no stale value behind; a refused add, replace or other change leaves
 * the old one. Returns `result`. */
enum cache_result write_refused(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, enum counter counter, enum cache_result result);

/* cache_reserve() for whoever has entered already. */
enum cache_result write_reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                size_t length, enum cache_mode mode, struct cache_span *span);

/* Makes a whole entry of what was reserved and written; may be done again as long as it is not published. */
void write_seal(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires);

/* Publishes the sealed pending entry if the mode allows, and over the entry of the token unless that is NULL (with it the
 * mode is CACHE_REPLACE). Else it is given up. */
enum cache_result write_publish(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, const uint64_t *token);

#endif
