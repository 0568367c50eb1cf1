/*
 * Copying: makes ordinary values, counted and PHP's own, from bytes that are private scratch. Used when
 * larder.zero_copy is off and when readers hold as many pages as they may.
 */
#ifndef LARDER_COPY_H
#define LARDER_COPY_H

#include "php_larder.h"

/* An ordinary string from a string's record. */
zend_string *copy_string(const zend_string *record);

/*
 * Makes an ordinary array of a value of kind VALUE_ARRAY. Writes into the scratch, so it can be done once.
 * Does not recurse. May leave by longjmp when memory_limit is reached; PHP then frees what was made.
 */
void copy_array(const struct cache_value *value, zval *result);

#endif
