/*
 * PHP's string hash (DJBX33A), vectorized. Every stored string carries its hash; with PHP's own function, hashing
 * would be most of the cost of a store.
 */
#ifndef LARDER_HASH_H
#define LARDER_HASH_H

#include "php.h"

/* Same result as zend_hash_func(). The 16 bytes before `bytes` must be readable, as the header of a zend_string is. */
zend_ulong hash_bytes(const char *bytes, size_t length);

/* The hash of a string, computed once. */
static zend_always_inline zend_ulong string_hash(zend_string *string) {
    if (UNEXPECTED(!ZSTR_H(string))) {
        ZSTR_H(string) = hash_bytes(ZSTR_VAL(string), ZSTR_LEN(string));
    }
    return ZSTR_H(string);
}

/*
 * The hash of two concatenated strings, from the hash of each and the length of the second. The hash is a polynomial
 * in 33 that begins with 5381. PHP sets its highest bit, which does not affect the others.
 */
static zend_always_inline zend_ulong hash_joined(zend_ulong first, zend_ulong second, size_t length) {
    zend_ulong power = 1;
    for (zend_ulong square = 33; length; length >>= 1, square *= square) {
        power *= length & 1 ? square : 1;
    }
    return ((first - 5381) * power + second) | (zend_ulong)1 << 63;
}

#endif
