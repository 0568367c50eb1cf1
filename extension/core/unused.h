/*
 * For tests only (--enable-larder-unreadable): pages that a scan released cannot be read until the engine itself reads
 * there again, so that a pointer that the scan has missed faults at once.
 */
#ifndef LARDER_UNUSED_H
#define LARDER_UNUSED_H

#ifdef LARDER_UNREADABLE

#include "ref.h"

/* A page, or run, that this process has just unpinned. */
void unused_forbid(const struct map *map, uint32_t page, uint32_t pages);
/* The page or run of a location, which is about to be read. */
void unused_allow(const struct map *map, uint64_t location);

#endif
#endif
