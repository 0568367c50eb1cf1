/*
 * Arrays of fixed keys, which describe entries. Each is a copy of one that has the keys, its shape: adding them for each
 * entry would be most of the cost.
 */
#ifndef LARDER_APCU_SHAPE_H
#define LARDER_APCU_SHAPE_H

#include "php.h"

/* At module start: a shape with these keys in this order, each with 0. All threads may copy it. */
zend_array *shape_new(const char *const *keys, size_t count);
void shape_free(zend_array *shape);

/* Copies a shape to `array`. Its first element is returned; the others follow. */
static zend_always_inline Bucket *shape_copy(zend_array *shape, zval *array) {
    ZVAL_ARR(array, zend_array_dup(shape));
    return Z_ARRVAL_P(array)->arData;
}

#endif
