/*
 * What PHP must not be handed as it was fetched.
 *
 * A fetched value is what a literal of compiled code is: an interned string, an immutable array, in memory that nobody
 * may write. Nearly everything in PHP leaves those alone. The exceptions get copies: file names on their way to opcache
 * (here), and the arguments of the functions that writers.h lists (arguments.c).
 */
#ifndef LARDER_HANDOFF_H
#define LARDER_HANDOFF_H

#include "php.h"

/*
 * Whether a string is of somebody who lends it for this request only, such as this cache: it is interned, so no
 * reference to it is counted, but not permanent.
 */
static zend_always_inline bool handoff_is_lent(const zend_string *string) {
    return ZSTR_IS_INTERNED(string) && !(GC_FLAGS(string) & IS_STR_PERMANENT);
}

/* A counted copy. */
static inline zend_string *handoff_copy(const zend_string *string) {
    zend_string *copy = zend_string_init(ZSTR_VAL(string), ZSTR_LEN(string), false);
    ZSTR_H(copy) = ZSTR_H(string);
    return copy;
}

/*
 * At the start of each request: the first one puts the hooks in their places, when opcache and all others have put
 * theirs, and so comes before them in every call. Later ones cost a comparison.
 */
void handoff_request_begin(void);

/* At the end of the module. */
void handoff_unregister(void);

#endif
