/*
 * Where the read-only mappings of this process lie, for signal handlers: cache_is_mapped() in cache.h asks. Any thread.
 */
#ifndef LARDER_MAPPINGS_H
#define LARDER_MAPPINGS_H

#include <stddef.h>

/* A read-only mapping was made; anything is about to be unmapped. */
void mappings_add(const void *address, size_t size);
void mappings_remove(const void *address);

#endif
