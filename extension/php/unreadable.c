#include "php_larder.h"

#ifdef LARDER_UNREADABLE

#include "unreadable.h"

#include <sys/mman.h>

#ifdef ZTS
#error "The view is one for all threads: build this without ZTS"
#endif

static void *view;
static size_t size; /* 0 while all is readable */

void unreadable_forbid(void) {
    struct cache_info info;
    if (!cache_read_info(LARDER_G(cache), &info)) {
        return; /* nothing is mapped, or nothing was fetched */
    }
    view = (void *)info.address;
    size = info.size;
    if (mprotect(view, size, PROT_NONE) != 0) {
        zend_error_noreturn(E_ERROR, "larder: the view cannot be made unreadable");
    }
}

void unreadable_allow(void) {
    /* A segment that was replaced between the requests is not mapped any more: ENOMEM. */
    if (size && mprotect(view, size, PROT_READ) != 0 && errno != ENOMEM) {
        zend_error_noreturn(E_ERROR, "larder: the view cannot be made readable");
    }
    size = 0;
}

#endif
