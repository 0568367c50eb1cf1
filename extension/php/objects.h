/*
 * Values that cannot be shared as they are, serialized: by igbinary if it is loaded, else as serialize() does.
 * Both run user code, so neither may be called between cache_reserve() and cache_commit().
 */
#ifndef LARDER_OBJECTS_H
#define LARDER_OBJECTS_H

#include "php_larder.h"

/*
 * The bytes of a value, and which kind they are: VALUE_PHP or VALUE_IGBINARY. NULL, with an exception, for what
 * cannot be serialized: closures, generators, resources, and what user code refused.
 */
zend_string *objects_serialize(zval *value, uint32_t *kind);

/*
 * The value of bytes that objects_serialize() made. False if it is not to be had: with an exception of user code,
 * or with a warning, when igbinary made them and is not loaded here or when PHP cannot read them.
 */
bool objects_unserialize(zend_string *bytes, uint32_t kind, zval *result);

/* Whether objects stored from here are serialized by igbinary. */
bool objects_use_igbinary(void);

#endif
