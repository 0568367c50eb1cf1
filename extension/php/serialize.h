/*
 * Values that cannot be shared as they are, serialized: by igbinary if it is loaded, else as serialize() does.
 * Both run user code, so this may not be called between cache_reserve() and cache_commit().
 */
#ifndef LARDER_SERIALIZE_H
#define LARDER_SERIALIZE_H

#include "php_larder.h"

/*
 * The bytes of a value, and which kind they are: VALUE_PHP or VALUE_IGBINARY. NULL, with an exception, for what
 * cannot be serialized: closures, generators, resources, and what user code refused. NULL without an exception for what
 * is seen beforehand to become longer than `most` bytes; not seen is what is in objects whose own code (__serialize,
 * __sleep, Serializable) says what is serialized of them.
 */
zend_string *serialize_value(zval *value, size_t most, uint32_t *kind);

/* Whether objects stored from here are serialized by igbinary. */
bool serialize_uses_igbinary(void);

/* A function of igbinary's; NULL: it is not loaded. */
zend_function *igbinary_function(const char *name, size_t length);

#endif
