/*
 * For tests only (--enable-larder-unreadable): pages that a scan released cannot be read until the engine itself reads
 * there again, so that a pointer that the scan has missed faults at once.
 */
#ifndef LARDER_UNREADABLE_PAGES_H
#define LARDER_UNREADABLE_PAGES_H

#ifdef LARDER_UNREADABLE

#include <stddef.h>
#include <stdint.h>

/* Pages of `bytes` each, from number `first` on, which is mapped at `address`. */
struct page_range {
    const char *address;
    size_t bytes;
    uint32_t first, count;
};

/* A page, or run, that this process has just unpinned. */
void unreadable_pages_forbid(const struct page_range *pages);
/* A page, or run, that is about to be read. */
void unreadable_pages_allow(const struct page_range *pages);

#endif
#endif
