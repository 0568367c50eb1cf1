#include "attach.h"
#include "shape.h"

#include "SAPI.h"
#include "php_streams.h"

#include <syslog.h>

/* The command line, debuggers and embedders run one request for as long as they like. */
static bool is_long_lived(void) {
    static const char *const names[] = {"cli", "phpdbg", "embed", "micro"};
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
 * The caches of this process (of this thread, under ZTS): one for each name of a segment that a request had. A web server
 * may give each of its hosts a name of its own, and the worker that serves them all keeps what it has attached to.
 */
struct host {
    struct cache *cache;
    struct host *next;
    char segment[CACHE_SEGMENT_MAX + 1];
    char reason[CACHE_REASON_MAX]; /* how it differs from the settings */
};

enum { HOSTS_MAX = 16 };

static void log_line(const char *format, const char *text) {
    char *line;
    spprintf(&line, 0, format, text);
    php_log_err_with_severity(line, LOG_WARNING);
    efree(line);
}

/* Once a process, until it is another: what is wrong with its cache is wrong in every request. */
static void log_reason(void) {
    if (LARDER_G(reason)[0] == '\0' || strcmp(LARDER_G(reason), LARDER_G(logged)) == 0) {
        return;
    }
    strcpy(LARDER_G(logged), LARDER_G(reason));
    log_line(LARDER_G(cache) ? "larder: %s" : "larder: no cache in this process: %s", LARDER_G(reason));
}

static void detach(struct host **link) {
    struct host *host = *link;
    *link = host->next;
    if (LARDER_G(cache) == host->cache) {
        LARDER_G(cache) = NULL;
    }
    cache_detach(host->cache);
    pefree(host, 1);
}

static void forget_oldest(void) {
    unsigned count = 0;
    for (struct host **link = &LARDER_G(hosts); *link; link = &(*link)->next) {
        if (++count == HOSTS_MAX) {
            detach(link);
            return;
        }
    }
}

static void remember(struct cache *cache) {
    forget_oldest();
    struct host *host = pemalloc(sizeof(*host), 1);
    host->cache = cache;
    strlcpy(host->segment, LARDER_G(segment), sizeof(host->segment));
    memcpy(host->reason, LARDER_G(reason), sizeof(host->reason));
    host->next = LARDER_G(hosts);
    LARDER_G(hosts) = host;
}

/* The cache of this request's segment, if there is one. */
static void choose(void) {
    LARDER_G(cache) = NULL;
    for (struct host **link = &LARDER_G(hosts); *link; link = &(*link)->next) {
        struct host *host = *link;
        if (strcmp(host->segment, LARDER_G(segment)) == 0) {
            *link = host->next;
            host->next = LARDER_G(hosts);
            LARDER_G(hosts) = host;
            LARDER_G(cache) = host->cache;
            memcpy(LARDER_G(reason), host->reason, sizeof(host->reason));
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
    return *reason ? reason : "other processes have all records (larder.processes); this one tries again";
}

bool attach_resize(void) {
    if (!is_allowed()) {
        return false;
    }
    LARDER_G(absent) = false;
    struct cache_options options = options_now();
    options.replaces = true;
    /* Beside the one that this process has: what was fetched from it stays. It is left for the new one in a second. */
    struct cache *made = cache_attach(&options, LARDER_G(reason));
    if (made) {
        cache_detach(made);
        LARDER_G(attach_tried) = false;
    }
    return made != NULL;
}

void attach_request_begin(void) {
    LARDER_G(attach_tried) = LARDER_G(store_tried) = LARDER_G(absent) = false;
    if (UNEXPECTED(LARDER_G(refused_setting) != NULL) && !LARDER_G(refused_logged)) {
        LARDER_G(refused_logged) = true;
        log_line("larder: %s came with a request, which can only bring larder.segment: ignored",
                 LARDER_G(refused_setting));
    }
    for (struct host **link = &LARDER_G(hosts); *link;) {
        if (cache_request_begin((*link)->cache)) {
            link = &(*link)->next;
        } else {
            detach(link);
        }
    }
    choose();
}

/* What is held stays with the cache of this request; the others hold nothing. */
void attach_user_changed(void) {
    LARDER_G(attach_tried) = LARDER_G(store_tried) = LARDER_G(absent) = false;
    for (struct host *host = LARDER_G(hosts); host; host = host->next) {
        cache_user_changed(host->cache);
    }
}

/*
 * PHP frees the names of a request's stream wrappers and filters after this, the last hook that it gives: a name
 * that was fetched would be touched later than the pins were dropped. The request has tables of its own only if
 * it registered something.
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
    while (globals->hosts) {
        struct host *host = globals->hosts;
        globals->hosts = host->next;
        cache_detach(host->cache);
        pefree(host, 1);
    }
    globals->cache = NULL;
    plan_release(&globals->plan);
}
