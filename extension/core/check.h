/* Checks every table against every other. For tests and tools, on a segment that no process writes to. It must find
 * nothing wrong, whatever was killed before. */
#ifndef LARDER_CHECK_H
#define LARDER_CHECK_H

#include <stdio.h>

#include "cache.h"

/* Writes each fault as a line to `out` (may be NULL). Returns the number of faults. */
size_t cache_check(struct cache *cache, FILE *out);

/* Reclaims every page that no index word names and no process holds. An empty cache uses no page afterwards. Returns
 * the number of pages that are not free. */
size_t cache_sweep(struct cache *cache);

#endif
