#include "attach.h"
#include "shape.h"

#include "SAPI.h"
#include "php_streams.h"

#include <syslog.h>

/* The command line, debuggers and embedders run one request without a limit of time; so does a FrankenPHP worker. */
static bool is_long_lived(void) {
    static const char *const names[] = {"cli", "phpdbg", "embed", "micro", "frankenphp"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(sapi_module.name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Whether to try to attach. At most once a request for reads and once for stores, which may create the segment; but
 * as long as the segment is only absent, which another process may change at any time, again every 10 ms (an attempt
 * costs about 60 us). Long-lived processes also try again after a failure.
 */
static bool may_try(bool to_store) {
    enum { SOON = 10, LATER = 1000 }; /* milliseconds */
    bool *tried = to_store ? &LARDER_G(store_tried) : &LARDER_G(attach_tried);
    const bool absent = LARDER_G(absent);
    const uint64_t pause = to_store || absent ? SOON : LATER;
    if (*tried && !((absent || is_long_lived()) && cache_now() - LARDER_G(attach_tried_at) >= pause)) {
        return false;
    }
    *tried = LARDER_G(attach_tried) = true;
    LARDER_G(attach_tried_at) = cache_now();
    return true;
}

/*
 * A process (under ZTS, a thread) stays attached to one segment for each name that its requests had: a web server may
 * give each virtual host a name of its own, and one worker serves them all.
 */
struct attachment {
    struct cache *cache;
    struct attachment *next;
    char segment[CACHE_SEGMENT_MAX + 1];
    char reason[CACHE_REASON_MAX]; /* how it differs from the settings */
};

enum { ATTACHMENTS_MAX = 16 };

static void log_line(const char *format, const char *text) {
    char *line;
    spprintf(&line, 0, format, text);
    php_log_err_with_severity(line, LOG_WARNING);
    efree(line);
}

/* Logs each reason once: it would be the same in every request. */
static void log_reason(void) {
    if (LARDER_G(reason)[0] == '\0' || strcmp(LARDER_G(reason), LARDER_G(logged)) == 0) {
        return;
    }
    strcpy(LARDER_G(logged), LARDER_G(reason));
    log_line(LARDER_G(cache) ? "larder: %s" : "larder: no cache is available in this process: %s",
             LARDER_G(reason));
}

static void detach(struct attachment **link) {
    struct attachment *attachment = *link;
    *link = attachment->next;
    if (LARDER_G(cache) == attachment->cache) {
        LARDER_G(cache) = NULL;
    }
    cache_detach(attachment->cache);
    pefree(attachment, 1);
}

static void detach_oldest(void) {
    unsigned count = 0;
    for (struct attachment **link = &LARDER_G(attachments); *link; link = &(*link)->next) {
        if (++count == ATTACHMENTS_MAX) {
            detach(link);
            return;
        }
    }
}

static void remember(struct cache *cache) {
    detach_oldest();
    struct attachment *attachment = pemalloc(sizeof(*attachment), 1);
    attachment->cache = cache;
    strlcpy(attachment->segment, LARDER_G(segment), sizeof(attachment->segment));
    memcpy(attachment->reason, LARDER_G(reason), sizeof(attachment->reason));
    attachment->next = LARDER_G(attachments);
    LARDER_G(attachments) = attachment;
}

/* Selects the attachment to this request's segment, if there is one. */
static void choose(void) {
    LARDER_G(cache) = NULL;
    for (struct attachment **link = &LARDER_G(attachments); *link; link = &(*link)->next) {
        struct attachment *attachment = *link;
        if (strcmp(attachment->segment, LARDER_G(segment)) == 0) {
            *link = attachment->next;
            attachment->next = LARDER_G(attachments);
            LARDER_G(attachments) = attachment;
            LARDER_G(cache) = attachment->cache;
            memcpy(LARDER_G(reason), attachment->reason, sizeof(attachment->reason));
            return;
        }
    }
}

static struct cache_options options_now(void) {
    return (struct cache_options){
        .directory = LARDER_G(path),
        .segment = LARDER_G(segment),
        .size = (size_t)MAX(LARDER_G(size), 0),
        .processes = (unsigned)MIN(MAX(LARDER_G(processes), 0), UINT_MAX),
        .pin_share = LARDER_G(pin_share),
        .value_layout = shape_layout(),
        .long_lived = is_long_lived(),
        .rebase = shape_rebase,
    };
}

/* Why no cache is allowed in this process at the moment; NULL: one is. */
static const char *forbidden(void) {
    if (CG(compiler_options) & ZEND_COMPILE_PRELOAD) {
        return "no cache is available while PHP preloads";
    }
    return LARDER_G(enabled) ? NULL : "larder.enabled is off";
}

static bool is_allowed(void) {
    const char *reason = forbidden();
    if (reason) {
        LARDER_G(absent) = false;
        strcpy(LARDER_G(reason), reason);
    }
    return !reason;
}

struct cache *attach_now(bool to_store) {
    if (!is_allowed() || !may_try(to_store)) {
        return NULL;
    }
    struct cache_options options = options_now();
    options.joins_only = !to_store;
    errno = 0;
    LARDER_G(cache) = cache_attach(&options, LARDER_G(reason));
    LARDER_G(absent) = !LARDER_G(cache) && errno == ENOENT;
    if (LARDER_G(absent)) { /* an empty cache, and no fault */
        LARDER_G(reason)[0] = '\0';
    }
    if (LARDER_G(cache)) {
        remember(LARDER_G(cache));
    }
    log_reason();
    return LARDER_G(cache);
}

const char *attach_reason(void) {
    if (!LARDER_G(cache)) {
        return LARDER_G(reason);
    }
    const char *reason = cache_reason(LARDER_G(cache));
    return *reason ? reason : "all process records are in use; raise larder.processes and run larder resize";
}

bool attach_resize(void) {
    if (!is_allowed()) {
        return false;
    }
    LARDER_G(absent) = false;
    struct cache_options options = options_now();
    options.replaces = true;
    /* This process stays attached to the old segment for up to a second, so fetched values stay. */
    struct cache *made = cache_attach(&options, LARDER_G(reason));
    if (made) {
        cache_detach(made);
        LARDER_G(attach_tried) = LARDER_G(store_tried) = false;
    }
    return made != NULL;
}

void attach_request_begin(void) {
    LARDER_G(attach_tried) = LARDER_G(store_tried) = LARDER_G(absent) = false;
    if (UNEXPECTED(LARDER_G(refused_setting) != NULL) && !LARDER_G(refused_logged)) {
        LARDER_G(refused_logged) = true;
        log_line("larder: %s is ignored: a request can set only larder.segment; use php.ini or the FPM pool",
                 LARDER_G(refused_setting));
    }
    for (struct attachment **link = &LARDER_G(attachments); *link;) {
        if (cache_request_begin((*link)->cache)) {
            link = &(*link)->next;
        } else {
            detach(link);
        }
    }
    choose();
}

/* Only this request's cache holds values; they stay. */
void attach_user_changed(void) {
    LARDER_G(attach_tried) = LARDER_G(store_tried) = LARDER_G(absent) = false;
    for (struct attachment *attachment = LARDER_G(attachments); attachment; attachment = attachment->next) {
        cache_user_changed(attachment->cache);
    }
}

/*
 * PHP frees the names of a request's stream wrappers and filters after the last hook that an extension gets, so a
 * fetched name would be read after its pin was dropped. A request has tables of its own only if it registered some.
 */
static bool names_outlive_request(void) {
    return php_stream_get_url_stream_wrappers_hash() != php_stream_get_url_stream_wrappers_hash_global() ||
           php_get_stream_filters_hash() != php_get_stream_filters_hash_global();
}

void attach_request_end(void) {
    if (!LARDER_G(cache)) {
        return;
    }
    bool keep_pins = names_outlive_request();
    cache_request_end(LARDER_G(cache), keep_pins);
#ifdef LARDER_UNREADABLE
    if (!keep_pins) {
        unreadable_forbid();
    }
#endif
}

void attach_end(zend_larder_globals *globals) {
#ifdef LARDER_UNREADABLE
    unreadable_allow();
#endif
    while (globals->attachments) {
        struct attachment *attachment = globals->attachments;
        globals->attachments = attachment->next;
        cache_detach(attachment->cache);
        pefree(attachment, 1);
    }
    globals->cache = NULL;
    plan_release(&globals->plan);
}
