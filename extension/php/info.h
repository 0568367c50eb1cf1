/* What the cache holds and did, for larder_info() and phpinfo(). */
#ifndef LARDER_INFO_H
#define LARDER_INFO_H

#include "php_larder.h"

/* Fills `result` with the array that the stub of larder_info() describes. `cache` may be NULL. */
void info_array(struct cache *cache, bool tables, zval *result);

/* The same for larder_key_info(). */
void info_of_entry(const struct cache_entry *entry, zval *result);

/* The table of phpinfo(). */
void info_page(struct cache *cache);

#endif
