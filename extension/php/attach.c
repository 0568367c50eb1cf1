#include "attach.h"
#include "dense.h"
#include "measure.h"
#include "shape.h"

#include "SAPI.h"
#include "php_streams.h"

#include <syslog.h>

/* True on the command line and in debuggers and embedders, which run one request without a time limit, and in
 * FrankenPHP, whose workers do the same. */
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
 * True if attaching may be tried: at most once a request for reads, and once for stores, which may create the
 * segment. If the segment is only absent, another process may create it at any time. So it may then be tried again
 * every 10 ms (an attempt costs about 60 us). Long-lived processes also try again after a failure.
 */
static bool may_try(struct client *client, bool to_store) {
    enum { SOON = 10, LATER = 1000 }; /* milliseconds */
    bool *tried = to_store ? &client->store_tried : &client->attach_tried;
    const bool absent = client->absent;
    const uint64_t pause = to_store || absent ? SOON : LATER;
    if (*tried && !((absent || is_long_lived()) && cache_now() - client->attach_tried_at >= pause)) {
        return false;
    }
    *tried = client->attach_tried = true;
    client->attach_tried_at = cache_now();
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
    char reason[CACHE_REASON_MAX]; /* how the segment differs from the settings */
};

enum { ATTACHMENTS_MAX = 16 };

/* Size of the segment of module apcu; 0: the module is not loaded. Set once at module start, before there are
 * threads; a setting of an FPM pool comes when the worker starts. */
static zend_long apcu_size;

zend_long attach_apcu_size(void) {
    return apcu_size;
}

void attach_use_apcu(zend_long size) {
    apcu_size = MIN(MAX(size, (zend_long)CACHE_SIZE_MIN), (zend_long)CACHE_SIZE_MAX);
}

static bool is_in_use(const struct client *client) {
    return client == &LARDER_G(own) || apcu_size > 0;
}

/* The name of a client's segment. A name that is too long is cut to a length that is still too long, so core refuses
 * it. */
struct name {
    char bytes[CACHE_SEGMENT_MAX + 12];
};

static struct name name_of(const struct client *client) {
    struct name name;
    snprintf(name.bytes, sizeof(name.bytes), "%s%s", LARDER_G(segment), client->suffix);
    return name;
}

static void log_line(const char *format, const char *text) {
    char *line;
    spprintf(&line, 0, format, text);
    php_log_err_with_severity(line, LOG_WARNING);
    efree(line);
}

/* Logs each reason once: it would be the same in every request. */
static void log_reason(struct client *client) {
    if (client->reason[0] == '\0' || strcmp(client->reason, client->logged) == 0) {
        return;
    }
    strcpy(client->logged, client->reason);
    log_line(client->cache ? "larder: %s" : "larder: no cache is available in this process: %s", client->reason);
}

static void detach(struct attachment **link) {
    struct attachment *attachment = *link;
    *link = attachment->next;
    if (LARDER_G(own).cache == attachment->cache) {
        LARDER_G(own).cache = NULL;
    }
    if (LARDER_G(apcu).cache == attachment->cache) {
        LARDER_G(apcu).cache = NULL;
    }
    if (LARDER_G(sessions).cache == attachment->cache) {
        LARDER_G(sessions).cache = NULL;
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

static void remember(const struct client *client) {
    detach_oldest();
    struct attachment *attachment = pemalloc(sizeof(*attachment), 1);
    attachment->cache = client->cache;
    strlcpy(attachment->segment, name_of(client).bytes, sizeof(attachment->segment));
    memcpy(attachment->reason, client->reason, sizeof(attachment->reason));
    attachment->next = LARDER_G(attachments);
    LARDER_G(attachments) = attachment;
}

/* Selects the attachment to the client's segment in this request, if there is one. */
static void choose(struct client *client) {
    const struct name name = name_of(client);
    client->cache = NULL;
    for (struct attachment **link = &LARDER_G(attachments); *link; link = &(*link)->next) {
        struct attachment *attachment = *link;
        if (strcmp(attachment->segment, name.bytes) == 0) {
            *link = attachment->next;
            attachment->next = LARDER_G(attachments);
            LARDER_G(attachments) = attachment;
            client->cache = attachment->cache;
            memcpy(client->reason, attachment->reason, sizeof(attachment->reason));
            return;
        }
    }
}

static zend_long size_now(const struct client *client) {
    return client == &LARDER_G(own)    ? LARDER_G(size)
           : client == &LARDER_G(apcu) ? apcu_size
                                       : LARDER_G(session_size);
}

/* The layout of a client's values. A session is bytes, which are the same for every PHP, so an upgrade of PHP ends
 * no session. The layout for module apcu differs from the engine's own; otherwise a segment named "<segment>.apcu"
 * could be used as both. */
static uint64_t layout_of(const struct client *client) {
    return client == &LARDER_G(sessions) ? 0 : shape_layout() ^ (client == &LARDER_G(apcu));
}

/* The options are valid as long as `name`. */
static struct cache_options options_now(const struct client *client, const struct name *name) {
    const bool sessions = client == &LARDER_G(sessions);
    return (struct cache_options){
        .directory = LARDER_G(path),
        .segment = name->bytes,
        .size = (size_t)MAX(size_now(client), 0),
        .processes = (unsigned)MIN(MAX(LARDER_G(processes), 0), UINT_MAX),
        .pin_share = LARDER_G(pin_share),
        .value_layout = layout_of(client),
        .long_lived = is_long_lived(),
        .keeps = sessions,
        .rebase = sessions ? NULL : shape_rebase,
    };
}

/* The reason why this process may not have a cache at the moment; NULL: it may. */
static const char *forbidden(void) {
    if (CG(compiler_options) & ZEND_COMPILE_PRELOAD) {
        return "no cache is available while PHP preloads";
    }
    return LARDER_G(enabled) ? NULL : "larder.enabled is off";
}

static bool is_allowed(struct client *client) {
    const char *reason = forbidden();
    if (reason) {
        client->absent = false;
        strcpy(client->reason, reason);
    }
    return !reason;
}

struct cache *attach_now(struct client *client, bool to_store) {
    if (!is_allowed(client) || !may_try(client, to_store)) {
        return NULL;
    }
    const struct name name = name_of(client);
    struct cache_options options = options_now(client, &name);
    options.joins_only = !to_store;
    errno = 0;
    client->cache = cache_attach(&options, client->reason);
    client->absent = !client->cache && errno == ENOENT;
    if (client->absent) { /* an empty cache is no fault */
        client->reason[0] = '\0';
    }
    if (client->cache) {
        remember(client);
    }
    log_reason(client);
    return client->cache;
}

const char *attach_reason(const struct client *client) {
    if (!client->cache) {
        return client->reason;
    }
    const char *reason = cache_reason(client->cache);
    if (*reason) {
        return reason;
    }
    return client == &LARDER_G(sessions)
               ? "all process records are in use; raise larder.processes, stop PHP and remove the segment's file"
               : "all process records are in use; raise larder.processes and run larder resize";
}

static bool resize(struct client *client) {
    if (!is_allowed(client)) {
        return false;
    }
    client->absent = false;
    const struct name name = name_of(client);
    struct cache_options options = options_now(client, &name);
    options.replaces = true;
    /* This process stays attached to the old segment for up to a second, so fetched values stay. */
    struct cache *made = cache_attach(&options, client->reason);
    if (made) {
        cache_detach(made);
        client->attach_tried = client->store_tried = false;
    }
    return made != NULL;
}

bool attach_resize(void) {
    const bool resized = resize(&LARDER_G(own));
    return (!is_in_use(&LARDER_G(apcu)) || resize(&LARDER_G(apcu))) && resized;
}

static void forget_attempts(struct client *client) {
    client->attach_tried = client->store_tried = client->absent = false;
}

void attach_request_begin(void) {
    if (LARDER_G(request_begun)) {
        return;
    }
    LARDER_G(request_begun) = true;
    forget_attempts(&LARDER_G(own));
    forget_attempts(&LARDER_G(apcu));
    forget_attempts(&LARDER_G(sessions));
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
    if (is_in_use(&LARDER_G(apcu))) {
        choose(&LARDER_G(apcu));
    }
    choose(&LARDER_G(sessions));
    choose(&LARDER_G(own));
}

/* Only this request's caches hold values, which stay. */
void attach_user_changed(void) {
    forget_attempts(&LARDER_G(own));
    forget_attempts(&LARDER_G(apcu));
    forget_attempts(&LARDER_G(sessions));
    for (struct attachment *attachment = LARDER_G(attachments); attachment; attachment = attachment->next) {
        cache_user_changed(attachment->cache);
    }
}

/*
 * True if PHP may read fetched names after the request. PHP frees the names of a request's stream wrappers and
 * filters after the last hook that an extension gets. A fetched name would be read then, after its pin was dropped.
 * A request has tables of its own only if it registered some.
 */
static bool names_outlive_request(void) {
    return php_stream_get_url_stream_wrappers_hash() != php_stream_get_url_stream_wrappers_hash_global() ||
           php_get_stream_filters_hash() != php_get_stream_filters_hash_global();
}

static void end_request(struct client *client, bool keep_pins) {
    if (!client->cache) {
        return;
    }
    cache_request_end(client->cache, keep_pins);
#ifdef LARDER_UNREADABLE
    if (!keep_pins) {
        unreadable_forbid(client->cache);
    }
#endif
}

void attach_request_end(void) {
    const bool keep_pins = names_outlive_request();
    end_request(&LARDER_G(own), keep_pins);
    end_request(&LARDER_G(apcu), keep_pins);
    end_request(&LARDER_G(sessions), keep_pins);
    session_request_end();
    dense_shrink(&LARDER_G(dense)); /* a fetch that memory_limit ended has left it */
    LARDER_G(request_begun) = false;
}

void attach_begin(zend_larder_globals *globals) {
    globals->own.suffix = "";
    globals->own.size_setting = "larder.size";
    globals->apcu.suffix = ".apcu";
    globals->apcu.size_setting = "apc.shm_size";
    globals->sessions.suffix = ".sessions";
    globals->sessions.size_setting = "larder.session_size";
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
    globals->own.cache = globals->apcu.cache = globals->sessions.cache = NULL;
    plan_release(&globals->plan);
    dense_release(&globals->dense);
}
