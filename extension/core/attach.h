/* Where every operation begins. */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "process.h"

/* The slow way in: after a fork, or when no record was free. NULL: no cache now. */
struct record_shared *attach_record(struct cache *cache);

/* This thread's record. NULL: no cache now. */
static inline struct record_shared *attached_record(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    return LIKELY(record != NULL) ? record : attach_record(cache);
}

/* What a process without request ends does now and then instead: looks whose segment it needs, and whether that was
 * replaced. */
void attach_look_again(struct cache *cache);

/* The same, looking around now and then. */
static inline struct record_shared *enter(struct cache *cache) {
    if (UNLIKELY(--cache->calls_until_look == 0)) {
        attach_look_again(cache);
    }
    return attached_record(cache);
}

/* Makes the segment if there is none, at once. NULL: there is none to be had, or no record in it. */
struct record_shared *attach_create(struct cache *cache);

/* The same as enter() for who stores. */
static inline struct record_shared *enter_to_store(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : attach_create(cache);
}

/* Joins the segment that somebody may have made since this process had none, at once. NULL as before. */
struct record_shared *attach_join(struct cache *cache);

/* The same for who deletes: or what others have stored meanwhile would stay. */
static inline struct record_shared *enter_to_delete(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : attach_join(cache);
}

#endif
