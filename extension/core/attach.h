/* Where every operation begins: with this thread's record. */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "process.h"

/* The record after a fork, or when none was free. NULL: no cache now. */
struct record_shared *attach_record(struct cache *cache);

/* This thread's record. NULL: no cache now. */
static inline struct record_shared *attached_record(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    return LIKELY(record != NULL) ? record : attach_record(cache);
}

/* Checks whether the user has changed or the segment was replaced; in processes without request ends, now and then. */
void attach_look_again(struct cache *cache);

/* Unmaps the segments that were left while the script held values of them, if nothing points there any more. */
void attach_release_unused(struct cache *cache);

/* The same with that check. */
static inline struct record_shared *enter(struct cache *cache) {
    if (UNLIKELY(--cache->calls_until_look == 0)) {
        attach_look_again(cache);
    }
    return attached_record(cache);
}

/* Creates the segment if there is none. NULL: it cannot be created, or has no free record. */
struct record_shared *attach_create(struct cache *cache);

/* For stores. */
static inline struct record_shared *enter_to_store(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : attach_create(cache);
}

/* Joins the segment if one was created since this process had none. NULL as before. */
struct record_shared *attach_join(struct cache *cache);

/* For deletes, or what others stored meanwhile would stay. */
static inline struct record_shared *enter_to_delete(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : attach_join(cache);
}

#endif
