#include "write.h"

#include <string.h>

#include "attach.h"
#include "claim.h"
#include "compact.h"
#include "failpoint.h"
#include "index.h"
#include "integer.h"
#include "os.h"
#include "page.h"
#include "reservation.h"
#include "token.h"

/* The cache is full if entries were evicted for room within the last of so many parts of a lap. */
enum { FULL_SHARE = 8 };

/* After this many more units were written, a page is no longer in the processor's caches; shorter values are not
 * tracked. Writing a MiB to such memory takes 544 us by memcpy() in pieces of 4 KiB, and 52 us past the caches.
 * Memory that is in the caches takes twice as long past them. */
enum { WARM_UNITS = (4 << 20) / UNIT, LONG_UNITS = (8 << 10) / UNIT };

size_t cache_value_max(const struct cache *cache) {
    return (size_t)(entry_units_max(&cache->map) - entry_units(CACHE_KEY_MAX, 0)) << UNIT_SHIFT;
}

enum cache_result write_refused(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, enum counter counter, enum cache_result result) {
    count(record, counter);
    if (mode == CACHE_SET && !cache->map.keeps) {
        const struct place place = index_place(cache, key);
        index_remove(cache, record, &place, key);
    }
    return result;
}

void cache_refuse(struct cache *cache, const struct cache_key *key) {
    struct record_shared *record = enter_to_delete(cache);
    if (record) {
        write_refused(cache, record, key, CACHE_SET, COUNT_REFUSED_SIZE, CACHE_TOO_LARGE);
    }
}

/* Writes the lengths, the key, and the freshness behind the value's place. */
static struct entry_shared *begin_entry(struct cache *cache, const struct cache_key *key, uint64_t value_units) {
    struct entry_shared *entry = ref_writable(&cache->map, cache->reservation.location);
    const uint64_t freshness = cache->reservation.freshness;
    entry->units = (uint32_t)value_units + (freshness != 0);
    entry->where = where_make(0, key->length, 0);
    char *bytes = (char *)(entry + 1);
    const size_t padded = units_of(key->length) << UNIT_SHIFT;
    memset(bytes + padded - UNIT, 0, UNIT);
    memcpy(bytes, key->bytes, key->length);
    if (UNLIKELY(freshness != 0)) {
        memcpy(bytes + padded + (value_units << UNIT_SHIFT), &freshness, sizeof freshness);
    }
    return entry;
}

/*
 * True if a reservation lies in memory that this process has not written recently, so that no cache of the processor
 * holds it. Each part of a page is written once in a generation, so the previous generation counts. Other processes
 * may have written or read there. Then the memory is taken for cold all the same, which only costs more.
 */
static bool is_cold(struct cache *cache, const struct reservation *reservation) {
    struct written *written = &cache->written[reservation->page % WRITTEN_PAGES];
    if (written->page != reservation->page || written->generation != reservation->generation) {
        const bool known = written->page == reservation->page && written->at != 0;
        written->cold = !known || cache->units_written - written->at > WARM_UNITS;
        written->page = reservation->page;
        written->generation = reservation->generation;
    }
    cache->units_written += reservation->units;
    written->at = cache->units_written;
    return written->cold;
}

/* True if this entry may take room in a segment that keeps its entries. An entry that replaces another one of its
 * size always may. */
static bool may_take_room(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                          uint64_t units) {
    if (LIKELY(compact_has_room(cache, units))) {
        return true;
    }
    const struct place place = index_place(cache, key);
    struct found found;
    const bool may =
        index_find_announced(cache, record, &place, key, &found) && entry_units_all(found.entry) >= units;
    clear_copying(record);
    return may;
}

static inline __attribute__((always_inline)) void fill_span(struct cache *cache, const struct cache_key *key,
                                                            uint64_t value_units, uint64_t freshness,
                                                            struct cache_span *span) {
    cache->reservation.freshness = freshness;
    const struct entry_shared *entry = begin_entry(cache, key, value_units);
    span->bytes = (void *)(uintptr_t)entry_value(entry);
    span->base = cache->map.base + (uintptr_t)((char *)span->bytes - cache->map.writable);
    span->length = value_units << UNIT_SHIFT;
    span->cold = UNLIKELY(value_units >= LONG_UNITS) && is_cold(cache, &cache->reservation);
}

static inline __attribute__((always_inline)) enum cache_result
reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key, size_t length,
        uint64_t freshness, enum cache_mode mode, struct cache_span *span) {
    if (UNLIKELY(length > cache_value_max(cache))) {
        return write_refused(cache, record, key, mode, COUNT_REFUSED_SIZE, CACHE_TOO_LARGE);
    }
    const uint64_t value_units = units_of(length);
    const uint64_t units = entry_units(key->length, value_units) + (freshness != 0);
    if ((UNLIKELY(cache->map.keeps) && !may_take_room(cache, record, key, units)) ||
        UNLIKELY(!reservation_make(cache, record, units, &cache->reservation))) {
        return write_refused(cache, record, key, mode, COUNT_REFUSED_ROOM, CACHE_NO_ROOM);
    }
    fill_span(cache, key, value_units, freshness, span);
    return CACHE_OK;
}

enum cache_result write_reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                size_t length, uint64_t freshness, enum cache_mode mode, struct cache_span *span) {
    return reserve(cache, record, key, length, freshness, mode, span);
}

enum cache_result cache_reserve(struct cache *cache, const struct cache_key *key, size_t length,
                                enum cache_mode mode, struct cache_span *span) {
    struct record_shared *record = enter_to_store(cache);
    return LIKELY(record != NULL) ? reserve(cache, record, key, length, 0, mode, span) : CACHE_UNAVAILABLE;
}

enum cache_result cache_reserve_fresh(struct cache *cache, const struct cache_key *key, size_t length,
                                      uint64_t freshness, enum cache_mode mode, struct cache_span *span) {
    struct record_shared *record = enter_to_store(cache);
    return record ? reserve(cache, record, key, length, freshness, mode, span) : CACHE_UNAVAILABLE;
}

bool cache_is_full(const struct cache *cache) {
    if (!cache->segment) {
        return false; /* it was left */
    }
    const uint64_t evicted_at = word_peek(&cache->map.header->evicted_at);
    return evicted_at != 0 && pages_had(&cache->map) - evicted_at < ref_pages_usable(&cache->map) / FULL_SHARE + 1;
}

enum cache_result cache_reserve_beside(struct cache *cache, const struct cache_key *key, size_t length,
                                       uint64_t freshness, struct cache_span *span) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    if (UNLIKELY(cache->reservation.location != 0)) {
        reservation_end(cache, record, &cache->reservation, false); /* left by an interrupted call */
    }
    const uint64_t value_units = units_of(length);
    const uint64_t units = entry_units(key->length, value_units) + (freshness != 0);
    if (cache->map.keeps || claim_look(cache, key) != CLAIMED_BY_NOBODY || units > page_units(&cache->map) / 2 ||
        !page_has_room(cache, LOG_PROBATION, units) ||
        !page_append(cache, record, LOG_PROBATION, units, &cache->reservation)) {
        return CACHE_NO_ROOM;
    }
    fill_span(cache, key, value_units, freshness, span);
    return CACHE_OK;
}

static void seal(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires,
                 uint64_t stored) {
    struct entry_shared *entry = ref_writable(&cache->map, cache->reservation.location);
    entry->where = where_make(kind, key->length, cache->reservation.location) |
                   (cache->reservation.freshness ? WHERE_FRESHNESS : 0);
    entry->times = stored / 1000 << EXPIRES_BITS | expires;
    entry->hash = hash_mix(key->hash, cache->map.seed);
    page_seal(cache, &cache->reservation, entry);
}

void write_seal(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires) {
    seal(cache, key, kind, expires, os_milliseconds());
}

/* Each turn except the last means that another process changed the key or its buckets. */
static inline __attribute__((always_inline)) enum cache_result put(struct cache *cache,
                                                                   struct record_shared *record,
                                                                   const struct cache_key *key,
                                                                   enum cache_mode mode, const uint64_t *token) {
    for (;;) {
        struct place place;
        if (UNLIKELY(!index_place_to_put(cache, key, &place))) {
            return CACHE_NO_ROOM;
        }
        struct found found;
        const bool there = index_find_announced(cache, record, &place, key, &found);
        if (mode != CACHE_SET) {
            const bool alive =
                there && !(token || mode == CACHE_ADD_IF_GONE ? index_is_expired(found.entry)
                                                              : index_is_missing(found.entry, found.entry));
            if (mode != CACHE_REPLACE && alive) {
                return CACHE_EXISTS;
            }
            if (mode == CACHE_REPLACE && !alive) {
                return CACHE_ABSENT;
            }
            if (token && !token_holds(&cache->map, found.entry, *token)) {
                return CACHE_DIFFERENT;
            }
            if (token) {
                FAILPOINT(token_compared);
            }
        }
        if (UNLIKELY(cache->map.keeps) && !found.slot && !index_has_room(cache, record, &place)) {
            return CACHE_NO_ROOM;
        }
        if (LIKELY(index_put(cache, record, &place, key, &found, &cache->reservation))) {
            FAILPOINT(published);
            return CACHE_OK;
        }
    }
}

static inline __attribute__((always_inline)) enum cache_result
put_and_end(struct cache *cache, struct record_shared *record, const struct cache_key *key, enum cache_mode mode,
            const uint64_t *token) {
    const enum cache_result result = put(cache, record, key, token ? CACHE_REPLACE : mode, token);
    clear_copying(record);
    reservation_end(cache, record, &cache->reservation, result == CACHE_OK);
    return UNLIKELY(result == CACHE_NO_ROOM)
               ? write_refused(cache, record, key, mode, COUNT_REFUSED_ROOM, CACHE_NO_ROOM)
               : result;
}

enum cache_result write_put(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                            enum cache_mode mode, const uint64_t *token) {
    return put_and_end(cache, record, key, mode, token);
}

enum cache_result write_publish(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                enum cache_mode mode, const uint64_t *token) {
    const uint64_t stored = sample_of_store(cache);
    const enum cache_result result = put_and_end(cache, record, key, mode, token);
    if (LIKELY(result == CACHE_OK)) {
        count(record, COUNT_STORES);
        sample_put_store(cache, stored);
    }
    return result;
}

enum cache_result cache_commit(struct cache *cache, const struct cache_key *key, uint32_t kind, uint64_t expires,
                               enum cache_mode mode, const uint64_t *token) {
    write_seal(cache, key, kind, expires);
    return write_publish(cache, cache->identity->record, key, mode, token);
}

enum cache_result cache_commit_beside(struct cache *cache, const struct cache_key *key, uint32_t kind,
                                      uint64_t expires, uint64_t stored, uint64_t token) {
    seal(cache, key, kind, expires, stored);
    return write_put(cache, cache->identity->record, key, CACHE_REPLACE, &token);
}

void cache_abandon(struct cache *cache) {
    reservation_end(cache, cache->identity->record, &cache->reservation, false);
}

enum cache_result cache_delete(struct cache *cache, const struct cache_key *key) {
    struct record_shared *record = enter_to_delete(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    const struct place place = index_place(cache, key);
    if (!index_remove(cache, record, &place, key)) {
        return CACHE_ABSENT;
    }
    count(record, COUNT_DELETES);
    sample_note(cache, place.hash, SAMPLE_DELETE, 0, 0);
    return CACHE_OK;
}

/* Copies an entry. The copy is fresh until `expires`, and kept for the same time beyond that as before. */
static void copy_with_expiry(struct cache *cache, const struct found *found, uint64_t expires) {
    const struct entry_shared *entry = found->entry;
    const uint64_t fresh_until = entry_fresh_until(entry, entry);
    const uint64_t longer = entry->expires > fresh_until ? entry->expires - fresh_until : 0;
    const uint64_t kept = longer < EXPIRES_MAX - expires ? expires + longer : EXPIRES_MAX;
    page_copy(cache, &cache->reservation, entry, slot_location(found->word), expires == 0 ? 0 : kept);
    if (where_has_freshness(entry->where)) {
        uint64_t *words = ref_writable(&cache->map, cache->reservation.location);
        words[cache->reservation.units - 1] = (entry_freshness(entry, entry) & ~EXPIRES_MAX) | expires;
    }
}

/* Entries are immutable, so a new expiry needs a new entry. The old entry stays announced until then, and the copy
 * is put only if the key's word has not changed. */
enum cache_result cache_touch(struct cache *cache, const struct cache_key *key, uint64_t expires) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    if (UNLIKELY(cache->reservation.location != 0)) {
        /* Left by an interrupted call; reservation_make() would end its announcement. */
        reservation_end(cache, record, &cache->reservation, false);
    }
    const struct place place = index_place(cache, key);
    for (;;) {
        struct found found;
        if (!index_find_announced(cache, record, &place, key, &found) ||
            index_is_missing(found.entry, found.entry)) {
            clear_copying(record);
            return CACHE_ABSENT;
        }
        const uint64_t units = entry_units(key->length, found.entry->units);
        if (units > entry_units_max(&cache->map) || !reservation_make(cache, record, units, &cache->reservation)) {
            clear_copying(record);
            return write_refused(cache, record, key, CACHE_REPLACE, COUNT_REFUSED_ROOM, CACHE_NO_ROOM);
        }
        if (entry_is_integer(found.entry)) {
            integer_force_seal(&cache->map, found.entry);
            FAILPOINT(integer_sealed);
        }
        copy_with_expiry(cache, &found, expires);
        const uint64_t stored = sample_of_store(cache);
        const bool put = index_put(cache, record, &place, key, &found, &cache->reservation);
        clear_copying(record);
        reservation_end(cache, record, &cache->reservation, put);
        if (put) {
            sample_put_store(cache, stored);
            return CACHE_OK;
        }
    }
}

/* Unlinks each word separately, as a delete does. */
bool cache_clear(struct cache *cache) {
    struct record_shared *record = enter_to_delete(cache);
    if (!record) {
        return false;
    }
    count(record, COUNT_CLEARS);
    sample_restart(cache);
    word_poke(&cache->map.header->evicted_at, 0);
    for (uint32_t b = 0; b < cache->map.bucket_count; b++) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            shared_word *slot = &ref_bucket(&cache->map, b)->slots[i];
            uint64_t word = word_load(slot);
            while (word != 0) {
                const uint32_t page = ref_page(&cache->map, slot_location(word));
                const bool known = page < cache->map.page_count;
                const uint32_t generation = known ? (uint32_t)(word_load(&page_row(cache, page)->live) >> 32) : 0;
                if (word_swap(slot, &word, 0)) {
                    if (known) {
                        page_lower_live(cache, page, generation, 0);
                    }
                    break;
                }
            }
        }
    }
    return true;
}
