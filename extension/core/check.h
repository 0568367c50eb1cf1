/*
 * The segment checker: walks every table and compares it with every other. For tests and tools; meant for
 * a segment that nobody is writing to at the moment, on which it must find nothing wrong, whatever was
 * killed before.
 */
#ifndef LARDER_CHECK_H
#define LARDER_CHECK_H

#include <stdio.h>

#include "cache.h"

/* Writes each fault as a line to `out` (may be NULL) and returns how many there are. */
size_t cache_check(struct cache *cache, FILE *out);

/*
 * What would be left if everything dead were swept: takes back every page that no index word names and
 * nobody holds. Afterwards an empty cache uses no page. Returns the pages that are not free.
 */
size_t cache_sweep(struct cache *cache);

#endif
