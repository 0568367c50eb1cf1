#include "php_larder.h"

#ifdef LARDER_UNREADABLE

#include "unreadable.h"

#include <sys/mman.h>

#ifdef ZTS
#error "All threads share the mapping: build this without ZTS"
#endif

static void *view;
static size_t size; /* 0: it is readable */

void unreadable_forbid(void) {
    struct cache_info info;
    if (!cache_read_info(LARDER_G(cache), &info)) {
        return; /* nothing is mapped */
    }
    view = (void *)info.address;
    size = info.size;
    if (mprotect(view, size, PROT_NONE) != 0) {
        zend_error_noreturn(E_ERROR, "larder: cannot make the mapping unreadable");
    }
}

void unreadable_allow(void) {
    /* ENOMEM: the segment was replaced between the requests and unmapped. */
    if (size && mprotect(view, size, PROT_READ) != 0 && errno != ENOMEM) {
        zend_error_noreturn(E_ERROR, "larder: cannot make the mapping readable");
    }
    size = 0;
}

#endif
