/*
 * PHP's string hash (DJBX33A), vectorized. Every stored string carries its hash, and PHP's own function would be most of
 * the cost of a store.
 */
#ifndef LARDER_HASH_H
#define LARDER_HASH_H

#include "php.h"

/* The same result as zend_hash_func(). The 16 bytes before `bytes` must be readable, as the header of a zend_string is. */
zend_ulong hash_bytes(const char *bytes, size_t length);

/* The hash of a string, computed once. */
static zend_always_inline zend_ulong string_hash(zend_string *string) {
    if (UNEXPECTED(!ZSTR_H(string))) {
        ZSTR_H(string) = hash_bytes(ZSTR_VAL(string), ZSTR_LEN(string));
    }
    return ZSTR_H(string);
}

#endif
