/* Fetching: see pin.h for why it is safe. */
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "failpoint.h"
#include "index.h"
#include "integer.h"
#include "pin.h"
#include "scan.h"
#include "token.h"

/* A quarter more than needed, to catch up with a value that grows. */
static bool grow_scratch(struct cache *cache, size_t length) {
    const size_t size = length + length / 4;
    char *scratch = realloc(cache->scratch, size);
    if (scratch) {
        cache->scratch = scratch;
        cache->scratch_size = size;
    }
    return scratch != NULL;
}

enum outcome { HIT, MISMATCH, EXPIRED, SCRATCH_TOO_SMALL };

/* Reads a protected entry, and its token unless NULL. */
static inline enum outcome read_entry(struct cache *cache, struct record_shared *record, const struct found *found,
                                      bool pinned, struct cache_value *value, uint64_t *token) {
    const struct entry_shared *entry = found->entry;
    if (UNLIKELY(entry->expires != 0) && index_is_expired(entry)) {
        return EXPIRED;
    }
    const void *bytes = entry_value(entry);
    value->kind = where_kind(entry->where);
    value->length = (size_t)entry->units << UNIT_SHIFT;
    value->base = cache->map.base + (uintptr_t)((const char *)bytes - cache->map.readonly);
    value->expires = entry->expires;
    if (entry->units <= INLINE_UNITS) {
        if (entry_is_integer(entry)) {
            cache->words[0] = integer_read(entry).value;
            value->length = sizeof(int64_t);
        } else {
            memcpy(cache->words, bytes, value->length);
        }
        value->bytes = cache->words;
        value->hold = CACHE_COPIED;
    } else if (LIKELY(pinned)) {
        value->bytes = bytes;
        value->hold = CACHE_PINNED;
    } else {
        if (value->length > cache->scratch_size) {
            return SCRATCH_TOO_SMALL;
        }
        FAILPOINT(copy_begun);
        memcpy(cache->scratch, bytes, value->length);
        value->bytes = cache->scratch;
        value->hold = CACHE_COPIED;
        count(record, COUNT_COPIES);
        pin_note_copy(cache, value->length);
    }
    if (UNLIKELY(token != NULL)) {
        *token = token_of(&cache->map, entry, cache->words[0]); /* of an integer: the value read above */
    }
    index_mark_used(cache, found);
    return HIT;
}

enum protection { NONE, PINNED, ANNOUNCED };

/*
 * Protects the page that the slot names, by a pin or an announcement, and gives the word that it holds since. NONE:
 * the slot does not hold the key any more.
 *
 * A page is protected, not an entry: whatever the word names after the fence is safe if it lies in that page. So this
 * starts over only when the word names another page, because another process completed a store or a move meanwhile;
 * that page is tried next. A bound on this would turn into a miss of a key that was there all the time.
 */
static enum protection protect(struct cache *cache, struct record_shared *record, const shared_word *slot,
                               const struct place *place, bool zero_copy, uint64_t *word) {
    uint32_t announced = UINT32_MAX;
    for (*word = word_load(slot); slot_tag(*word) == place->tag && slot_is_committed(*word);
         *word = word_load(slot)) {
        const uint32_t page = ref_page(&cache->map, slot_location(*word));
        if (page >= cache->map.page_count) {
            break;
        }
        if (pin_is_held(record, page)) {
            if (announced != UINT32_MAX) {
                clear_copying(record);
            }
            return PINNED;
        }
        if (page == announced) {
            if (UNLIKELY(!ref_page_has_memory(&cache->map, page))) {
                break; /* damage */
            }
            return ANNOUNCED;
        }
        if (zero_copy && pin_page(cache, record, page)) {
            continue;
        }
        if (zero_copy && pin_drop_unused(cache, record) && pin_page(cache, record, page)) {
            continue;
        }
        FAILPOINT(copy_intended);
        announce_copying(record, page);
        announced = page;
        FAILPOINT(copy_announced);
    }
    if (announced != UINT32_MAX) {
        clear_copying(record); /* a later pin would leave this announced */
    }
    return NONE;
}

/* Reads the slot's entry if it is the key's; starts over if it is gone by then. */
static enum outcome read_slot(struct cache *cache, struct record_shared *record, shared_word *slot,
                              const struct place *place, const struct cache_key *key, bool zero_copy,
                              struct cache_value *value, uint64_t *token) {
    for (;;) {
        uint64_t word;
        const enum protection protection = protect(cache, record, slot, place, zero_copy, &word);
        if (protection == NONE) {
            return MISMATCH;
        }
        const uint64_t location = slot_location(word);
        const struct found found = {
            .slot = slot,
            .word = word,
            .page = ref_page(&cache->map, location),
            .entry = ref_entry(&cache->map, location),
        };
        enum outcome outcome = MISMATCH;
        bool gone = false;
        if (index_is_key(&cache->map, found.entry, location, place->hash, key)) {
            outcome = read_entry(cache, record, &found, protection == PINNED && zero_copy, value, token);
            if (outcome == EXPIRED) {
                FAILPOINT(read_expired);
                /* If it is gone, what took its place, perhaps before it expired, is the value. */
                gone = !index_unlink(cache, &found);
                if (!gone) {
                    count(record, COUNT_EXPIRED);
                }
            }
        }
        if (protection == ANNOUNCED) {
            clear_copying(record);
        }
        if (outcome == SCRATCH_TOO_SMALL) {
            if (!grow_scratch(cache, value->length)) {
                return MISMATCH;
            }
        } else if (!gone) {
            return outcome;
        }
        FAILPOINT(read_again);
    }
}

/* Most fetches: the page is pinned, the value long enough to be pointed to, its use count full, and it does not
 * expire. The word was loaded after the pin's fence, so nothing else is needed. False: find_slowly() has to look. */
static inline bool read_pinned(const struct cache *cache, const struct record_shared *record, uint64_t word,
                               uint64_t hash, const struct cache_key *key, struct cache_value *value) {
    const struct map *map = &cache->map;
    const uint64_t location = slot_location(word);
    const uint32_t page = ref_page(map, location);
    if (UNLIKELY(page >= map->page_count || !pin_is_held(record, page) || slot_use(word) < USE_MAX)) {
        return false;
    }
    const struct entry_shared *entry = ref_entry(map, location);
    if (UNLIKELY(entry->expires != 0 || entry->units <= INLINE_UNITS ||
                 !index_is_key(map, entry, location, hash, key))) {
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

/* Everything else: pinning, copying, expiry, tokens. Goes on at a slot; those before do not have the key. */
static bool find_slowly(struct cache *cache, const struct cache_key *key, unsigned from, bool zero_copy,
                        struct cache_value *value, uint64_t *token) {
    if (cache->calls_until_look == 0) {
        attach_look_again(cache);
    }
    struct record_shared *record = attached_record(cache);
    if (!record) {
        return false;
    }
    zero_copy = zero_copy && cache->map.fixed;
    const struct place place = index_place(cache, key);
    for (unsigned i = from; i < place_slots(&place); i++) {
        shared_word *slot = place_slot(&place, i);
        const enum outcome outcome = slot_tag(word_peek(slot)) != place.tag
                                         ? MISMATCH
                                         : read_slot(cache, record, slot, &place, key, zero_copy, value, token);
        if (outcome == HIT) {
            count(record, COUNT_HITS);
            return true;
        }
        if (outcome == EXPIRED) {
            break;
        }
    }
    count(record, COUNT_MISSES);
    return false;
}

bool cache_find(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value) {
    struct record_shared *record = cache->identity->record;
    if (UNLIKELY(--cache->calls_until_look == 0 || !record || !zero_copy)) {
        return find_slowly(cache, key, 0, zero_copy, value, NULL);
    }
    const struct map *map = &cache->map;
    const uint64_t hash = hash_mix(key->hash, map->seed), tag = hash_tag(hash);
    uint32_t number = hash_first(map, hash);
    for (unsigned b = 0; b < 2; b++) {
        const struct bucket_shared *bucket = ref_bucket(map, number);
#pragma GCC unroll 8
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            const uint64_t word = word_load(&bucket->slots[i]);
            if (slot_tag(word) == tag) {
                if (LIKELY(read_pinned(cache, record, word, hash, key, value))) {
                    count(record, COUNT_HITS);
                    return true;
                }
                return find_slowly(cache, key, b * BUCKET_SLOTS + i, zero_copy, value, NULL);
            }
        }
        number = hash_second(map, hash);
    }
    count(record, COUNT_MISSES);
    return false;
}

#ifdef LARDER_UNREADABLE
void cache_scan(struct cache *cache, unsigned omitted) {
    struct record_shared *record = attached_record(cache);
    scan_omitted = omitted;
    if (record) {
        pin_drop_unused_now(cache, record);
    }
}
#endif

void cache_unreadable(struct cache *cache) {
    struct record_shared *record = attached_record(cache);
    if (record) {
        count(record, COUNT_UNREADABLE);
    }
}

bool cache_find_token(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value,
                      uint64_t *token) {
    cache->calls_until_look--;
    return find_slowly(cache, key, 0, zero_copy, value, token);
}

/* Whether the word of a protected entry names another one by now. */
static bool is_replaced(const struct found *found) {
    return slot_location(word_load(found->slot)) != slot_location(found->word);
}

bool cache_exists(struct cache *cache, const struct cache_key *key) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return false;
    }
    const struct place place = index_place(cache, key);
    struct found found;
    bool exists = false;
    while (!exists && index_find_announced(cache, record, &place, key, &found)) {
        exists = !index_is_expired(found.entry);
        FAILPOINT(exists_looked);
        /* An expired entry that was replaced, perhaps before it expired, says nothing about the new one. */
        if (!exists && !is_replaced(&found)) {
            break;
        }
    }
    clear_copying(record);
    return exists;
}
