/*
 * Arrays with fixed keys, which describe entries. Each is a copy of an array that has the keys, its shape: adding
 * the keys for each entry would be most of the cost.
 */
#ifndef LARDER_APCU_SHAPE_H
#define LARDER_APCU_SHAPE_H

#include "php.h"

/* Creates a shape with these keys in this order, each with the value 0. Called at module start; all threads may copy
 * it. */
zend_array *shape_new(const char *const *keys, size_t count);
void shape_free(zend_array *shape);

/* Copies a shape to `array`. Returns its first element; the others follow. */
static zend_always_inline Bucket *shape_copy(zend_array *shape, zval *array) {
    ZVAL_ARR(array, zend_array_dup(shape));
    return Z_ARRVAL_P(array)->arData;
}

#endif
