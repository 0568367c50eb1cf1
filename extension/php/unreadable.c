#include "php_larder.h"

#ifdef LARDER_UNREADABLE

#include "unreadable.h"

#include <sys/mman.h>

#ifdef ZTS
#error "All threads share the mapping: build this without ZTS"
#endif

enum { MAPPINGS = 3 }; /* one for each client: the module's own, the module apcu's, that of sessions */

static struct {
    void *start;
    size_t size; /* 0: the mapping is readable */
} mappings[MAPPINGS];

void unreadable_forbid(struct cache *cache) {
    struct cache_info info;
    if (!cache_read_info(cache, &info)) {
        return; /* nothing is mapped */
    }
    size_t i = 0;
    while (i + 1 < MAPPINGS && mappings[i].size > 0) {
        i++;
    }
    mappings[i].start = (void *)info.address;
    mappings[i].size = info.size;
    if (mprotect(mappings[i].start, mappings[i].size, PROT_NONE) != 0) {
        zend_error_noreturn(E_ERROR, "larder: cannot make the mapping unreadable");
    }
}

void unreadable_allow(void) {
    for (size_t i = 0; i < MAPPINGS; i++) {
        /* ENOMEM: the segment was replaced between the requests and unmapped. */
        if (mappings[i].size && mprotect(mappings[i].start, mappings[i].size, PROT_READ) != 0 && errno != ENOMEM) {
            zend_error_noreturn(E_ERROR, "larder: cannot make the mapping readable");
        }
        mappings[i].size = 0;
    }
}

#endif
