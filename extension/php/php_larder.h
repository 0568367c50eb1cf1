/* The module's globals (one set a thread under ZTS): settings, the attached cache, and buffers that outlive a call. */
#ifndef PHP_LARDER_H
#define PHP_LARDER_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php.h"

#include "../core/cache.h"
#include "compat.h"
#include "plan.h"

#define LARDER_VERSION "0.1.0-dev"

enum serializer { SERIALIZER_AUTO, SERIALIZER_PHP, SERIALIZER_IGBINARY };

/* The unserializing of a stored object; see unserialize.c. */
struct reading {
    const zend_execute_data *frame; /* of the fetching function; NULL: nothing is unserialized */
    bool silent;                    /* error reporting was off when it began */
    bool failed;
    bool incomplete; /* the value had incomplete objects when it was stored, so they are no failure */
    bool muted;
    int shown, handled; /* the values of EG() while it is not muted */
};

/* What graph_form() and graph_sleeps() said of a class in this request. */
struct form {
    const zend_class_entry *class;
    zend_long form;
    bool sleeps;
};
enum { FORMS = 64 };

/* PHP's state of serializing, and, of the running fiber, how often it was saved; see serializer_state.c. */
struct serializer_state {
    unsigned lock, serialize_level, unserialize_level;
    struct php_serialize_data *serialize_data;
    struct php_unserialize_data *unserialize_data;
};
struct nested_serializer {
    unsigned depth;                  /* begun and not ended */
    struct serializer_state outside; /* if depth > 0: PHP's state outside all of them */
};

struct attachment; /* see attach.c */

/* Who uses a segment in this request: the functions of this module, those of another (api.c), or sessions (session.c). */
struct client {
    const char *suffix;             /* of the segment's name, which begins with larder.segment */
    const char *size_setting;       /* the name of the setting of the segment's size */
    struct cache *cache;            /* NULL: not attached */
    bool attach_tried, store_tried; /* in this request, for reading and for storing */
    bool absent;                    /* there is no segment yet; the first store creates it */
    uint64_t attach_tried_at;       /* cache_now() */
    char reason[CACHE_REASON_MAX];  /* why no cache is available, or how it differs from the settings */
    char logged[CACHE_REASON_MAX];  /* the reason that was logged last */
};

/* A session that this request has locked; see session.c. */
enum { SESSION_SITE_BYTES = 16, SESSION_ID_MAX = 256, SESSION_KEY_MAX = SESSION_SITE_BYTES + SESSION_ID_MAX };
struct open_session {
    size_t length; /* of its key; 0: none */
    char key[SESSION_KEY_MAX];
    uint64_t hash;
    pid_t process; /* that locked it: a child inherits this, and has no lock */
    bool read;
    bool found;       /* when it was read or written last */
    uint64_t expires; /* if so; as of cache_now() */
};

ZEND_BEGIN_MODULE_GLOBALS(larder)
    struct client own, apcu, sessions;
    bool request_begun;             /* see attach_request_begin() */
    struct attachment *attachments; /* to all segments, the one used last first */
    bool zero_copy;
    bool enabled;
    enum serializer serializer;
    char *classes; /* whose objects a fetch may create; "*": all */
    bool compact;
    char *segment;
    char *path;
    zend_long size;
    zend_long processes;
    double pin_share;
    zend_long session_size;
    double session_lock_wait;              /* seconds */
    char session_site[SESSION_SITE_BYTES]; /* begins each key: a hash of session.save_path and session.name */
    struct open_session sessions_open[CACHE_LOCKS_MAX];
    HashTable sessions_left;               /* keys of those that this request has read and locks no more */
    HashTable sessions_parents;            /* and of those that this process's parent had locked */
    struct open_session session_validated; /* PHP has asked for it, and it was there */
    bool session_unknown;                  /* it is not known whether there is a session that PHP asked for */

    const char *refused_setting; /* came with a request; NULL: none */
    bool refused_logged;

    uint8_t last_error;    /* enum error */
    bool apcu_failed;      /* the last error is about the segment of `apcu` */
    size_t refused_length; /* of the value that was refused as too large; 0: not known; or REFUSED_TOO_DEEP */
    double default_ttl;    /* seconds; 0: no expiry */

    struct plan plan;
    struct form forms[FORMS];
    bool forms_used;
    struct reading reading;
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

/* What module.c calls when the module starts and shuts down, and opcache_hook() when a request starts. */
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
