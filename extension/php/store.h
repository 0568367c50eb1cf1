/* Stores a zval: plain values are encoded in place, others are serialized first. */
#ifndef LARDER_STORE_H
#define LARDER_STORE_H

#include "php_larder.h"

struct lifetime {
    uint64_t expires;   /* the value is kept until then, milliseconds of cache_now(); 0: forever */
    uint64_t freshness; /* cache_freshness(), or 0 */
};

/*
 * Stores a value. False: it is refused, perhaps with an exception. `token`: NULL; or, with CACHE_REPLACE, the only
 * entry that may be replaced.
 */
bool store_value(struct cache *cache, const struct cache_key *key, zval *value, const struct lifetime *lifetime,
                 enum cache_mode mode, const uint64_t *token);

#endif
