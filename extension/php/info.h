/* The state and counters of the cache: larder_info() and phpinfo(). `cache` may be NULL. */
#ifndef LARDER_INFO_H
#define LARDER_INFO_H

#include "php_larder.h"

void info_array(struct cache *cache, bool tables, zval *result);

/* Fills the array of larder_key_info(). */
void info_of_entry(const struct cache_entry *entry, zval *result);

void info_page(struct cache *cache);

#endif
