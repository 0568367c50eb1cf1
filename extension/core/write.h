/* What storing and counting share. */
#ifndef LARDER_WRITE_H
#define LARDER_WRITE_H

#include "process.h"

/* Counts a refusal. A refused store leaves no stale value behind; a refused add, replace or other change leaves
 * the old one. Returns `result`. */
enum cache_result write_refused(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, enum counter counter, enum cache_result result);

/* cache_reserve() for whoever has entered already. */
enum cache_result write_reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                size_t length, enum cache_mode mode, struct cache_span *span);

#endif
