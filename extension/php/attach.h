/*
 * A process attaches to a segment at the first use in a request. It never does so before a request runs (in MINIT,
 * in the FPM master or while preloading), because workers of other users would inherit the mappings.
 */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "php_larder.h"
#include "unreadable.h"

/*
 * Attaches a client. NULL: its cache is empty because there is no segment yet (client->absent), or no cache is
 * available (client->reason). With `to_store`, creates the segment if there is none.
 */
struct cache *attach_now(struct client *client, bool to_store);

/* Size of the segment of module apcu, 0 if the module is not loaded. attach_use_apcu() says that it is, and sets the
 * size. */
zend_long attach_apcu_size(void);
void attach_use_apcu(zend_long size);

/* Replaces segments whose settings differ from this process's. False: a segment cannot be created; if it is larder's
 * own, see LARDER_G(own).reason. */
bool attach_resize(void);

/* The reason why the client's cache is not available: a sentence without its full stop. */
const char *attach_reason(const struct client *client);

static zend_always_inline struct cache *attach_client(struct client *client, bool to_store) {
    struct cache *cache = client->cache;
#ifdef LARDER_UNREADABLE
    unreadable_allow();
#endif
    return EXPECTED(cache != NULL) ? cache : attach_now(client, to_store);
}

/* For deletes: looks again for a segment that was absent; otherwise values that other processes have stored since
 * would stay. */
static zend_always_inline struct cache *attach_client_to_delete(struct client *client) {
    if (UNEXPECTED(client->absent)) {
        client->attach_tried = false;
    }
    return attach_client(client, false);
}

/* For readers. NULL: there is no cache. */
static zend_always_inline struct cache *attach(void) {
    return attach_client(&LARDER_G(own), false);
}

/* For stores: creates the segment if there is none. */
static zend_always_inline struct cache *attach_to_store(void) {
    return attach_client(&LARDER_G(own), true);
}

static zend_always_inline struct cache *attach_to_delete(void) {
    return attach_client_to_delete(&LARDER_G(own));
}

/* Called at the start of a request, and at its very end, when nothing of the script is left. The first has an effect
 * only once a request: PHP may open a session before it starts this module's request. */
void attach_request_begin(void);
void attach_request_end(void);

/* The effective user may have changed; see cache_user_changed(). */
void attach_user_changed(void);

/* Called at the start and at the end of the process, or of the thread that owns these globals. */
void attach_begin(zend_larder_globals *globals);
void attach_end(zend_larder_globals *globals);

#endif
