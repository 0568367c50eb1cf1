/* The places where this process maps segments read-only, for signal handlers; see cache_is_mapped(). Any thread. */
#ifndef LARDER_MAPPINGS_H
#define LARDER_MAPPINGS_H

#include <stddef.h>

/* mappings_add(): a read-only mapping was made. mappings_remove(): any mapping is about to be unmapped. */
void mappings_add(const void *address, size_t size);
void mappings_remove(const void *address);

#endif
