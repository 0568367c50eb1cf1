/*
 * Exclusive locks on keys.
 *
 * The lock of a key is a lock of the kernel on one byte of the segment's file, far behind its end: the byte follows from
 * the key's hash, so two keys share one once in 10^18 pairs. The kernel releases it when its owner dies, and lets a
 * waiting process sleep. Its description is not the record's: a parent keeps its lock when it forks, and the child does
 * not inherit it.
 */
#include "attach.h"
#include "hash.h"
#include "os.h"
#include "segment.h"

#define LOCKS_FROM (UINT64_C(1) << 40) /* bytes: behind every segment */
#define SECONDS_MAX 1e9

static uint64_t byte_of(const struct cache *cache, const struct cache_key *key) {
    return LOCKS_FROM + (hash_mix(key->hash, cache->map.seed) >> 2);
}

/* Forks wait meanwhile: a child closes what is listed in its cache. */
static bool open_description(struct cache *cache) {
    process_lock();
    if (cache->lock_fd < 0) {
        cache->lock_fd = segment_open_locked(cache->segment, -1);
    }
    process_unlock();
    return cache->lock_fd >= 0;
}

/* The process that says that it has this byte locked. 0: none does. */
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

static bool has_first(const struct cache *cache) {
    return cache->locked[0] != 0 && cache->locked_by == cache_pid();
}

/* A second lock gives way. */
static void note_locked(struct cache *cache, struct record_shared *record, uint64_t byte) {
    const bool is_first = !has_first(cache);
    if (is_first) {
        word_poke(&record->locked, byte);
    } else if (cache->locked[1] != 0) {
        os_unlock(cache->lock_fd, (off_t)cache->locked[1], 1);
    }
    cache->locked[is_first ? 0 : 1] = byte;
    cache->locked_by = cache_pid();
}

enum cache_result cache_lock(struct cache *cache, const struct cache_key *key, double seconds, long *owner) {
    *owner = 0;
    struct record_shared *record = enter_to_store(cache);
    if (!record || !open_description(cache)) {
        return CACHE_UNAVAILABLE;
    }
    if (cache_is_locked(cache, key)) {
        return CACHE_OK;
    }
    if (!has_first(cache)) {
        cache_unlock(cache);
    }
    const uint64_t byte = byte_of(cache, key);
    if (!os_lock(cache->lock_fd, (off_t)byte, 1) &&
        !os_lock_waiting(cache->lock_fd, (off_t)byte, nanoseconds_of(seconds))) {
        *owner = owner_of(cache, byte);
        return CACHE_EXISTS;
    }
    note_locked(cache, record, byte);
    return CACHE_OK;
}

bool cache_is_locked(const struct cache *cache, const struct cache_key *key) {
    const uint64_t byte = byte_of(cache, key);
    return has_first(cache) && (cache->locked[0] == byte || cache->locked[1] == byte);
}

void cache_unlock(struct cache *cache) {
    if (cache->locked[0] == 0) {
        return;
    }
    if (cache->identity->record) {
        word_poke(&cache->identity->record->locked, 0);
    }
    if (cache->lock_fd >= 0 && cache->locked_by == cache_pid()) {
        os_unlock_all(cache->lock_fd);
    }
    cache->locked[0] = cache->locked[1] = 0;
}
