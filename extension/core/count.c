/* Counting: see integer.h for why it is safe. */
#include "integer.h"

#include "attach.h"
#include "failpoint.h"
#include "index.h"
#include "reservation.h"
#include "write.h"

struct change {
    bool adds;  /* add `step`, creating an absent one; else replace `expected` by `desired` */
    bool wraps; /* add across the end of the range */
    int64_t step, expected, desired;
};

static enum cache_result apply(const struct change *change, int64_t old, int64_t *value) {
    if (change->adds) {
        return __builtin_add_overflow(old, change->step, value) && !change->wraps ? CACHE_OVERFLOW : CACHE_OK;
    }
    *value = change->desired;
    return old == change->expected ? CACHE_OK : CACHE_DIFFERENT;
}

static enum cache_result reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                 uint64_t freshness, enum cache_mode mode) {
    struct cache_span span;
    return write_reserve(cache, record, key, (size_t)INTEGER_UNITS << UNIT_SHIFT, freshness, mode, &span);
}

static void seal(struct cache *cache, const struct cache_key *key, struct integer integer, uint64_t expires) {
    integer_fill(ref_writable(&cache->map, cache->reservation.location), integer);
    write_seal(cache, key, CACHE_INTEGER, expires);
}

/* Changes the integer in place. Replaces a sealed or absent one by an entry of our own: space for that is reserved
 * with nothing announced, and the key looked up again. Each further turn means that another process succeeded. */
static enum cache_result change(struct cache *cache, const struct cache_key *key, const struct change *change,
                                uint64_t expires, int64_t *result) {
    struct record_shared *record = change->adds ? enter_to_store(cache) : enter(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    bool reserved = false, published = false;
    enum cache_result outcome;
    for (;;) {
        struct place place = index_place(cache, key);
        if (reserved && !index_place_to_put(cache, key, &place)) {
            outcome = CACHE_NO_ROOM;
            break;
        }
        struct found found;
        const bool there = index_find_announced(cache, record, &place, key, &found) &&
                           !index_is_missing(found.entry, found.entry);
        const uint64_t now = cache_now();
        *result = change->step;
        if (there) {
            if (!entry_is_integer(found.entry)) {
                outcome = CACHE_NOT_INTEGER;
                break;
            }
            const struct integer old = integer_read(found.entry);
            outcome = apply(change, (int64_t)old.value, result);
            if (outcome != CACHE_OK) {
                break;
            }
            if (!integer_is_sealed(old)) {
                if (integer_change(&cache->map, found.entry, old, (struct integer){(uint64_t)*result, now})) {
                    FAILPOINT(counted);
                    index_mark_used(cache, &found);
                    break;
                }
                continue;
            }
        } else if (!change->adds) {
            outcome = CACHE_ABSENT;
            break;
        }
        const uint64_t freshness = there ? entry_freshness(found.entry, found.entry) : 0;
        if (!reserved || cache->reservation.freshness != freshness) {
            clear_copying(record);
            outcome = reserve(cache, record, key, freshness, CACHE_REPLACE);
            if (outcome != CACHE_OK) {
                return outcome;
            }
            reserved = true;
            continue;
        }
        seal(cache, key, (struct integer){(uint64_t)*result, now}, there ? found.entry->expires : expires);
        const uint64_t stored = there ? 0 : sample_of_store(cache);
        published = index_put(cache, record, &place, key, &found, &cache->reservation);
        if (published) {
            outcome = CACHE_OK;
            if (!there) {
                count(record, COUNT_STORES);
            }
            sample_put_store(cache, stored);
            break;
        }
        /* Other processes may have seen the entry as tentative and still read it, so the next try writes another
         * one. */
        reservation_end(cache, record, &cache->reservation, false);
        reserved = false;
    }
    clear_copying(record);
    if (reserved) {
        reservation_end(cache, record, &cache->reservation, published);
    }
    return outcome;
}

enum cache_result cache_count(struct cache *cache, const struct cache_key *key, int64_t step, uint64_t expires,
                              int64_t *result) {
    return change(cache, key, &(struct change){.adds = true, .step = step}, expires, result);
}

enum cache_result cache_count_wrapping(struct cache *cache, const struct cache_key *key, int64_t step,
                                       uint64_t expires, int64_t *result) {
    return change(cache, key, &(struct change){.adds = true, .wraps = true, .step = step}, expires, result);
}

enum cache_result cache_swap(struct cache *cache, const struct cache_key *key, int64_t expected, int64_t desired) {
    int64_t result;
    return change(cache, key, &(struct change){.expected = expected, .desired = desired}, 0, &result);
}

enum cache_result cache_store_integer(struct cache *cache, const struct cache_key *key, int64_t value,
                                      uint64_t expires, enum cache_mode mode, const uint64_t *token) {
    return cache_store_integer_fresh(cache, key, value, expires, 0, mode, token);
}

enum cache_result cache_store_integer_fresh(struct cache *cache, const struct cache_key *key, int64_t value,
                                            uint64_t expires, uint64_t freshness, enum cache_mode mode,
                                            const uint64_t *token) {
    struct record_shared *record = enter_to_store(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    const enum cache_result result = reserve(cache, record, key, freshness, mode);
    if (result != CACHE_OK) {
        return result;
    }
    seal(cache, key, (struct integer){.value = (uint64_t)value}, expires);
    return write_publish(cache, record, key, mode, token);
}
