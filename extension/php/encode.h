/*
 * Encoding: writes a value into the span that was reserved for it, in the shape of shape.h. Nothing here
 * allocates, throws or runs user code, because a span is announced meanwhile.
 */
#ifndef LARDER_ENCODE_H
#define LARDER_ENCODE_H

#include "php_larder.h"

/*
 * Writes a string's record at `record`, padded with zeros; shape_of_string() says how long it is. A short
 * source remembers its hash from then on, as PHP's strings do.
 */
void encode_string(zend_string *record, zend_string *source);

/* Writes the array that was measured into `plan`: plan->length bytes. Its source must not have changed since. */
void encode_array(const struct plan *plan, const struct cache_span *span);

#endif
