/* The module's globals (one set per thread under ZTS): settings, the attached cache, and buffers that outlive a
 * call. */
#ifndef PHP_LARDER_H
#define PHP_LARDER_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php.h"

#include "../core/cache.h"
#include "compat.h"
#include "dense.h"
#include "plan.h"

#define LARDER_VERSION "0.1.0-dev"

enum compact { COMPACT_NEVER, COMPACT_ALWAYS, COMPACT_AUTO };
enum serializer { SERIALIZER_AUTO, SERIALIZER_PHP, SERIALIZER_IGBINARY };

/* The state of unserializing a stored object; see unserialize.c. */
struct reading {
    const zend_execute_data *frame; /* frame of the fetching function; NULL: nothing is unserialized */
    bool silent;                    /* error reporting was off at the beginning */
    bool failed;
    bool incomplete; /* incomplete objects are no failure: the value had some when stored, or they are asked for */
    bool muted;
    int shown, handled; /* the values of EG() without muting */
};

/* Cached results of graph_form() and graph_sleeps() for a class in this request. */
struct form {
    const zend_class_entry *class;
    zend_long form;
    bool sleeps;
};
enum { FORMS = 64 };

/* PHP's state of serializing, and the number of times that the running fiber has saved it; see serializer_state.c. */
struct serializer_state {
    unsigned lock, serialize_level, unserialize_level;
    struct php_serialize_data *serialize_data;
    struct php_unserialize_data *unserialize_data;
};
struct nested_serializer {
    unsigned depth;                  /* numberings begun and not ended */
    struct serializer_state outside; /* if depth > 0: PHP's state outside all of them */
};

struct attachment; /* see attach.c */

/* A user of a segment in this request: this module's functions, another module (api.c), or sessions (session.c). */
struct client {
    const char *suffix;             /* suffix of the segment's name, which begins with larder.segment */
    const char *size_setting;       /* the name of the setting of the segment's size */
    struct cache *cache;            /* NULL: not attached */
    bool attach_tried, store_tried; /* attaching was tried in this request, for reading and for storing */
    bool absent;                    /* there is no segment yet; the first store creates it */
    uint64_t attach_tried_at;       /* cache_now() */
    char reason[CACHE_REASON_MAX];  /* reason why no cache is available, or how it differs from the settings */
    char logged[CACHE_REASON_MAX];  /* the reason that was logged last */
};

/* A session that this request has locked; see session.c. */
enum { SESSION_SITE_BYTES = 16, SESSION_ID_MAX = 256, SESSION_KEY_MAX = SESSION_SITE_BYTES + SESSION_ID_MAX };
struct open_session {
    size_t length; /* length of its key; 0: none */
    char key[SESSION_KEY_MAX];
    uint64_t hash;
    pid_t process; /* the process that locked it: a child inherits this, but not the lock */
    bool read;
    bool found;       /* it was present when it was last read or written */
    uint64_t expires; /* its expiry then; milliseconds of cache_now() */
};

ZEND_BEGIN_MODULE_GLOBALS(larder)
    struct client own, apcu, sessions;
    bool request_begun;             /* see attach_request_begin() */
    struct attachment *attachments; /* attachments to all segments, the most recently used first */
    bool zero_copy;
    bool enabled;
    enum serializer serializer;
    char *classes;              /* classes whose objects a fetch may create; "*": all */
    char class_listed[64];      /* the last one that was found there, without a NUL */
    size_t class_listed_length; /* 0: none */
    enum compact compact;
    uint64_t promotions; /* state of the random numbers of promote.c; 0: none yet */
    char *segment;
    char *path;
    zend_long size;
    zend_long processes;
    double pin_share;
    zend_long session_size;
    double session_lock_wait;              /* seconds */
    char session_site[SESSION_SITE_BYTES]; /* begins each key: a hash of session.save_path and session.name */
    struct open_session sessions_open[CACHE_LOCKS_MAX];
    HashTable sessions_left;               /* keys of sessions that this request has read and no longer locks */
    HashTable sessions_parents;            /* keys of sessions that this process's parent had locked */
    struct open_session session_validated; /* the session that PHP asked for last, if it was present */
    bool session_unknown;                  /* it is unknown whether the session that PHP asked for exists */

    const char *refused_setting; /* a setting that came with a request and was ignored; NULL: none */
    bool refused_logged;

    uint8_t last_error;    /* enum error */
    bool apcu_failed;      /* the last error is about the segment of `apcu` */
    size_t refused_length; /* length of the value that was refused as too large; 0: unknown; or REFUSED_TOO_DEEP */
    double default_ttl;    /* seconds; 0: no expiry */

    struct plan plan;
    struct dense_scratch dense;
    struct form forms[FORMS];
    bool forms_used;
    struct reading reading;
    bool incomplete; /* for the next reading */
    struct nested_serializer nested;
    struct parked *parked; /* states of suspended fibers; see fibers.c */
#ifdef LARDER_UNREADABLE
    zend_long control;
#endif
ZEND_END_MODULE_GLOBALS(larder)

ZEND_EXTERN_MODULE_GLOBALS(larder)

#define LARDER_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(larder, v)

#if defined(ZTS) && defined(COMPILE_DL_LARDER)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* Called by module.c when the module starts and shuts down; opcache_hook() when a request starts. */
void settings_register(int type, int module_number);
void iterator_register(zend_class_entry *class);
void setuid_register(void);
void setuid_unregister(void);
void session_register(void);
void session_begin(zend_larder_globals *globals);
void session_end(zend_larder_globals *globals);
void session_request_end(void);
void fault_register(void);
void fault_unregister(void);
void opcache_hook(void);
void opcache_unhook(void);

extern zend_module_entry larder_module_entry;
#define phpext_larder_ptr &larder_module_entry

#endif
