/*
 * From the bytes of a value to a zval: by pointing to them where they lie in the read-only view, else by copying.
 */
#ifndef LARDER_VIEW_H
#define LARDER_VIEW_H

#include "shape.h"

/* All that view_value() does not do in place. */
bool view_value_slowly(const struct cache_value *value, zval *result);

/*
 * Makes `result` the value that was found. False if it cannot be read, which is a miss; an exception is left only by
 * exit(). What `result` is then means nothing.
 */
static zend_always_inline bool view_value(const struct cache_value *value, zval *result) {
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
    return view_value_slowly(value, result);
}

#endif
