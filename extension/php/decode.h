/*
 * Turns a stored value into a zval: by pointing to it in the read-only mapping, or by copying it out (with
 * larder.zero_copy=0, or if readers hold as many pages as they may).
 */
#ifndef LARDER_DECODE_H
#define LARDER_DECODE_H

#include "shape.h"

/* The part of decode_value() that is not inline. */
bool decode_value_slowly(const struct cache_value *value, zval *result);

/*
 * Decodes `value` into `result`. False: it cannot be read, which counts as a miss, and `result` is undefined; only
 * exit() leaves an exception. May leave by longjmp when memory_limit is reached.
 */
static zend_always_inline bool decode_value(const struct cache_value *value, zval *result) {
    if (EXPECTED(value->hold == CACHE_PINNED)) {
        if (EXPECTED(value->kind == VALUE_STRING)) {
            shape_point(result, (void *)value->bytes, IS_STRING);
            return true;
        }
        if (EXPECTED(value->kind == VALUE_ARRAY)) {
            shape_point(result, (void *)value->bytes, IS_ARRAY);
            return true;
        }
    }
    return decode_value_slowly(value, result);
}

#endif
