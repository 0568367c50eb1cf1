/*
 * One user's cache must not be read or written as another user. Each request checks at its start whether the user of
 * its process has changed, but a daemon has only one request. Asking the kernel before each fetch would take as long
 * as several fetches. So the functions by which a script changes its user are wrapped. Core notices a change by
 * other means (FFI, another extension) later: in a forked child at its first call, in a long-lived process after a
 * few calls and a clock tick.
 */
#include "attach.h"

static const char *const names[] = {"posix_setuid", "posix_seteuid"};
static zif_handler originals[2];

static ZEND_NAMED_FUNCTION(wrapped_setuid) {
    originals[0](INTERNAL_FUNCTION_PARAM_PASSTHRU);
    attach_user_changed();
}

static ZEND_NAMED_FUNCTION(wrapped_seteuid) {
    originals[1](INTERNAL_FUNCTION_PARAM_PASSTHRU);
    attach_user_changed();
}

static const zif_handler wrapped[] = {wrapped_setuid, wrapped_seteuid};

static zend_function *find(size_t i) {
    return zend_hash_str_find_ptr(CG(function_table), names[i], strlen(names[i]));
}

void setuid_register(void) {
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        zend_function *function = find(i);
        if (function && function->type == ZEND_INTERNAL_FUNCTION) {
            originals[i] = function->internal_function.handler;
            function->internal_function.handler = wrapped[i];
        }
    }
}

void setuid_unregister(void) {
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        zend_function *function = find(i);
        if (function && function->internal_function.handler == wrapped[i]) {
            function->internal_function.handler = originals[i];
        }
    }
}
