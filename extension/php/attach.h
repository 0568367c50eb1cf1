/*
 * When a process is attached to a segment: from the first use in a request on. Never before a request runs (not in
 * MINIT, the FPM master or while preloading), because workers of other users would inherit the mappings.
 */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "php_larder.h"
#include "unreadable.h"

/*
 * Attaches a client. NULL: its cache is empty because there is no segment yet (client->absent), or it is not available
 * (client->reason). With `to_store` creates the segment where there is none.
 */
struct cache *attach_now(struct client *client, bool to_store);

/* Bytes of the segment of the module apcu, 0 without it; and that it is loaded. */
zend_long attach_apcu_size(void);
void attach_use_apcu(zend_long size);

/* Replaces the segments whose settings differ from this process's. False: one cannot be created; if it is larder's own,
 * see LARDER_G(own).reason. */
bool attach_resize(void);

/* Why the client's cache is not available, if so: a sentence without its full stop. */
const char *attach_reason(const struct client *client);

static zend_always_inline struct cache *attach_client(struct client *client, bool to_store) {
    struct cache *cache = client->cache;
#ifdef LARDER_UNREADABLE
    unreadable_allow();
#endif
    return EXPECTED(cache != NULL) ? cache : attach_now(client, to_store);
}

/* For deletes: looks again for a segment that was absent, or values that others have stored since would stay. */
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

/* At the start of a request, and at its very end, when nothing of the script is left. Once a request: PHP may open a
 * session before it starts this module's request. */
void attach_request_begin(void);
void attach_request_end(void);

/* The effective user may have changed; see cache_user_changed(). */
void attach_user_changed(void);

/* At the start of the process, or of the thread that owns these globals; and at its end. */
void attach_begin(zend_larder_globals *globals);
void attach_end(zend_larder_globals *globals);

#endif
