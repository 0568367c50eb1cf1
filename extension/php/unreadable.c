#include "php_larder.h"

#ifdef LARDER_UNREADABLE

#include "unreadable.h"

#include <sys/mman.h>

#ifdef ZTS
#error "The view is one for all threads: build this without ZTS"
#endif

static struct cache_info view; /* only its address and size are used */

void unreadable_attached(void) {
    view.size = 0;
    if (LARDER_G(cache)) {
        cache_read_info(LARDER_G(cache), &view);
    }
}

void unreadable_allow(void) {
    if (view.size && mprotect((void *)view.view, view.size, PROT_READ) != 0) {
        zend_error_noreturn(E_ERROR, "larder: the view cannot be made readable");
    }
}

void unreadable_forbid(void) {
    if (view.size && mprotect((void *)view.view, view.size, PROT_NONE) != 0) {
        zend_error_noreturn(E_ERROR, "larder: the view cannot be made unreadable");
    }
}

#endif
