/* Why the last call that was to change something did not: larder_last_error(). */
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

/* In place of the length of a refused value: it has too many levels to be unserialized. */
#define REFUSED_TOO_DEEP SIZE_MAX

/* The error of a result; ERROR_NONE if nothing was refused, as when larder_add() finds a value. */
enum error error_of(enum cache_result result);

/* Notes how a call ended; whether it succeeded. */
static zend_always_inline bool is_done(enum cache_result result) {
    LARDER_G(last_error) = EXPECTED(result == CACHE_OK) ? ERROR_NONE : error_of(result);
    LARDER_G(apcu_failed) = false;
    return EXPECTED(result == CACHE_OK);
}

/* The result of a call without a cache: no error if there is only no segment yet. */
static zend_always_inline enum cache_result without_cache(void) {
    return LARDER_G(own).absent ? CACHE_ABSENT : CACHE_UNAVAILABLE;
}

/* What the last error was and what to do; "" if there was none. `client` is whose call it was. */
zend_string *last_error_message(const struct client *client);

#endif
