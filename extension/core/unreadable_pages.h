/*
 * For tests only (--enable-larder-unreadable). Pages that a scan released cannot be read until the engine itself
 * reads there again. So a pointer that the scan missed faults at once.
 */
#ifndef LARDER_UNREADABLE_PAGES_H
#define LARDER_UNREADABLE_PAGES_H

#ifdef LARDER_UNREADABLE

#include <stddef.h>
#include <stdint.h>

/* `count` pages of `bytes` each; page `first` is mapped at `address`. */
struct page_range {
    const char *address;
    size_t bytes;
    uint32_t first, count;
};

/* Called for a page, or run, that this process has just unpinned. */
void unreadable_pages_forbid(const struct page_range *pages);
/* Called for a page, or run, that is about to be read. */
void unreadable_pages_allow(const struct page_range *pages);

#endif
#endif
