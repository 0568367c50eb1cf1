#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"
#include "index.h"
#include "lock.h"
#include "os.h"
#include "page.h"
#include "pin.h"
#include "point.h"
#include "room.h"
#include "segment.h"

enum {
    LOOK_EVERY_CALLS = 16, /* how often a process without request ends looks at the clock, */
    LOOK_EVERY_MS = 1000,  /* and then at the path */
    RESTARTS = 8,
    PUT_TRIES = 64,
    TOUCH_TRIES = 4,
};

#ifdef LARDER_POINTS
void (*cache_point_hook)(const char *name);
#endif

/* ---- Time ---- */

uint64_t cache_now(void) {
    return os_milliseconds() + 1;
}

uint64_t cache_expiry(double ttl) {
    if (ttl == 0) {
        return 0;
    }
    const double milliseconds = ttl * 1000;
    if (milliseconds >= 9e18) {
        return UINT64_MAX;
    }
    return cache_now() + (milliseconds > 0 ? (uint64_t)milliseconds : 0);
}

/* ---- Attaching ---- */

static bool is_segment_name(const char *name) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t length = strlen(name);
    return length >= 1 && length <= SEGMENT_NAME_MAX && name[0] != '.' && strspn(name, allowed) == length;
}

/* Writes into `reason` what is wrong with the options; false if anything is. */
static bool check_options(const struct cache_options *options, char reason[CACHE_REASON_MAX]) {
    reason[0] = '\0';
    if (!is_segment_name(options->segment)) {
        snprintf(reason, CACHE_REASON_MAX,
                 "larder.segment must be 1 to %d of A-Z a-z 0-9 . _ - and not begin with a dot", SEGMENT_NAME_MAX);
    } else if (strlen(options->directory) == 0 || strlen(options->directory) > SEGMENT_DIRECTORY_MAX) {
        snprintf(reason, CACHE_REASON_MAX, "larder.path must name a folder in at most %d bytes",
                 SEGMENT_DIRECTORY_MAX);
    } else if (options->size < SEGMENT_SIZE_MIN || options->size > SEGMENT_SIZE_MAX) {
        snprintf(reason, CACHE_REASON_MAX, "larder.size must be from 8M to 64G, not %zu bytes", options->size);
    } else if (options->processes < 1 || options->processes > RECORDS_MAX) {
        snprintf(reason, CACHE_REASON_MAX, "larder.processes must be from 1 to %d, not %u", RECORDS_MAX,
                 options->processes);
    } else if (!(options->pin_share >= 0.0 && options->pin_share <= 0.9)) {
        snprintf(reason, CACHE_REASON_MAX, "larder.pin_share must be from 0.0 to 0.9");
    }
    return reason[0] == '\0';
}

static bool copy_options(struct cache *cache, const struct cache_options *options) {
    cache->options = *options;
    cache->options.directory = strdup(options->directory);
    cache->options.segment = strdup(options->segment);
    return cache->options.directory && cache->options.segment;
}

static void leave_segment(struct cache *cache) {
    process_leave(cache);
    if (cache->segment) {
        segment_release(cache->segment);
        cache->segment = NULL;
    }
}

static bool attach_segment(struct cache *cache, char reason[CACHE_REASON_MAX]) {
    cache->description = -1;
    cache->candidate_next = cache->candidate_count = 0;
    cache->record_refused = false;
    if (!segment_attach(cache, reason)) {
        return false;
    }
    free(cache->asked_alive);
    cache->asked_alive = calloc(cache->map.record_count, sizeof *cache->asked_alive);
    cache->looked_at = os_milliseconds();
    if (!cache->asked_alive) {
        leave_segment(cache);
    }
    return cache->asked_alive != NULL;
}

struct cache *cache_attach(const struct cache_options *options, char reason[CACHE_REASON_MAX]) {
    if (!check_options(options, reason)) {
        return NULL;
    }
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache || !copy_options(cache, options) || !(cache->identity = os_page_wiped_on_fork())) {
        strcpy(reason, "out of memory");
        if (cache) {
            free((char *)cache->options.directory);
            free((char *)cache->options.segment);
            free(cache);
        }
        return NULL;
    }
    cache->long_lived = options->long_lived;
    cache->description = -1;
    process_register(cache);
    if (!attach_segment(cache, reason)) {
        cache_detach(cache);
        return NULL;
    }
    return cache;
}

void cache_detach(struct cache *cache) {
    process_unregister(cache);
    leave_segment(cache);
    os_unmap(cache->identity, os_page_size());
    free(cache->asked_alive);
    free(cache->scratch);
    free((char *)cache->options.directory);
    free((char *)cache->options.segment);
    free(cache);
}

static bool is_due(struct cache *cache) {
    const uint64_t now = os_milliseconds();
    if (now - cache->looked_at < LOOK_EVERY_MS) {
        return false;
    }
    cache->looked_at = now;
    return true;
}

/* The path names another segment now. What was fetched from the old one may still be in use: then its
 * mapping, and the record that pins it, stay until this process exits. */
static void renew(struct cache *cache) {
    if (cache->touched_count == 0) {
        leave_segment(cache);
    }
    cache->identity->record = NULL;
    cache->segment = NULL;
    cache->touched_count = 0;
    cache->pages_held = 0;
    char reason[CACHE_REASON_MAX];
    attach_segment(cache, reason);
}

static void look_again(struct cache *cache) {
    if (is_due(cache)) {
        cache->record_refused = false;
        cache->stalled_lock = 0;
        if (!cache->segment || !segment_is_current(cache->segment)) {
            renew(cache);
        }
    }
}

/* Where every operation begins. NULL: no cache now. */
static inline struct record_shared *enter(struct cache *cache) {
    if (cache->long_lived && UNLIKELY(++cache->calls % LOOK_EVERY_CALLS == 0)) {
        look_again(cache);
    }
    return process_record(cache);
}

bool cache_request_begin(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    cache->stalled_lock = 0;
    cache->record_refused = false;
    if (!record) {
        process_leave(cache); /* forked since: what the record left behind pins is not needed any more */
    } else if (process_owns(cache)) {
        cache_recover(cache);
        pin_drop_all(cache, record);
    } else {
        return false;
    }
    if (!is_due(cache) || (cache->segment && segment_is_current(cache->segment))) {
        return true;
    }
    leave_segment(cache);
    char reason[CACHE_REASON_MAX];
    return attach_segment(cache, reason);
}

void cache_request_end(struct cache *cache, bool keep_pins) {
    const bool owned = process_owns(cache);
    if (owned) {
        cache_recover(cache);
    }
    if (keep_pins) {
        return;
    }
    if (owned) {
        pin_drop_all(cache, cache->identity->record);
    } else {
        /* Forked and not used since: the pins of the record left behind fall with its description. */
        process_leave(cache);
    }
}

void cache_recover(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    if (!record) {
        return;
    }
    if (cache->pending.location) {
        room_finish(cache, record, &cache->pending, false);
    }
    clear_copying(record);
    clear_writing(record);
}

/* ---- Reading ---- */

static bool grow_scratch(struct cache *cache, size_t size) {
    char *scratch = realloc(cache->scratch, size);
    if (scratch) {
        cache->scratch = scratch;
        cache->scratch_size = size;
    }
    return scratch != NULL;
}

enum outcome { HIT, STRANGER, EXPIRED, SCRATCH_TOO_SMALL };

/* The entry is protected: pinned if `held`, else announced. */
static inline enum outcome read_entry(struct cache *cache, struct record_shared *record, const struct found *found,
                                      bool pinned, struct cache_value *value) {
    const struct entry_shared *entry = found->entry;
    if (UNLIKELY(entry->expires != 0) && index_is_expired(entry)) {
        return EXPIRED;
    }
    const void *bytes = entry_value(entry);
    value->kind = where_kind(entry->where);
    value->length = (size_t)entry->units << UNIT_SHIFT;
    value->base = cache->map.base + (uintptr_t)((const char *)bytes - cache->map.view);
    value->expires = entry->expires;
    if (entry->units <= 1) {
        cache->word = entry->units ? word_load((const shared_word *)bytes) : 0;
        value->bytes = &cache->word;
        value->hold = CACHE_COPIED;
    } else if (LIKELY(pinned)) {
        value->bytes = bytes;
        value->hold = CACHE_PINNED;
    } else {
        if (value->length > cache->scratch_size) {
            return SCRATCH_TOO_SMALL;
        }
        memcpy(cache->scratch, bytes, value->length);
        value->bytes = cache->scratch;
        value->hold = CACHE_COPIED;
        count(record, COUNT_COPIES);
    }
    if (slot_use(found->word) < USE_MAX) {
        /* Once, of the whole word, never retried: a plain store could bring back a drained location. */
        uint64_t word = found->word;
        word_swap(found->slot, &word, word + USE_ONE);
    }
    return HIT;
}

/* Protects the entry that the slot names, by a pin or by an announcement, and reads it. */
static enum outcome read_slot(struct cache *cache, struct record_shared *record, shared_word *slot,
                              const struct place *place, const struct cache_key *key, bool zero_copy,
                              struct cache_value *value) {
    uint64_t word = word_load(slot);
    for (unsigned i = 0; i < RESTARTS && slot_tag(word) == place->tag && slot_location(word); i++) {
        const uint64_t location = slot_location(word);
        const uint32_t page = ref_page(&cache->map, location);
        if (page >= cache->map.page_count) {
            return STRANGER;
        }
        bool held = pin_is_held(record, page);
        if (!held) {
            const enum pin pin = zero_copy ? pin_page(cache, record, page, slot, &word) : PIN_FULL;
            if (pin == PIN_CHANGED) {
                continue;
            }
            held = pin == PIN_HELD;
            if (!held) {
                announce_copying(record, page);
                POINT(copy_announced);
                word = word_load(slot);
                if (slot_location(word) != location) {
                    continue;
                }
            }
        }
        struct found found = {.slot = slot, .word = word, .page = page, .entry = ref_entry(&cache->map, location)};
        enum outcome outcome = STRANGER;
        if (index_is_key(&cache->map, found.entry, location, place->hash, key)) {
            outcome = read_entry(cache, record, &found, held && zero_copy, value);
            if (outcome == EXPIRED && index_unlink(cache, &found)) {
                count(record, COUNT_EXPIRED);
            }
        }
        if (!held) {
            clear_copying(record);
        }
        if (outcome == SCRATCH_TOO_SMALL) {
            if (!grow_scratch(cache, value->length)) {
                return STRANGER;
            }
            word = word_load(slot);
            continue;
        }
        return outcome;
    }
    clear_copying(record);
    return STRANGER;
}

/* What most fetches are: the page is pinned already, the value is long enough to be pointed to, its use
 * count is full and it does not expire. False: whatever else it is, read_slot() has to look. */
static inline bool read_pinned(struct cache *cache, struct record_shared *record, const shared_word *slot,
                               const struct place *place, const struct cache_key *key, struct cache_value *value) {
    const struct map *map = &cache->map;
    const uint64_t word = word_load(slot);
    const uint64_t location = slot_location(word);
    const uint32_t page = ref_page(map, location);
    if (UNLIKELY(page >= map->page_count || !pin_is_held(record, page) || slot_use(word) < USE_MAX)) {
        return false;
    }
    const struct entry_shared *entry = ref_entry(map, location);
    if (UNLIKELY(entry->expires != 0 || entry->units <= 1 ||
                 !index_is_key(map, entry, location, place->hash, key))) {
        return false;
    }
    value->bytes = (const char *)(entry + 1) + (units_of(key->length) << UNIT_SHIFT);
    value->base = (uintptr_t)value->bytes;
    value->length = (size_t)entry->units << UNIT_SHIFT;
    value->kind = where_kind(entry->where);
    value->hold = CACHE_PINNED;
    value->expires = 0;
    return true;
}

bool cache_find(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value) {
    struct record_shared *record = enter(cache);
    if (UNLIKELY(!record)) {
        return false;
    }
    zero_copy = zero_copy && cache->map.fixed;
    const struct place place = index_place(cache, key);
    struct bucket_shared *bucket = place.first;
    for (;;) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            if (slot_tag(word_peek(&bucket->slots[i])) != place.tag) {
                continue;
            }
            if (LIKELY(zero_copy) && LIKELY(read_pinned(cache, record, &bucket->slots[i], &place, key, value))) {
                count(record, COUNT_HITS);
                return true;
            }
            switch (read_slot(cache, record, &bucket->slots[i], &place, key, zero_copy, value)) {
                case HIT:
                    count(record, COUNT_HITS);
                    return true;
                case EXPIRED:
                    count(record, COUNT_MISSES);
                    return false;
                default:
                    break;
            }
        }
        if (bucket == place.second) {
            break;
        }
        bucket = place.second;
    }
    count(record, COUNT_MISSES);
    return false;
}

bool cache_exists(struct cache *cache, const struct cache_key *key) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return false;
    }
    const struct place place = index_place(cache, key);
    struct found found;
    const bool exists = index_find_announced(cache, record, &place, key, &found) && !index_is_expired(found.entry);
    clear_copying(record);
    return exists;
}

/* ---- Writing ---- */

size_t cache_value_max(const struct cache *cache) {
    return (size_t)(room_units_max(&cache->map) - entry_units(CACHE_KEY_MAX, 0)) << UNIT_SHIFT;
}

/* A refused store leaves no stale value behind; a refused add or replace leaves the old one. */
static enum cache_result refused(struct cache *cache, struct record_shared *record, const struct cache_key *key,
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
        refused(cache, record, key, CACHE_SET, COUNT_REFUSED_SIZE, CACHE_TOO_LARGE);
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

static enum cache_result reserve(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                 size_t length, enum cache_mode mode, struct cache_span *span) {
    if (UNLIKELY(length > cache_value_max(cache))) {
        return refused(cache, record, key, mode, COUNT_REFUSED_SIZE, CACHE_TOO_LARGE);
    }
    const uint64_t value_units = units_of(length);
    if (UNLIKELY(!room_take(cache, record, entry_units(key->length, value_units), &cache->pending))) {
        return refused(cache, record, key, mode, COUNT_REFUSED_ROOM, CACHE_NO_ROOM);
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
    return LIKELY(record != NULL) ? reserve(cache, record, key, length, mode, span) : CACHE_AWAY;
}

/* Publishes the sealed pending entry if the mode allows. The caller holds the key's lock. */
static enum cache_result publish_locked(struct cache *cache, struct record_shared *record,
                                        const struct place *place, const struct cache_key *key,
                                        enum cache_mode mode) {
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
                                 enum cache_mode mode) {
    const struct place place = index_place(cache, key);
    enum cache_result result = CACHE_BUSY;
    if (LIKELY(lock_take(cache, place.first))) {
        result = publish_locked(cache, record, &place, key, mode);
        lock_release(cache, place.first);
    }
    clear_copying(record);
    room_finish(cache, record, &cache->pending, result == CACHE_OK);
    return result;
}

enum cache_result cache_commit(struct cache *cache, const struct cache_key *key, const struct cache_span *span,
                               uint32_t kind, uint64_t expires, enum cache_mode mode) {
    struct record_shared *record = cache->identity->record;
    struct entry_shared *entry = ref_desk(&cache->map, span->opaque);
    entry->where = where_make(kind, key->length, span->opaque);
    entry->expires = expires;
    page_seal(cache, &cache->pending, entry);
    const enum cache_result result = publish(cache, record, key, mode);
    if (LIKELY(result == CACHE_OK)) {
        count(record, COUNT_STORES);
    } else if (result == CACHE_BUSY) {
        return refused(cache, record, key, mode, COUNT_REFUSED_LOCK, CACHE_BUSY);
    }
    return result;
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

/* Entries are immutable, so a new expiry is a new entry. */
enum cache_result cache_touch(struct cache *cache, const struct cache_key *key, uint64_t expires) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_AWAY;
    }
    const struct place place = index_place(cache, key);
    for (unsigned i = 0; i < TOUCH_TRIES; i++) {
        struct found found;
        bool there = index_find_announced(cache, record, &place, key, &found) && !index_is_expired(found.entry);
        const uint64_t units = there ? entry_units(key->length, found.entry->units) : 0;
        clear_copying(record);
        if (!there) {
            return CACHE_ABSENT;
        }
        if (units > room_units_max(&cache->map) || !room_take(cache, record, units, &cache->pending)) {
            return refused(cache, record, key, CACHE_REPLACE, COUNT_REFUSED_ROOM, CACHE_NO_ROOM);
        }
        enum cache_result result = CACHE_BUSY;
        if (lock_take(cache, place.first)) {
            there = index_find_announced(cache, record, &place, key, &found) && !index_is_expired(found.entry);
            if (!there) {
                result = CACHE_ABSENT;
            } else if (entry_units(key->length, found.entry->units) == units) {
                page_copy(cache, &cache->pending, found.entry, slot_location(found.word), expires);
                const bool put = index_put_locked(cache, record, &place, &found, &cache->pending);
                result = put ? CACHE_OK : CACHE_BUSY;
            }
            lock_release(cache, place.first);
        }
        clear_copying(record);
        room_finish(cache, record, &cache->pending, result == CACHE_OK);
        if (result != CACHE_BUSY) {
            return result;
        }
    }
    return refused(cache, record, key, CACHE_REPLACE, COUNT_REFUSED_LOCK, CACHE_BUSY);
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
                        page_lower_live(cache, page, life);
                    }
                    break;
                }
            }
        }
    }
    return true;
}

/* ---- Counting ---- */

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
    for (unsigned i = 0; i < PUT_TRIES; i++) {
        outcome = count_existing(cache, record, &place, key, step, result);
        if (outcome != CACHE_ABSENT) {
            break;
        }
        /* Room is made without the lock; meanwhile somebody else may create the key: then count that. */
        struct cache_span span;
        outcome = reserve(cache, record, key, sizeof step, CACHE_REPLACE, &span);
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
        return refused(cache, record, key, CACHE_REPLACE, COUNT_REFUSED_LOCK, CACHE_BUSY);
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
