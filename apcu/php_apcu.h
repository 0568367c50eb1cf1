/* The module's globals (one set per thread under ZTS), and the functions that its files share. */
#ifndef LARDER_PHP_APCU_H
#define LARDER_PHP_APCU_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php.h"

#include "ext/larder/larder_api.h"

/* The APCu version whose functions these are: applications ask phpversion('apcu'). */
#define APCU_VERSION "5.1.28"

ZEND_BEGIN_MODULE_GLOBALS(apcu)
    bool enabled; /* apc.enabled; on the command line apc.enable_cli too */
    bool enable_cli;
    zend_long ttl;
    bool request_ended; /* the request has ended for modules; PHP runs some code of users after that */
    unsigned computing; /* calls of apcu_entry() that missed and have not returned */
ZEND_END_MODULE_GLOBALS(apcu)

ZEND_EXTERN_MODULE_GLOBALS(apcu)

#define APCU_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(apcu, v)

#if defined(ZTS) && defined(COMPILE_DL_APCU)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

extern zend_module_entry apcu_module_entry;
#define phpext_apcu_ptr &apcu_module_entry

/* The engine's functions, set when the module starts. With apc.enabled off, none is called. */
extern const struct larder_api *larder;

/* False if apc.enabled is off, and without the engine: then PHP does not start the module, but keeps its functions,
 * and a thread has no globals of it. */
static inline bool is_enabled(void) {
    return EXPECTED(larder != NULL) && APCU_G(enabled);
}

/* The constants APC_ITER_*: a bit for each part of an item of APCUIterator, in their order. */
enum format {
    ITER_TYPE = 1 << 0,
    ITER_KEY = 1 << 1,
    ITER_VALUE = 1 << 2,
    ITER_NUM_HITS = 1 << 3,
    ITER_MTIME = 1 << 4,
    ITER_CTIME = 1 << 5,
    ITER_DTIME = 1 << 6,
    ITER_ATIME = 1 << 7,
    ITER_REFCOUNT = 1 << 8,
    ITER_MEM_SIZE = 1 << 9,
    ITER_TTL = 1 << 10,
};
#define ITER_ALL ((zend_long)0xffffffff)

enum list { LIST_ACTIVE = 1, LIST_DELETED = 2 };

/* Stores as apcu_store() and apcu_add() do. The value must not be a reference, and the caller holds it, since
 * methods of its objects run. False: refused, perhaps with an exception. */
bool apcu_store_value(zend_string *key, zval *value, zend_long ttl, bool adds);

/* Called at the end of a request. */
void entry_end(void);

/* Called at module start and end. */
void info_register(void);
void info_unregister(void);
void apcu_iterator_register(zend_class_entry *class);
void iterator_unregister(void);

/* Deletes all entries that an APCUIterator has not yet returned. False, with an exception: it is not an
 * APCUIterator. */
bool iterator_delete(zval *iterator);

#endif
