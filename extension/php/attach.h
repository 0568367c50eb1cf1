/*
 * When a process has a cache. Never before a request runs: not in MINIT, not in the FPM master, not while
 * preloading, for what is mapped there is inherited by workers of other users. The first use in a request attaches.
 */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "php_larder.h"
#include "unreadable.h"

/* Attaches, or says why not: LARDER_G(reason). Tries at most once a request, in the command line every 10 ms. */
struct cache *attach_now(void);

/* The cache, or NULL while there is none. */
static zend_always_inline struct cache *attach(void) {
    struct cache *cache = LARDER_G(cache);
#ifdef LARDER_UNREADABLE
    unreadable_allow();
#endif
    return EXPECTED(cache != NULL) ? cache : attach_now();
}

/* At the beginning of a request, and at its end: the very end, when nothing of the script is left. */
void attach_request_begin(void);
void attach_request_end(void);

/* At the end of the process, or of the thread that these globals are of. */
void attach_end(zend_larder_globals *globals);

#endif
