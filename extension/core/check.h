/* The checker: compares every table with every other. For tests and tools, on a segment that nobody writes to; it must
 * find nothing wrong, whatever was killed before. */
#ifndef LARDER_CHECK_H
#define LARDER_CHECK_H

#include <stdio.h>

#include "cache.h"

/* Writes each fault as a line to `out` (may be NULL); returns their number. */
size_t cache_check(struct cache *cache, FILE *out);

/* Reclaims every page that no index word names and nobody holds, after which an empty cache uses none. Returns the
 * pages that are not free. */
size_t cache_sweep(struct cache *cache);

#endif
