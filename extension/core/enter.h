/* Where every operation begins. */
#ifndef LARDER_ENTER_H
#define LARDER_ENTER_H

#include "process.h"

/* What a process without request ends does now and then instead: looks whose segment it needs, and whether that was
 * replaced. */
void cache_look_again(struct cache *cache);

/* This thread's record. NULL: no cache now. */
static inline struct record_shared *enter(struct cache *cache) {
    if (UNLIKELY(--cache->calls_until_look == 0)) {
        cache_look_again(cache);
    }
    return process_record(cache);
}

/* Makes the segment if there is none, at once. NULL: there is none to be had, or no record in it. */
struct record_shared *cache_make_segment(struct cache *cache);

/* The same as enter() for who stores. */
static inline struct record_shared *enter_to_store(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : cache_make_segment(cache);
}

/* Joins the segment that somebody may have made since this process had none, at once. NULL as before. */
struct record_shared *cache_join_segment(struct cache *cache);

/* The same for who deletes: or what others have stored meanwhile would stay. */
static inline struct record_shared *enter_to_delete(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : cache_join_segment(cache);
}

#endif
