/*
 * Exclusive locks on keys.
 *
 * A key's lock is a kernel lock on one byte of the segment's file, far behind its end. The byte follows from the
 * key's hash; two keys share one once in 10^18 pairs. The kernel releases the lock when its owner dies, and lets a
 * waiting process sleep. The lock's file description is not the record's: so a parent keeps its lock when it forks,
 * and the child does not inherit it.
 *
 * A table of robust mutexes would need no system call while no process waits. But each mutex would serve many keys,
 * so one long request would block unrelated ones.
 */
#include <string.h>

#include "attach.h"
#include "hash.h"
#include "os.h"
#include "segment.h"

#define LOCKS_FROM (UINT64_C(1) << 40) /* a file offset behind the end of every segment */
#define SECONDS_MAX 1e9

static uint64_t byte_of(const struct cache *cache, const struct cache_key *key) {
    return LOCKS_FROM + (hash_mix(key->hash, cache->map.seed) >> 2);
}

/* Opens the description under the mutex, so that a fork waits: the child closes the descriptors listed in its cache. */
static bool open_description(struct cache *cache) {
    if (!process_is_file(cache,
                         cache->lock_fd)) { /* none yet, or other code has closed it and thus released the locks */
        process_close_lock(cache);
        process_lock();
        cache->lock_fd = process_open_locked(cache, -1, true);
        process_unlock();
    }
    return cache->lock_fd >= 0;
}

/* The process whose record says that it has this byte locked; 0: none. */
static long owner_of(const struct cache *cache, uint64_t byte) {
    for (unsigned i = 0; i < ref_records_used(&cache->map); i++) {
        const struct record_shared *record = ref_record(&cache->map, i);
        if (word_load(&record->locked) == byte && word_load(&record->use) != RECORD_UNUSED) {
            return (long)word_load(&record->process);
        }
    }
    return 0;
}

static uint64_t nanoseconds_of(double seconds) {
    return seconds > 0 ? (uint64_t)((seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * 1e9) : 0;
}

/* The place where a byte is noted as locked; for 0 the first free place. NULL: none. */
static uint64_t *find(struct cache *cache, uint64_t byte) {
    for (unsigned i = 0; i < CACHE_LOCKS_MAX; i++) {
        if (cache->locked[i] == byte) {
            return &cache->locked[i];
        }
    }
    return NULL;
}

static void release(struct cache *cache, uint64_t *place) {
    if (place) {
        os_unlock(cache->lock_fd, (off_t)*place, 1);
        *place = 0;
    }
}

enum cache_result cache_lock(struct cache *cache, const struct cache_key *key, double seconds,
                             const struct cache_key *gives_way, long *owner) {
    *owner = 0;
    struct record_shared *record = enter_to_store(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    if (!open_description(cache)) {
        return CACHE_FAILED;
    }
    if (cache->locked_by != cache_pid()) {
        memset(cache->locked, 0, sizeof cache->locked);
        cache->locked_by = cache_pid();
    }
    const uint64_t byte = byte_of(cache, key), other = gives_way ? byte_of(cache, gives_way) : 0;
    uint64_t *leaving = other ? find(cache, other) : NULL;
    if (find(cache, byte)) { /* perhaps locked for another key with this hash */
        release(cache, other == byte ? NULL : leaving);
        return CACHE_OK;
    }
    if (!find(cache, 0) && !leaving) {
        return CACHE_NO_ROOM;
    }
    if (!os_lock(cache->lock_fd, (off_t)byte, 1) &&
        !os_lock_waiting(cache->lock_fd, (off_t)byte, nanoseconds_of(seconds))) {
        *owner = owner_of(cache, byte);
        return CACHE_EXISTS;
    }
    if (!find(cache, 0)) { /* otherwise keys with one hash share a place, and one of them may stay */
        release(cache, leaving);
    }
    *find(cache, 0) = byte;
    word_poke(&record->locked, byte);
    return CACHE_OK;
}

bool cache_is_locked(const struct cache *cache, const struct cache_key *key) {
    const uint64_t byte = byte_of(cache, key);
    bool is = false;
    for (unsigned i = 0; i < CACHE_LOCKS_MAX; i++) {
        is = is || cache->locked[i] == byte;
    }
    /* A child has none of its parent's locks. */
    return is && cache->locked_by == cache_pid() && process_is_file(cache, cache->lock_fd);
}

void cache_unlock(struct cache *cache) {
    bool any = false;
    for (unsigned i = 0; i < CACHE_LOCKS_MAX; i++) {
        any = any || cache->locked[i] != 0;
    }
    if (!any) {
        return;
    }
    if (cache->identity->record) {
        word_poke(&cache->identity->record->locked, 0);
    }
    if (cache->locked_by == cache_pid() && process_is_file(cache, cache->lock_fd)) {
        os_unlock_all(cache->lock_fd);
    }
    memset(cache->locked, 0, sizeof cache->locked);
}
