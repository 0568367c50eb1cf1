/*
 * Where the read-only views of this process lie, for signal handlers: cache_shows() in cache.h asks. Any thread.
 */
#ifndef LARDER_VIEWS_H
#define LARDER_VIEWS_H

#include <stddef.h>

/* A view was mapped; anything is about to be unmapped. */
void views_add(const void *address, size_t size);
void views_remove(const void *address);

#endif
