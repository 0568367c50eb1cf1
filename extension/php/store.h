/* From a zval to an entry: what is plain is encoded in place, what is not is serialized first. */
#ifndef LARDER_STORE_H
#define LARDER_STORE_H

#include "php_larder.h"

/*
 * Stores a value under a key. False when it is refused, and then EG(exception) may be set. `expires` is
 * in milliseconds of cache_now(), 0 for never. `token`: NULL, or with CACHE_REPLACE the only entry that it replaces.
 */
bool store_value(struct cache *cache, const struct cache_key *key, zval *value, uint64_t expires,
                 enum cache_mode mode, const uint64_t *token);

#endif
