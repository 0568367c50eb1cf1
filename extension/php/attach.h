/*
 * When a process is attached to a segment: from the first use in a request on. Never before a request runs (not in
 * MINIT, the FPM master or while preloading), because workers of other users would inherit the mappings.
 */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "php_larder.h"
#include "unreadable.h"

/*
 * Attaches. NULL: the cache is empty because there is no segment yet (LARDER_G(absent)), or it is not available
 * (LARDER_G(reason)). With `to_store` creates the segment where there is none.
 */
struct cache *attach_now(bool to_store);

/* Replaces the segment if its settings differ from this process's. False: none can be created, see LARDER_G(reason). */
bool attach_resize(void);

/* Why no cache is available, if so: a sentence without its full stop. */
const char *attach_reason(void);

static zend_always_inline struct cache *attach_for(bool to_store) {
    struct cache *cache = LARDER_G(cache);
#ifdef LARDER_UNREADABLE
    unreadable_allow();
#endif
    return EXPECTED(cache != NULL) ? cache : attach_now(to_store);
}

/* For readers. NULL: there is no cache. */
static zend_always_inline struct cache *attach(void) {
    return attach_for(false);
}

/* For stores: creates the segment if there is none. */
static zend_always_inline struct cache *attach_to_store(void) {
    return attach_for(true);
}

/* For deletes: looks again for a segment that was absent, or values that others have stored since would stay. */
static zend_always_inline struct cache *attach_to_delete(void) {
    if (UNEXPECTED(LARDER_G(absent))) {
        LARDER_G(attach_tried) = false;
    }
    return attach_for(false);
}

/* At the start of a request, and at its very end, when nothing of the script is left. */
void attach_request_begin(void);
void attach_request_end(void);

/* The effective user may have changed; see cache_user_changed(). */
void attach_user_changed(void);

/* At the end of the process, or of the thread that owns these globals. */
void attach_end(zend_larder_globals *globals);

#endif
