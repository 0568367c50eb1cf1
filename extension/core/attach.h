/* Every operation begins here, with this thread's process record. */
#ifndef LARDER_ATTACH_H
#define LARDER_ATTACH_H

#include "process.h"

/* Claims a record after a fork, or when none was free before. NULL: no cache now. */
struct record_shared *attach_record(struct cache *cache);

/* This thread's record. NULL: no cache now. */
static inline struct record_shared *attached_record(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    return LIKELY(record != NULL) ? record : attach_record(cache);
}

/* Checks whether the user has changed, and in processes without request ends, now and then, whether the segment was
 * replaced. */
void attach_look_again(struct cache *cache);

/* Unmaps segments that were left while the script held values of them, if nothing points into them any more. */
void attach_release_unused(struct cache *cache);

/* attached_record(), with attach_look_again() when it is due. */
static inline struct record_shared *enter(struct cache *cache) {
    if (UNLIKELY(--cache->calls_until_look == 0)) {
        attach_look_again(cache);
    }
    return attached_record(cache);
}

/* Creates the segment if there is none. NULL: it cannot be created, or has no free record. */
struct record_shared *attach_create(struct cache *cache);

/* enter() for stores. */
static inline struct record_shared *enter_to_store(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : attach_create(cache);
}

/* Joins the segment if one was created since this process had none. NULL: no cache now. */
struct record_shared *attach_join(struct cache *cache);

/* enter() for deletes: without joining, values that other processes have stored would stay. */
static inline struct record_shared *enter_to_delete(struct cache *cache) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? record : attach_join(cache);
}

#endif
