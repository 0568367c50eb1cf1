/* Stores a zval: plain values are encoded in place, others are serialized first. */
#ifndef LARDER_STORE_H
#define LARDER_STORE_H

#include "php_larder.h"

/*
 * Stores a value. False: it is refused, perhaps with an exception. `expires`: cache_now() milliseconds, 0 for never.
 * `token`: NULL, or with CACHE_REPLACE the only entry that may be replaced.
 */
bool store_value(struct cache *cache, const struct cache_key *key, zval *value, uint64_t expires,
                 enum cache_mode mode, const uint64_t *token);

#endif
