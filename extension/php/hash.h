/*
 * The hash that PHP gives its strings (DJBX33A), computed many bytes at a time. Every string in the segment
 * carries its hash, and computing it as PHP does would be most of the cost of a store.
 */
#ifndef LARDER_HASH_H
#define LARDER_HASH_H

#include "php.h"

/*
 * The same number as zend_hash_func(), for any bytes. The 16 bytes before them must be readable, whatever they
 * are: in a zend_string they belong to its header.
 */
zend_ulong hash_bytes(const char *bytes, size_t length);

/* The hash of a string, which it remembers. */
static zend_always_inline zend_ulong string_hash(zend_string *string) {
    if (UNEXPECTED(!ZSTR_H(string))) {
        ZSTR_H(string) = hash_bytes(ZSTR_VAL(string), ZSTR_LEN(string));
    }
    return ZSTR_H(string);
}

#endif
