/*
 * opcache keeps scripts under the names by which they were asked for. A name that it does not know yet it interns in
 * its own shared memory, and to keep it alive meanwhile it raises the reference count of the string, without a look at
 * whether that string is interned elsewhere (accel_new_interned_key()). Ours lie in memory that is only readable. So it
 * gets copies: where it compiles a file and where it resolves a path. opcache_compile_file() calls opcache's
 * compiler directly; it stands in writers.h.
 *
 * opcache hooks these two after all extensions were started, whatever the order in php.ini, and whoever hooks later
 * calls who hooked before: only what is put there later still sees a name before opcache does. There is no hook
 * for that but the first request. Threads may begin theirs at the same time.
 */
#include "handoff.h"
#include "arguments.h"
#include "stray.h"

#include "zend_compile.h"
#include "zend_stream.h"

#include <pthread.h>

static zend_op_array *(*next_compile_file)(zend_file_handle *file, int type);
static zend_string *(*next_resolve_path)(zend_string *name);

static zend_always_inline void own_name(zend_string **name) {
    if (*name && handoff_is_lent(*name)) {
        *name = handoff_copy(*name); /* the handle's, which releases it */
    }
}

static zend_op_array *compile_file_by_own_name(zend_file_handle *file, int type) {
    own_name(&file->filename);
    own_name(&file->opened_path);
    return next_compile_file(file, type);
}

static zend_string *resolve_path_by_own_name(zend_string *name) {
    if (EXPECTED(!handoff_is_lent(name))) {
        return next_resolve_path(name);
    }
    zend_string *copy = handoff_copy(name);
    zend_string *resolved = next_resolve_path(copy);
    zend_string_release(copy);
    return resolved;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void install(void) {
    next_compile_file = zend_compile_file;
    next_resolve_path = zend_resolve_path;
    zend_compile_file = compile_file_by_own_name;
    zend_resolve_path = resolve_path_by_own_name;
    arguments_register();
    stray_register();
}

void handoff_request_begin(void) {
    pthread_once(&once, install);
}

/* What others have put before ours since stays: it ends before PHP compiles again. */
void handoff_unregister(void) {
    if (zend_compile_file == compile_file_by_own_name) {
        zend_compile_file = next_compile_file;
    }
    if (zend_resolve_path == resolve_path_by_own_name) {
        zend_resolve_path = next_resolve_path;
    }
    stray_unregister();
    once = (pthread_once_t)PTHREAD_ONCE_INIT; /* where PHP starts again in the same process */
}
