/*
 * Fetching: see pin.h for why it is safe. A fetch starts over as often as needed, since with a limit a key that
 * exists could miss. Each time, another process has completed a store or a move. Of 13 million fetches beside two
 * writers of the same key, 30 started over once and none twice.
 */
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "failpoint.h"
#include "index.h"
#include "integer.h"
#include "pin.h"
#include "scan.h"
#include "token.h"

/* Allocates a quarter more than needed, so that a growing value does not reallocate at each fetch. */
static bool grow_scratch(struct cache *cache, size_t length) {
    const size_t size = length + length / 4;
    char *scratch = realloc(cache->scratch, size);
    if (scratch) {
        cache->scratch = scratch;
        cache->scratch_size = size;
    }
    return scratch != NULL;
}

enum outcome { HIT, MISMATCH, MISSING, EXPIRED, SCRATCH_TOO_SMALL };

/* Fills in length, times and cost of a value. What a caller does not read (see `how`) need not be filled in. */
static inline void read_lengths(const struct entry_shared *entry, unsigned how, struct cache_value *value) {
    value->length = (size_t)entry->units << UNIT_SHIFT;
    value->expires = entry->expires;
    if (how & CACHE_STALE) {
        value->kept = entry->expires;
        value->cost = 0;
    }
    if (UNLIKELY(where_has_freshness(entry->where))) {
        value->length -= UNIT;
        value->expires = entry_fresh_until(entry, entry);
        value->cost = (uint32_t)(entry_freshness(entry, entry) >> EXPIRES_BITS);
    }
}

static inline bool is_stale(struct cache_value *value) {
    value->found = cache_now();
    return value->expires <= value->found;
}

/* Reads a protected entry, and its token unless `token` is NULL. */
static inline enum outcome read_entry(struct cache *cache, struct record_shared *record, const struct found *found,
                                      bool pinned, unsigned how, struct cache_value *value, uint64_t *token) {
    const struct entry_shared *entry = found->entry;
    read_lengths(entry, how, value);
    value->kind = where_kind(entry->where);
    if (UNLIKELY(value->expires != 0) && is_stale(value)) {
        if (entry->expires != 0 && entry->expires <= value->found) {
            return how & CACHE_UNTRACED ? MISSING : EXPIRED;
        }
        if (!(how & CACHE_STALE)) {
            return MISSING;
        }
    }
    if (UNLIKELY(value->kind == CACHE_PLACEHOLDER)) {
        return MISSING;
    }
    const void *bytes = entry_value(entry);
    value->base = cache->map.base + (uintptr_t)((const char *)bytes - cache->map.readonly);
    if (value->length <= INLINE_UNITS << UNIT_SHIFT) {
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
        if (!(how & CACHE_UNTRACED)) {
            count(record, COUNT_COPIES);
            pin_note_copy(cache, value->length);
        }
    }
    if (UNLIKELY(token != NULL)) {
        *token = token_of(&cache->map, entry, cache->words[0]); /* for an integer: the value read above */
    }
    if (!(how & CACHE_UNTRACED)) {
        index_mark_used(cache, found);
    }
    return HIT;
}

static inline void count_fetch(struct record_shared *record, const struct cache_key *key, unsigned how,
                               enum counter counter) {
    if (!(how & (CACHE_UNCOUNTED | CACHE_UNTRACED))) {
        word_poke(&record->counters[counter], word_peek(&record->counters[counter]) + (key->bytes[0] != '\0'));
    }
}

enum protection { NONE, PINNED, ANNOUNCED };

/*
 * Protects the page that the slot names, by a pin or an announcement. `word` receives what the slot holds after
 * that. NONE: the slot does not hold the key any more.
 *
 * A page is protected, not an entry. Whatever the word names after the fence is safe if it lies in that page. So
 * this starts over only when the word names another page, because another process completed a store or a move in
 * between; then that page is tried. With a limit to this, a key that was present all the time could miss.
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
        clear_copying(record); /* or a later pin would leave this page announced */
    }
    return NONE;
}

/* True if the word of a protected entry names another entry by now. */
static bool is_replaced(const struct found *found) {
    return slot_location(word_load(found->slot)) != slot_location(found->word);
}

/* Reads the slot's entry if it is the key's. Starts over if the entry was replaced while it was read as expired or
 * missing. */
static enum outcome read_slot(struct cache *cache, struct record_shared *record, shared_word *slot,
                              const struct place *place, const struct cache_key *key, unsigned how,
                              struct cache_value *value, uint64_t *token) {
    const bool zero_copy = how & CACHE_ZERO_COPY;
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
            outcome = read_entry(cache, record, &found, protection == PINNED && zero_copy, how, value, token);
            /* If the entry is gone, another took its place, perhaps before this one expired: that is the value. */
            if (outcome == EXPIRED) {
                FAILPOINT(read_expired);
                gone = !index_unlink(cache, &found);
                if (!gone) {
                    count(record, COUNT_EXPIRED);
                    sample_note(cache, place->hash, SAMPLE_DELETE, 0, 0);
                }
            } else if (outcome == MISSING) {
                FAILPOINT(read_missing);
                gone = is_replaced(&found);
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

/* The path of most fetches: the page is pinned, the value is long enough to be pointed to, and its use count is
 * full. The word was loaded after the pin's fence, so only the expiry is left to check. False: find_slowly() has to
 * look. */
static inline bool read_pinned(const struct cache *cache, const struct record_shared *record, uint64_t word,
                               uint64_t hash, const struct cache_key *key, unsigned how,
                               struct cache_value *value) {
    const struct map *map = &cache->map;
    const uint64_t location = slot_location(word);
    const uint32_t page = ref_page(map, location);
    if (UNLIKELY(page >= map->page_count || !pin_is_held(record, page) || slot_use(word) != USE_MAX)) {
        return false;
    }
    const struct entry_shared *entry = ref_entry(map, location);
    if (UNLIKELY(entry->units <= INLINE_UNITS || !index_is_key(map, entry, location, hash, key))) {
        return false;
    }
    value->bytes = (const char *)(entry + 1) + (units_of(key->length) << UNIT_SHIFT);
    value->base = (uintptr_t)value->bytes;
    value->kind = where_kind(entry->where);
    value->hold = CACHE_PINNED;
    read_lengths(entry, how, value);
    return LIKELY(value->length > INLINE_UNITS << UNIT_SHIFT);
}

/* Handles all other cases: pinning, copying, expiry, tokens. Starts at slot `from`; the slots before it do not have
 * the key. */
static bool find_slowly(struct cache *cache, const struct cache_key *key, unsigned from, unsigned how,
                        struct cache_value *value, uint64_t *token) {
    if (cache->calls_until_look == 0) {
        attach_look_again(cache);
    }
    struct record_shared *record = attached_record(cache);
    if (!record) {
        return false;
    }
    if (!cache->map.fixed) {
        how &= ~(unsigned)CACHE_ZERO_COPY;
    }
    const struct place place = index_place(cache, key);
    for (unsigned i = from; i < place_slots(&place); i++) {
        shared_word *slot = place_slot(&place, i);
        const enum outcome outcome = slot_tag(word_peek(slot)) != place.tag
                                         ? MISMATCH
                                         : read_slot(cache, record, slot, &place, key, how, value, token);
        if (outcome == HIT) {
            count_fetch(record, key, how, COUNT_HITS);
            if (!(how & CACHE_UNTRACED)) {
                const uint64_t units = entry_units(key->length, units_of(value->length));
                sample_note(cache, place.hash, SAMPLE_HIT, units, value->expires);
            }
            return true;
        }
        if (outcome == EXPIRED || outcome == MISSING) {
            break;
        }
    }
    count_fetch(record, key, how, COUNT_MISSES);
    if (!(how & CACHE_UNTRACED)) {
        sample_note(cache, place.hash, SAMPLE_MISS, 0, 0);
    }
    return false;
}

/* Completes a fetch whose value may expire. Kept out of find(), which reads no clock and so saves no registers. */
static __attribute__((noinline)) bool find_expiring(struct cache *cache, const struct cache_key *key,
                                                    unsigned from, unsigned how, struct cache_value *value) {
    if (UNLIKELY(is_stale(value))) {
        return find_slowly(cache, key, from, how, value, NULL);
    }
    count_fetch(cache->identity->record, key, how, COUNT_HITS);
    return true;
}

static inline __attribute__((always_inline)) bool find(struct cache *cache, const struct cache_key *key,
                                                       unsigned how, uint64_t not_yet, struct cache_value *value) {
    struct record_shared *record = cache->identity->record;
    if (UNLIKELY(--cache->calls_until_look == 0 || !record || !(how & CACHE_ZERO_COPY))) {
        return find_slowly(cache, key, 0, how, value, NULL);
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
                if (LIKELY(read_pinned(cache, record, word, hash, key, how, value))) {
                    if (UNLIKELY(value->expires != 0 && (not_yet == 0 || value->expires < not_yet))) {
                        return find_expiring(cache, key, b * BUCKET_SLOTS + i, how, value);
                    }
                    count_fetch(record, key, how, COUNT_HITS);
                    return true;
                }
                return find_slowly(cache, key, b * BUCKET_SLOTS + i, how, value, NULL);
            }
        }
        number = hash_second(map, hash);
    }
    count_fetch(record, key, how, COUNT_MISSES);
    return sample_has(map, hash) && sample_miss(cache, hash);
}

bool cache_find(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value) {
    return find(cache, key, zero_copy ? CACHE_ZERO_COPY : 0, 0, value);
}

bool cache_find_kept(struct cache *cache, const struct cache_key *key, bool zero_copy, struct cache_value *value) {
    return find(cache, key, CACHE_STALE | (zero_copy ? CACHE_ZERO_COPY : 0), 0, value);
}

bool cache_find_beside(struct cache *cache, const struct cache_key *key, bool zero_copy, uint64_t not_yet,
                       struct cache_value *value) {
    return find(cache, key, CACHE_UNCOUNTED | (zero_copy ? CACHE_ZERO_COPY : 0), not_yet, value);
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

void cache_count_fetch(struct cache *cache, bool hit) {
    struct record_shared *record = attached_record(cache);
    if (record) {
        count(record, hit ? COUNT_HITS : COUNT_MISSES);
    }
}

void cache_unreadable(struct cache *cache) {
    struct record_shared *record = attached_record(cache);
    if (record) {
        count(record, COUNT_UNREADABLE);
    }
}

bool cache_find_token(struct cache *cache, const struct cache_key *key, unsigned how, struct cache_value *value,
                      uint64_t *token) {
    cache->calls_until_look--;
    return find_slowly(cache, key, 0, how, value, token);
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
        exists = !index_is_missing(found.entry, found.entry);
        FAILPOINT(exists_looked);
        /* An expired entry that was replaced, perhaps before it expired, says nothing about the new one. */
        if (!exists && !is_replaced(&found)) {
            break;
        }
    }
    clear_copying(record);
    return exists;
}
