/*
 * Encoding: writes a value into its reserved span, in the shape of shape.h. Nothing here allocates, throws or runs
 * user code: none of these is allowed between cache_reserve() and cache_commit().
 */
#ifndef LARDER_ENCODE_H
#define LARDER_ENCODE_H

#include "php_larder.h"

/* Writes the record of a string, shape_of_string() bytes. If the record's memory is `cold`, the text bypasses the
 * processor's caches. A short source keeps the hash that is computed here. */
void encode_string(zend_string *record, zend_string *source, bool cold);

/* Writes the array that was measured into `plan`, plan->length bytes. It must not have changed since. */
void encode_array(const struct plan *plan, const struct cache_span *span);

#endif
