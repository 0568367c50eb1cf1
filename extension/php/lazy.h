/* Lazy objects, which PHP has since 8.4. */
#ifndef LARDER_LAZY_H
#define LARDER_LAZY_H

#include "php.h"
#if PHP_VERSION_ID >= 80400
#include "zend_lazy_objects.h"
#endif

static inline bool object_is_lazy(zend_object *object) {
#if PHP_VERSION_ID >= 80400
    return zend_object_is_lazy(object);
#else
    (void)object;
    return false;
#endif
}

#endif
