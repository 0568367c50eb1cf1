/* Unreadable memory around the mappings of a segment; see guards.c. */
#ifndef LARDER_GUARDS_H
#define LARDER_GUARDS_H

#include "ref.h"

enum { GUARD_BYTES = 1 << 20 };

void *__wrap_os_map_writable(int description, size_t size);
void *__wrap_os_map_readonly(int description, size_t size, uintptr_t address);

/* Makes the bytes behind the last page unreadable, too, up to the next 4 KiB. */
void guards_tighten(const struct map *map);

#endif
