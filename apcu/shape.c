#include "shape.h"

zend_array *shape_new(const char *const *keys, size_t count) {
    zend_array *shape = pemalloc(sizeof(*shape), true);
    zval zero;
    ZVAL_LONG(&zero, 0);
    zend_hash_init(shape, (uint32_t)count, NULL, NULL, true);
    for (size_t i = 0; i < count; i++) {
        zend_hash_add_new(shape, zend_string_init_interned(keys[i], strlen(keys[i]), true), &zero);
    }
    return shape;
}

void shape_free(zend_array *shape) {
    zend_hash_destroy(shape);
    pefree(shape, true);
}
