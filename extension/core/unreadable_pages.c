#include "unreadable_pages.h"

#ifdef LARDER_UNREADABLE

#include <sys/mman.h>

#include "layout.h"

/* For one segment and thread: the tests have no more. */
static bool forbidden[PAGES_MAX];

static void protect(const struct page_range *pages, uint32_t i, int protection) {
    mprotect((char *)(uintptr_t)pages->address + i * pages->bytes, pages->bytes, protection);
    forbidden[pages->first + i] = protection == PROT_NONE;
}

void unreadable_pages_forbid(const struct page_range *pages) {
    for (uint32_t i = 0; i < pages->count; i++) {
        protect(pages, i, PROT_NONE);
    }
}

void unreadable_pages_allow(const struct page_range *pages) {
    for (uint32_t i = 0; i < pages->count; i++) {
        if (forbidden[pages->first + i]) {
            protect(pages, i, PROT_READ);
        }
    }
}

#endif
