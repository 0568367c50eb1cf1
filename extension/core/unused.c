#include "unused.h"

#ifdef LARDER_UNREADABLE

#include <sys/mman.h>

#include "os.h"

/* Of one segment and thread: the tests have no more. */
static uint64_t forbidden[PAGES_MAX / 64];

static void protect(const struct map *map, uint32_t page, int protection) {
    const size_t offset = (size_t)(map->first_page + page) * page_bytes(map);
    mprotect((char *)(uintptr_t)map->readonly + offset, page_bytes(map), protection);
}

void unused_forbid(const struct map *map, uint32_t page, uint32_t pages) {
    for (uint32_t i = page; i < page + pages; i++) {
        protect(map, i, PROT_NONE);
        forbidden[i >> 6] |= UINT64_C(1) << (i & 63);
    }
}

void unused_allow(const struct map *map, uint64_t location) {
    const uint32_t first = ref_page(map, location);
    if (first >= map->page_count) {
        return;
    }
    const uint64_t run = word_peek(&map->pages[first].extent) & UINT32_MAX;
    for (uint32_t i = first; i < map->page_count && (i == first || i - first < run); i++) {
        if (forbidden[i >> 6] >> (i & 63) & 1) {
            protect(map, i, PROT_READ);
            forbidden[i >> 6] &= ~(UINT64_C(1) << (i & 63));
        }
    }
}

#endif
