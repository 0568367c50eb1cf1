/*
 * The cache of one user must not be read or written by another. A request notices at its beginning that its process has
 * another user, but a daemon has one request only. To ask the kernel before each fetch would cost several fetches, so the
 * functions by which a script changes its user are wrapped. Other ways (FFI, another extension) are noticed by core: by a
 * fork at its first call, by a process without request ends after some calls and a tick of the clock.
 */
#include "users.h"
#include "attach.h"

static zif_handler handlers[2];
static const char *const names[] = {"posix_setuid", "posix_seteuid"};

#define WRAPPED(number)                                     \
    static ZEND_NAMED_FUNCTION(change_user_##number) {      \
        handlers[number](INTERNAL_FUNCTION_PARAM_PASSTHRU); \
        attach_user_changed();                              \
    }
WRAPPED(0)
WRAPPED(1)

static const zif_handler wrapped[] = {change_user_0, change_user_1};

static zend_function *find(size_t i) {
    return zend_hash_str_find_ptr(CG(function_table), names[i], strlen(names[i]));
}

void users_register(void) {
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        zend_function *function = find(i);
        if (function && function->type == ZEND_INTERNAL_FUNCTION) {
            handlers[i] = function->internal_function.handler;
            function->internal_function.handler = wrapped[i];
        }
    }
}

void users_unregister(void) {
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        zend_function *function = find(i);
        if (function && function->internal_function.handler == wrapped[i]) {
            function->internal_function.handler = handlers[i];
        }
    }
}
