/*
 * With larder.compact=auto, a full cache stores arrays in the dense form, and gives those that are fetched often PHP's
 * own form: one in so many fetches of a dense array does. So what is fetched a thousand times gets it soon, and what is
 * fetched once seldom takes the memory of ten others. No entry counts its fetches for that.
 */
#ifndef LARDER_PROMOTE_H
#define LARDER_PROMOTE_H

#include "php_larder.h"

/* At random, stores the array that was just decoded from the key's dense entry in PHP's own form, with the lifetime, the
 * cost and the age of the entry. Evicts nothing, does not wait, and runs no user code; what another process has stored
 * since stays. */
void promote(struct cache *cache, const struct cache_key *key, const struct cache_value *found, HashTable *array);

#endif
