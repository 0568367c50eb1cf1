/* The classes whose objects a fetch may create: larder.classes. */
#ifndef LARDER_CLASSES_H
#define LARDER_CLASSES_H

#include "php_larder.h"

/* True unless all classes are allowed, which only "*" means. An empty setting allows none: PHP's scanner turns the
 * word `none` into it. */
static zend_always_inline bool classes_are_limited(void) {
    return UNEXPECTED(strcmp(LARDER_G(classes), "*") != 0);
}

/* Names are compared without regard to case; parents and children of an allowed class are not allowed. */
bool class_is_listed(const zend_string *name);

static zend_always_inline bool class_is_allowed(const zend_string *name) {
    return EXPECTED(!classes_are_limited()) || class_is_listed(name);
}

/* The same as options for unserialize(): an array, which the caller releases. */
void classes_as_options(zval *options);

#endif
