/* The class LarderIterator: a walk over the keys of the cache. */
#ifndef LARDER_ITERATOR_H
#define LARDER_ITERATOR_H

#include "php_larder.h"

/* Once the class is registered. */
void iterator_register(zend_class_entry *class);

#endif
