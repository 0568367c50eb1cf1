/* Counting: integers change in place, under their key's lock. */
#include <string.h>

#include "enter.h"
#include "index.h"
#include "lock.h"
#include "point.h"
#include "write.h"

enum { CREATE_TRIES = 64 };

/* The 8 bytes of a found integer, or NULL if it is none. The caller holds the key's lock, so nobody else
 * changes them, and nobody moves them elsewhere. */
static shared_word *integer_locked(const struct cache *cache, const struct found *found) {
    if (where_kind(found->entry->where) != CACHE_INTEGER || found->entry->units != 1) {
        return NULL;
    }
    const char *value = entry_value(found->entry);
    return (shared_word *)(void *)(cache->map.desk + (value - cache->map.view));
}

static enum cache_result add_locked(struct cache *cache, const struct found *found, int64_t step,
                                    int64_t *result) {
    shared_word *integer = integer_locked(cache, found);
    if (!integer || __builtin_add_overflow((int64_t)word_load(integer), step, result)) {
        return CACHE_DIFFERENT;
    }
    word_store(integer, (uint64_t)*result);
    POINT(counted);
    index_mark_used(cache, found);
    return CACHE_OK;
}

/* Under the key's lock: finds the key and adds. CACHE_ABSENT if it is not there. */
static enum cache_result count_existing(struct cache *cache, struct record_shared *record,
                                        const struct place *place, const struct cache_key *key, int64_t step,
                                        int64_t *result) {
    if (!lock_take(cache, place->first)) {
        return CACHE_BUSY;
    }
    struct found found;
    enum cache_result outcome = CACHE_ABSENT;
    if (index_find_announced(cache, record, place, key, &found) && !index_is_expired(found.entry)) {
        outcome = add_locked(cache, &found, step, result);
    }
    clear_copying(record);
    lock_release(cache, place->first);
    return outcome;
}

enum cache_result cache_count(struct cache *cache, const struct cache_key *key, int64_t step, uint64_t expires,
                              int64_t *result) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_AWAY;
    }
    const struct place place = index_place(cache, key);
    enum cache_result outcome = CACHE_BUSY;
    for (unsigned i = 0; i < CREATE_TRIES; i++) {
        outcome = count_existing(cache, record, &place, key, step, result);
        if (outcome != CACHE_ABSENT) {
            break;
        }
        /* Room is made without the lock; meanwhile somebody else may create the key: then count that. */
        struct cache_span span;
        outcome = write_reserve(cache, record, key, sizeof step, CACHE_REPLACE, &span);
        if (outcome != CACHE_OK) {
            return outcome;
        }
        memcpy(span.desk, &step, sizeof step);
        outcome = cache_commit(cache, key, &span, CACHE_INTEGER, expires, CACHE_ADD);
        if (outcome != CACHE_EXISTS) {
            *result = step;
            return outcome;
        }
    }
    if (outcome == CACHE_BUSY) {
        count(record, COUNT_REFUSED_LOCK);
    }
    return outcome;
}

enum cache_result cache_swap(struct cache *cache, const struct cache_key *key, int64_t expected, int64_t desired) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_AWAY;
    }
    const struct place place = index_place(cache, key);
    if (!lock_take(cache, place.first)) {
        return write_refused(cache, record, key, CACHE_REPLACE, COUNT_REFUSED_LOCK, CACHE_BUSY);
    }
    struct found found;
    enum cache_result result = CACHE_ABSENT;
    if (index_find_announced(cache, record, &place, key, &found) && !index_is_expired(found.entry)) {
        shared_word *integer = integer_locked(cache, &found);
        result = CACHE_DIFFERENT;
        if (integer && (int64_t)word_load(integer) == expected) {
            word_store(integer, (uint64_t)desired);
            result = CACHE_OK;
        }
    }
    clear_copying(record);
    lock_release(cache, place.first);
    return result;
}
