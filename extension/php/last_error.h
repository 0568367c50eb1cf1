/* The reason why the last call that should have changed something did not: larder_last_error(). */
#ifndef LARDER_LAST_ERROR_H
#define LARDER_LAST_ERROR_H

#include "php_larder.h"

/* The constants LARDER_ERROR_*; see the stub. */
enum error {
    ERROR_NONE,
    ERROR_SIZE,
    ERROR_ROOM,
    ERROR_TYPE,
    ERROR_RANGE,
    ERROR_UNAVAILABLE,
};

/* In place of the length of a refused value: the value has more levels than can be unserialized. */
#define REFUSED_TOO_DEEP SIZE_MAX

/* The error of a result; ERROR_NONE if nothing was refused, as when larder_add() finds a value. */
enum error error_of(enum cache_result result);

/* Notes how a call ended. True if it succeeded. */
static zend_always_inline bool is_done(enum cache_result result) {
    LARDER_G(last_error) = EXPECTED(result == CACHE_OK) ? ERROR_NONE : error_of(result);
    LARDER_G(apcu_failed) = false;
    return EXPECTED(result == CACHE_OK);
}

/* The result of a call without a cache: no error if there is only no segment yet. */
static zend_always_inline enum cache_result without_cache(void) {
    return LARDER_G(own).absent ? CACHE_ABSENT : CACHE_UNAVAILABLE;
}

/* Says what the last error was and what to do; "" if there was none. `client` made the call. */
zend_string *last_error_message(const struct client *client);

#endif
