/* Why the last call that was to change something changed nothing, for larder_last_error(). */
#ifndef LARDER_REFUSAL_H
#define LARDER_REFUSAL_H

#include "php_larder.h"

/* The constants LARDER_ERROR_*; see the stub. */
enum refusal {
    REFUSAL_NONE,
    REFUSAL_SIZE,
    REFUSAL_ROOM,
    REFUSAL_TYPE,
    REFUSAL_RANGE,
    REFUSAL_AWAY,
};

/* A result other than CACHE_OK as one of these: NONE if nothing was refused, as when larder_add() finds a value. */
enum refusal refusal_of(enum cache_result result);

/* Notes how a call ended; whether it did what it was to do. */
static zend_always_inline bool is_done(enum cache_result result) {
    LARDER_G(refusal) = EXPECTED(result == CACHE_OK) ? REFUSAL_NONE : refusal_of(result);
    return EXPECTED(result == CACHE_OK);
}

/* How a call ends that has no cache: no fault if only nothing was stored yet, so that there is no segment. */
static zend_always_inline enum cache_result without_cache(void) {
    return LARDER_G(absent) ? CACHE_ABSENT : CACHE_UNAVAILABLE;
}

/* The last refusal in a sentence, and what to do; "" if there was none. `cache` may be NULL. */
zend_string *refusal_message(struct cache *cache);

#endif
