/*
 * When a process has a cache. Never before a request runs: not in MINIT, not in the FPM master, not while
 * preloading, for what is mapped there is inherited by workers of other users. The first use in a request attaches.
 */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "php_larder.h"
#include "unreadable.h"

/* Attaches, or says why not: LARDER_G(reason). Only who stores makes a segment where there is none; who reads has an empty
 * cache then: LARDER_G(absent). Tries at most once a request for each, in the command line now and then. */
struct cache *attach_now(bool to_store);

/* Makes the segment anew with the settings of this process. False, and LARDER_G(reason): it cannot be made. */
bool attach_resize(void);

/* Why nothing is cached here at the moment, where that is so: a sentence without its stop. */
const char *attach_reason(void);

static zend_always_inline struct cache *attach_for(bool to_store) {
    struct cache *cache = LARDER_G(cache);
#ifdef LARDER_UNREADABLE
    unreadable_allow();
#endif
    return EXPECTED(cache != NULL) ? cache : attach_now(to_store);
}

/* The cache, or NULL while there is none. */
static zend_always_inline struct cache *attach(void) {
    return attach_for(false);
}

/* The same for who stores: the segment is made if there is none. */
static zend_always_inline struct cache *attach_to_store(void) {
    return attach_for(true);
}

/* The same for who deletes: where there was none it looks again, or what others have stored since would stay. */
static zend_always_inline struct cache *attach_to_delete(void) {
    if (UNEXPECTED(LARDER_G(absent))) {
        LARDER_G(attach_tried) = false;
    }
    return attach_for(false);
}

/* At the beginning of a request, and at its end: the very end, when nothing of the script is left. */
void attach_request_begin(void);
void attach_request_end(void);

/* The effective user may be another one; see cache_user_changed(). */
void attach_user_changed(void);

/* At the end of the process, or of the thread that these globals are of. */
void attach_end(zend_larder_globals *globals);

#endif
