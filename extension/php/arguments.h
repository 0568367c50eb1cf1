/*
 * Copies of fetched values for code that would write into them.
 *
 * PHP treats a fetched value like a literal of compiled code: an interned string or an immutable array, in memory
 * that no code may write. A few internal functions convert arrays in place that they got by value, or count
 * references to strings without checking their flags; arguments.c lists them. Each gets a handler that copies such
 * arguments first. Other functions are not slowed.
 */
#ifndef LARDER_ARGUMENTS_H
#define LARDER_ARGUMENTS_H

#include "php.h"

/* True if a string lives only as long as the request (interned, but not permanent), as fetched strings do. */
static zend_always_inline bool is_borrowed(const zend_string *string) {
    return ZSTR_IS_INTERNED(string) && !(GC_FLAGS(string) & IS_STR_PERMANENT);
}

/* A reference-counted copy. */
static inline zend_string *copy_borrowed(const zend_string *string) {
    zend_string *copy = zend_string_init(ZSTR_VAL(string), ZSTR_LEN(string), false);
    ZSTR_H(copy) = ZSTR_H(string);
    return copy;
}

/* Called once in a process, when all modules are loaded. Functions of modules that a script loads by dl() are not
 * covered. */
void arguments_register(void);

#endif
