/* What the cache holds and did, for larder_info() and phpinfo(). */
#ifndef LARDER_INFO_H
#define LARDER_INFO_H

#include "php_larder.h"

/* Fills `result` with the array that the stub of larder_info() describes. `cache` may be NULL. */
void info_array(struct cache *cache, zval *result);

/* The table of phpinfo(). */
void info_page(struct cache *cache);

#endif
