/*
 * Gives opcache copies of fetched file names.
 *
 * opcache stores scripts under the names by which they were requested. While it interns a new name in its own shared
 * memory, it raises the string's reference count, even if the string is interned elsewhere
 * (accel_new_interned_key()). Fetched strings are in read-only memory, so opcache gets copies when it compiles a
 * file and when it resolves a path. opcache_compile_file() calls opcache's compiler directly; arguments.c lists it.
 *
 * opcache installs its hooks after all extensions have started, whatever their order in php.ini, and the hook that
 * is installed last is called first. So ours are installed at the first request, the only later event. Under ZTS
 * several threads may begin their first request at once.
 */
#include "arguments.h"
#include "php_larder.h"

#include "zend_compile.h"
#include "zend_stream.h"

#include <pthread.h>

static zend_op_array *(*next_compile_file)(zend_file_handle *file, int type);
static zend_string *(*next_resolve_path)(zend_string *name);

static zend_always_inline void own_name(zend_string **name) {
    if (*name && is_borrowed(*name)) {
        *name = copy_borrowed(*name); /* the file handle releases it */
    }
}

static zend_op_array *compile_file_by_own_name(zend_file_handle *file, int type) {
    own_name(&file->filename);
    own_name(&file->opened_path);
    return next_compile_file(file, type);
}

static zend_string *resolve_path_by_own_name(zend_string *name) {
    if (EXPECTED(!is_borrowed(name))) {
        return next_resolve_path(name);
    }
    zend_string *copy = copy_borrowed(name);
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
    fault_register();
}

/* The first request of the process installs the hooks; a later request only compares a word. */
void opcache_hook(void) {
    pthread_once(&once, install);
}

/* Hooks that other code installed over ours stay: they end before PHP compiles again. */
void opcache_unhook(void) {
    if (zend_compile_file == compile_file_by_own_name) {
        zend_compile_file = next_compile_file;
    }
    if (zend_resolve_path == resolve_path_by_own_name) {
        zend_resolve_path = next_resolve_path;
    }
    fault_unregister();
    once = (pthread_once_t)PTHREAD_ONCE_INIT; /* PHP may start again in this process */
}
