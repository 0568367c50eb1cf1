/*
 * The module's globals: settings, the cache of this process (of this thread, under ZTS), and buffers that
 * outlive a call.
 */
#ifndef PHP_LARDER_H
#define PHP_LARDER_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php.h"

#include "../core/cache.h"
#include "apart.h"
#include "measure.h"
#include "versions.h"

#define LARDER_VERSION "0.1.0-dev"

enum serializer { SERIALIZER_AUTO, SERIALIZER_PHP, SERIALIZER_IGBINARY };

/* While a stored object is unserialized; see unserialize.c. */
struct reading {
    const zend_execute_data *frame; /* of the function that fetches it; NULL: none is read */
    bool silent;                    /* errors were not reported when it began */
    bool failed;
    bool muted;
    int shown, handled; /* what EG() has when it is not muted */
};

struct host; /* see attach.c */

ZEND_BEGIN_MODULE_GLOBALS(larder)
    struct cache *cache; /* NULL until the first use in a request, and while there is none */
    struct host *hosts;  /* all that are attached, the one that was used last first */
    bool zero_copy;
    bool enabled;
    enum serializer serializer;
    char *segment;
    char *path;
    zend_long size;
    zend_long processes;
    double pin_share;

    bool attach_tried, store_tried; /* in this request */
    bool absent;                    /* there is no segment yet: the first store makes it */
    const char *refused_setting;    /* came with a request; NULL: none, or told */
    bool refused_logged;
    uint64_t attach_tried_at;      /* milliseconds of cache_now() */
    char reason[CACHE_REASON_MAX]; /* why there is no cache, or how it differs from the settings */
    char logged[CACHE_REASON_MAX]; /* the last one that was logged */

    uint8_t refusal;       /* enum refusal, of the last call that was to change something */
    size_t refused_length; /* bytes of the value that was refused as too large; 0 if that was not found out */
    double default_ttl;    /* seconds; 0 none */

    struct plan plan;
    struct reading reading;
    struct apart apart;
    struct parked *parked; /* what is under way in suspended fibers; see apart.c */
#ifdef LARDER_UNREADABLE
    zend_long control;
#endif
ZEND_END_MODULE_GLOBALS(larder)

ZEND_EXTERN_MODULE_GLOBALS(larder)

#define LARDER_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(larder, v)

#if defined(ZTS) && defined(COMPILE_DL_LARDER)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

extern zend_module_entry larder_module_entry;
#define phpext_larder_ptr &larder_module_entry

#endif
