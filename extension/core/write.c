/* Storing, deleting, touching, clearing. */
#include "write.h"

#include <string.h>

#include "enter.h"
#include "index.h"
#include "lock.h"
#include "page.h"
#include "point.h"
#include "room.h"
#include "token.h"

enum { PUT_TRIES = 64, TOUCH_TRIES = 4 };

size_t cache_value_max(const struct cache *cache) {
    return (size_t)(room_units_max(&cache->map) - entry_units(CACHE_KEY_MAX, 0)) << UNIT_SHIFT;
}

enum cache_result write_refused(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, enum counter counter, enum cache_result result) {
    count(record, counter);
    if (mode == CACHE_SET) {
        const struct place place = index_place(cache, key);
        index_remove(cache, record, &place, key);
    }
    return result;
}

void cache_refuse(struct cache *cache, const struct cache_key *key) {
    struct record_shared *record = enter(cache);
    if (record) {
        write_refused(cache, record, key, CACHE_SET, COUNT_REFUSED_SIZE, CACHE_TOO_LARGE);
    }
}

/* The entry's header without kind and expiry, and its key. */
static struct entry_shared *begin_entry(struct cache *cache, const struct cache_key *key, uint64_t hash,
                                        uint64_t value_units) {
    struct entry_shared *entry = ref_desk(&cache->map, cache->pending.location);
    entry->hash = hash;
    entry->units = (uint32_t)value_units;
    entry->where = where_make(0, key->length, 0);
    entry->expires = 0;
    char *bytes = (char *)(entry + 1);
    const size_t padded = units_of(key->length) << UNIT_SHIFT;
    memset(bytes + padded - UNIT, 0, UNIT);
    memcpy(bytes, key->bytes, key->length);
    return entry;
}

enum cache_result write_reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                size_t length, enum cache_mode mode, struct cache_span *span) {
    if (UNLIKELY(length > cache_value_max(cache))) {
        return write_refused(cache, record, key, mode, COUNT_REFUSED_SIZE, CACHE_TOO_LARGE);
    }
    const uint64_t value_units = units_of(length);
    if (UNLIKELY(!room_take(cache, record, entry_units(key->length, value_units), &cache->pending))) {
        return write_refused(cache, record, key, mode, COUNT_REFUSED_ROOM, CACHE_NO_ROOM);
    }
    const struct entry_shared *entry = begin_entry(cache, key, hash_mix(key->hash, cache->map.seed), value_units);
    span->desk = (void *)(uintptr_t)entry_value(entry);
    span->view = cache->map.base + (uintptr_t)((char *)span->desk - cache->map.desk);
    span->length = value_units << UNIT_SHIFT;
    span->opaque = cache->pending.location;
    return CACHE_OK;
}

enum cache_result cache_reserve(struct cache *cache, const struct cache_key *key, size_t length,
                                enum cache_mode mode, struct cache_span *span) {
    struct record_shared *record = enter(cache);
    return LIKELY(record != NULL) ? write_reserve(cache, record, key, length, mode, span) : CACHE_AWAY;
}

/* Publishes the sealed pending entry if the mode allows, and over the entry of the token unless that is NULL (with it
 * the mode is CACHE_REPLACE). The caller holds the key's lock. */
static enum cache_result publish_locked(struct cache *cache, struct record_shared *record,
                                        const struct place *place, const struct cache_key *key,
                                        enum cache_mode mode, const uint64_t *token) {
    for (unsigned i = 0; i < PUT_TRIES; i++) {
        struct found found;
        const bool there = index_find_announced(cache, record, place, key, &found);
        if (mode != CACHE_SET) {
            const bool alive = there && !index_is_expired(found.entry);
            if (mode == CACHE_ADD && alive) {
                return CACHE_EXISTS;
            }
            if (mode == CACHE_REPLACE && !alive) {
                return CACHE_ABSENT;
            }
            if (token && token_of_found(&cache->map, found.entry) != *token) {
                return CACHE_DIFFERENT;
            }
            if (token) {
                POINT(token_compared);
            }
        }
        if (index_put_locked(cache, record, place, &found, &cache->pending)) {
            POINT(published);
            return CACHE_OK;
        }
    }
    return CACHE_BUSY;
}

/* From a sealed entry to a published or a given up one. */
static enum cache_result publish(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                 enum cache_mode mode, const uint64_t *token) {
    const struct place place = index_place(cache, key);
    enum cache_result result = CACHE_BUSY;
    if (LIKELY(lock_take(cache, place.first))) {
        result = publish_locked(cache, record, &place, key, mode, token);
        lock_release(cache, place.first);
    }
    clear_copying(record);
    room_finish(cache, record, &cache->pending, result == CACHE_OK);
    return result;
}

static inline enum cache_result commit(struct cache *cache, const struct cache_key *key,
                                       const struct cache_span *span, uint32_t kind, uint64_t expires,
                                       enum cache_mode mode, const uint64_t *token) {
    struct record_shared *record = cache->identity->record;
    struct entry_shared *entry = ref_desk(&cache->map, span->opaque);
    entry->where = where_make(kind, key->length, span->opaque);
    entry->expires = expires;
    page_seal(cache, &cache->pending, entry);
    const enum cache_result result = publish(cache, record, key, mode, token);
    if (LIKELY(result == CACHE_OK)) {
        count(record, COUNT_STORES);
    } else if (result == CACHE_BUSY) {
        return write_refused(cache, record, key, mode, COUNT_REFUSED_LOCK, CACHE_BUSY);
    }
    return result;
}

enum cache_result cache_commit(struct cache *cache, const struct cache_key *key, const struct cache_span *span,
                               uint32_t kind, uint64_t expires, enum cache_mode mode) {
    return commit(cache, key, span, kind, expires, mode, NULL);
}

enum cache_result cache_commit_over(struct cache *cache, const struct cache_key *key,
                                    const struct cache_span *span, uint32_t kind, uint64_t expires,
                                    uint64_t token) {
    return commit(cache, key, span, kind, expires, CACHE_REPLACE, &token);
}

void cache_abandon(struct cache *cache, const struct cache_span *span) {
    (void)span;
    room_finish(cache, cache->identity->record, &cache->pending, false);
}

enum cache_result cache_delete(struct cache *cache, const struct cache_key *key) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_AWAY;
    }
    const struct place place = index_place(cache, key);
    if (!index_remove(cache, record, &place, key)) {
        return CACHE_ABSENT;
    }
    count(record, COUNT_DELETES);
    return CACHE_OK;
}

/*
 * Puts the pending copy of `found` in its place under the key's lock. A copy of megabytes was made before, without the
 * lock: it is no longer put if the key's word has changed since. An integer is copied here, for it changes in place.
 */
static enum cache_result put_touched(struct cache *cache, struct record_shared *record, const struct place *place,
                                     const struct cache_key *key, struct found *found, uint64_t expires) {
    const bool integer = where_kind(found->entry->where) == CACHE_INTEGER;
    const uint32_t units = found->entry->units;
    if (!integer) {
        page_copy(cache, &cache->pending, found->entry, slot_location(found->word), expires);
    }
    if (!lock_take(cache, place->first)) {
        return CACHE_BUSY;
    }
    enum cache_result result = CACHE_BUSY;
    bool same = true;
    if (integer) {
        same = index_find_announced(cache, record, place, key, found) && found->entry->units == units;
        if (same) {
            page_copy(cache, &cache->pending, found->entry, slot_location(found->word), expires);
        }
    }
    if (same && index_put_locked(cache, record, place, found, &cache->pending)) {
        result = CACHE_OK;
    }
    lock_release(cache, place->first);
    return result;
}

/* Entries are immutable, so a new expiry is a new entry. The old one stays announced until its copy is put. */
enum cache_result cache_touch(struct cache *cache, const struct cache_key *key, uint64_t expires) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_AWAY;
    }
    const struct place place = index_place(cache, key);
    for (unsigned i = 0; i < TOUCH_TRIES; i++) {
        struct found found;
        if (!index_find_announced(cache, record, &place, key, &found) || index_is_expired(found.entry)) {
            clear_copying(record);
            return CACHE_ABSENT;
        }
        const uint64_t units = entry_units(key->length, found.entry->units);
        if (units > room_units_max(&cache->map) || !room_take(cache, record, units, &cache->pending)) {
            clear_copying(record);
            return write_refused(cache, record, key, CACHE_REPLACE, COUNT_REFUSED_ROOM, CACHE_NO_ROOM);
        }
        const enum cache_result result = put_touched(cache, record, &place, key, &found, expires);
        clear_copying(record);
        room_finish(cache, record, &cache->pending, result == CACHE_OK);
        if (result == CACHE_OK) {
            return result;
        }
    }
    return write_refused(cache, record, key, CACHE_REPLACE, COUNT_REFUSED_LOCK, CACHE_BUSY);
}

/* Takes no lock: each word is unlinked by itself, as a delete does. */
bool cache_clear(struct cache *cache) {
    if (!enter(cache)) {
        return false;
    }
    for (uint32_t b = 0; b < cache->map.bucket_count; b++) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            shared_word *slot = &cache->map.buckets[b].slots[i];
            uint64_t word = word_load(slot);
            while (word != 0) {
                const uint32_t page = ref_page(&cache->map, slot_location(word));
                const bool known = page < cache->map.page_count;
                const uint32_t life = known ? (uint32_t)(word_load(&page_row(cache, page)->live) >> 32) : 0;
                if (word_swap(slot, &word, 0)) {
                    if (known) {
                        page_lower_live(cache, page, life, 0);
                    }
                    break;
                }
            }
        }
    }
    return true;
}
