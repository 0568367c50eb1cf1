/*
 * Describing entries: of one key, or a walk over all in the order of the index.
 *
 * A walk meets every key that stays: a word never moves between slots, and replacing or moving its entry changes it
 * where it stands. It gives none twice: a key that is deleted and stored again may get a later slot, and is known by a
 * hash that was kept; not the index's, which comes from the binding and can be made to collide.
 *
 * A slot is read as by a fetch without a pin (see read.c): its page is announced, and the word loaded again.
 */
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "index.h"
#include "os.h"

/* A set of hashes; 0 is a free place, and a quarter of them are free. */
struct seen {
    uint64_t *hashes;
    size_t room, count; /* `room` is 0 or a power of two */
};

struct cache_walk {
    uint64_t slot; /* the next one */
    uint64_t seed; /* of the segment; 0: not begun */
    struct seen seen;
    char *copy; /* the key of the last entry; behind it, at a multiple of 8, the value if it is copied */
    size_t room;
    uint32_t copied_kind;
    unsigned lines_ahead; /* as many as the last entry had, if it was copied */
    size_t prefix_length;
    char prefix[];
};

/* ---- What was given already ---- */

static uint64_t hash_key(const char *bytes, uint32_t length, uint64_t seed) {
    uint64_t hash = hash_mix(length, seed);
    for (; length >= UNIT; bytes += UNIT, length -= UNIT) {
        hash = hash_mix(hash ^ load_8(bytes), seed);
    }
    uint64_t rest = 0;
    memcpy(&rest, bytes, length);
    hash = hash_mix(hash ^ rest, seed);
    return hash ? hash : 1;
}

/* Begins to load the place of a hash: they lie all over the set. */
static void seen_prefetch(const struct seen *seen, uint64_t hash) {
    if (seen->room) {
        __builtin_prefetch(&seen->hashes[hash & (seen->room - 1)]);
    }
}

static uint64_t *seen_place(const struct seen *seen, uint64_t hash) {
    size_t at = hash & (seen->room - 1);
    while (seen->hashes[at] != 0 && seen->hashes[at] != hash) {
        at = (at + 1) & (seen->room - 1);
    }
    return &seen->hashes[at];
}

static bool seen_grow(struct seen *seen) {
    struct seen grown = {.room = seen->room ? seen->room * 2 : 64, .count = seen->count};
    grown.hashes = calloc(grown.room, sizeof *grown.hashes);
    if (!grown.hashes) {
        return false;
    }
    for (size_t i = 0; i < seen->room; i++) {
        if (seen->hashes[i] != 0) {
            *seen_place(&grown, seen->hashes[i]) = seen->hashes[i];
        }
    }
    free(seen->hashes);
    *seen = grown;
    return true;
}

/* CACHE_OK: it was new. */
static enum cache_result seen_add(struct seen *seen, uint64_t hash) {
    if (seen->count + 1 > seen->room / 4 * 3 && !seen_grow(seen)) {
        return CACHE_NO_ROOM;
    }
    uint64_t *place = seen_place(seen, hash);
    if (*place == hash) {
        return CACHE_EXISTS;
    }
    *place = hash;
    seen->count++;
    return CACHE_OK;
}

/* ---- A slot ---- */

static bool is_whole(const struct map *map, const struct bucket_shared *bucket, uint64_t word,
                     const struct entry_shared *entry) {
    const struct place place = hash_place(map, entry_hash(entry));
    return slot_location(entry->where) == slot_location(word) && where_key_length(entry->where) > 0 &&
           entry_inside(map, slot_location(word), entry) && place.tag == slot_tag(word) &&
           (place.first == bucket || place.second == bucket);
}

/* The entry that a slot names; its page stays announced. False: none. Like index.c it keeps trying while the word
 * changes. */
static bool find_in_slot(struct cache *cache, struct record_shared *record, uint64_t number, struct found *found) {
    struct bucket_shared *bucket = ref_bucket(&cache->map, (uint32_t)(number / BUCKET_SLOTS));
    shared_word *slot = &bucket->slots[number % BUCKET_SLOTS];
    uint64_t word;
    const struct entry_shared *entry = index_protect(cache, record, slot, &word);
    if (!entry || !slot_is_committed(word) || !is_whole(&cache->map, bucket, word, entry)) {
        return false;
    }
    *found = (struct found){
        .slot = slot,
        .word = word,
        .page = ref_page(&cache->map, slot_location(word)),
        .entry = entry,
    };
    return true;
}

static uint64_t slot_count(const struct map *map) {
    return (uint64_t)map->bucket_count * BUCKET_SLOTS;
}

/* How many buckets ahead entries begin to be loaded: they lie all over the pages, and a walk would wait for each. Of an
 * entry that will not be copied the end of the key, and the beginning of the value, may be in the second line. */
enum {
    BUCKETS_AHEAD = 16,
    CACHE_LINE = 64,
    LINES_AHEAD = 2,
    LINES_AHEAD_MAX = CACHE_WALK_COPY_MAX / CACHE_LINE + 2
};

/* Most are, so this is what a walk costs. The compiler does not unroll a loop. */
static bool is_empty(const struct bucket_shared *bucket) {
    const shared_word *slots = bucket->slots;
    _Static_assert(BUCKET_SLOTS == 8, "all slots are looked at");
    return (word_peek(&slots[0]) | word_peek(&slots[1]) | word_peek(&slots[2]) | word_peek(&slots[3]) |
            word_peek(&slots[4]) | word_peek(&slots[5]) | word_peek(&slots[6]) | word_peek(&slots[7])) == 0;
}

/* A processor ignores what cannot be loaded, so damaged slots need no branch. */
static void prefetch_entries(const struct map *map, const struct bucket_shared *bucket, unsigned lines) {
    if (is_empty(bucket)) {
        return;
    }
    for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
        const uint64_t word = word_peek(&bucket->slots[i]);
        const uintptr_t entry = (uintptr_t)map->readonly + (slot_location(word) << UNIT_SHIFT);
        for (unsigned line = 0; word != 0 && line < lines; line++) {
            __builtin_prefetch((const void *)(entry + line * CACHE_LINE));
        }
    }
}

/* The first bucket from this one on that has memory, or the number of buckets: of a new index most have none. */
static uint64_t next_with_memory(const struct map *map, uint64_t number) {
    while (!map->index_whole && number < map->bucket_count &&
           !ref_has_memory(map, (uint32_t)number >> map->bucket_step_shift)) {
        number = ((number >> map->bucket_step_shift) + 1) << map->bucket_step_shift;
    }
    return number < map->bucket_count ? number : map->bucket_count;
}

/* The first slot from `slot` on that is not empty, or the number of slots. */
static uint64_t next_used(const struct map *map, uint64_t slot, unsigned lines_ahead) {
    for (; slot < slot_count(map); slot += BUCKET_SLOTS - slot % BUCKET_SLOTS) {
        if (slot % BUCKET_SLOTS == 0) {
            slot = next_with_memory(map, slot / BUCKET_SLOTS) * BUCKET_SLOTS;
            if (slot == slot_count(map)) {
                break;
            }
        }
        const uint32_t number = (uint32_t)(slot / BUCKET_SLOTS);
        const struct bucket_shared *bucket = ref_bucket(map, number);
        if (slot % BUCKET_SLOTS == 0) {
            const uint32_t ahead = number + BUCKETS_AHEAD;
            prefetch_entries(map, ref_bucket(map, ahead < map->bucket_count ? ahead : 0), lines_ahead);
            if (is_empty(bucket)) {
                continue;
            }
        }
        for (unsigned i = slot % BUCKET_SLOTS; i < BUCKET_SLOTS; i++) {
            if (word_peek(&bucket->slots[i]) != 0) {
                return slot / BUCKET_SLOTS * BUCKET_SLOTS + i;
            }
        }
    }
    return slot;
}

static bool begins_with(const struct entry_shared *entry, const char *prefix, size_t length) {
    return where_key_length(entry->where) >= length && memcmp(entry_key(entry), prefix, length) == 0;
}

/* All but the key. */
static void describe(const struct found *found, struct cache_entry *entry) {
    const struct entry_shared *it = found->entry;
    const uint64_t now = os_milliseconds() / 1000;
    const uint64_t age = (now - it->stored) & ((1u << STORED_BITS) - 1);
    *entry = (struct cache_entry){
        .key_length = where_key_length(it->where),
        .kind = where_kind(it->where),
        .size = (size_t)entry_units_all(it) << UNIT_SHIFT,
        .expires = it->expires,
        .age = age,
        .stored = (now - age) * 1000,
        .used = slot_use(found->word) > USE_NONE,
    };
}

/* ---- One key ---- */

enum cache_result cache_describe(struct cache *cache, const struct cache_key *key, struct cache_entry *entry) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    const struct place place = index_place(cache, key);
    struct found found;
    const bool there = index_find_announced(cache, record, &place, key, &found) && !index_is_expired(found.entry);
    if (there) {
        describe(&found, entry);
        entry->key = key->bytes;
    }
    clear_copying(record);
    return there ? CACHE_OK : CACHE_ABSENT;
}

/* ---- A walk ---- */

struct cache_walk *cache_walk_begin(const char *prefix, size_t length) {
    struct cache_walk *walk = calloc(1, sizeof *walk + length);
    if (walk) {
        walk->lines_ahead = LINES_AHEAD;
        walk->prefix_length = length;
        memcpy(walk->prefix, prefix, length);
    }
    return walk;
}

void cache_walk_copy(struct cache_walk *walk, uint32_t kind) {
    walk->copied_kind = kind;
    walk->lines_ahead = LINES_AHEAD;
}

void cache_walk_end(struct cache_walk *walk) {
    free(walk->seen.hashes);
    free(walk->copy);
    free(walk);
}

static bool is_copied(const struct cache_walk *walk, const struct entry_shared *entry) {
    return walk->copied_kind != 0 && where_kind(entry->where) == walk->copied_kind &&
           entry->units <= CACHE_WALK_COPY_MAX / UNIT;
}

/* Copies the first bytes behind the header of an announced entry. */
static bool copy(struct cache_walk *walk, const struct entry_shared *entry, size_t length) {
    if (length > walk->room) {
        char *grown = realloc(walk->copy, length * 2);
        if (!grown) {
            return false;
        }
        walk->copy = grown;
        walk->room = length * 2;
    }
    memcpy(walk->copy, entry_key(entry), length);
    return true;
}

/* CACHE_ABSENT or CACHE_EXISTS: skip it. */
static enum cache_result give(struct cache *cache, struct record_shared *record, struct cache_walk *walk,
                              const struct found *found, struct cache_entry *entry) {
    if (!begins_with(found->entry, walk->prefix, walk->prefix_length) || index_is_expired(found->entry)) {
        walk->lines_ahead = LINES_AHEAD;
        return CACHE_ABSENT;
    }
    const uint32_t key_length = where_key_length(found->entry->where);
    const size_t key_room = units_of(key_length) << UNIT_SHIFT;
    const bool with_value = is_copied(walk, found->entry);
    const size_t length = with_value ? key_room + ((size_t)found->entry->units << UNIT_SHIFT) : key_length;
    const uint64_t hash = hash_key(entry_key(found->entry), key_length, walk->seed);
    seen_prefetch(&walk->seen, hash);
    if (!copy(walk, found->entry, length)) {
        return CACHE_NO_ROOM;
    }
    describe(found, entry);
    const enum cache_result result = seen_add(&walk->seen, hash);
    if (result != CACHE_OK) {
        return result;
    }
    entry->key = walk->copy;
    walk->lines_ahead = LINES_AHEAD;
    if (with_value) {
        entry->value = walk->copy + key_room;
        const size_t lines = (sizeof *found->entry + length) / CACHE_LINE + 1;
        walk->lines_ahead = lines < LINES_AHEAD_MAX ? (unsigned)lines : LINES_AHEAD_MAX;
        index_mark_used(cache, found);
        count(record, COUNT_HITS);
    }
    return CACHE_OK;
}

enum cache_result cache_walk_next(struct cache *cache, struct cache_walk *walk, struct cache_entry *entry) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_UNAVAILABLE;
    }
    if (walk->seed == 0) {
        walk->seed = cache->map.seed;
    }
    if (walk->seed != cache->map.seed) {
        return CACHE_ABSENT;
    }
    enum cache_result result = CACHE_ABSENT;
    while (result != CACHE_OK && result != CACHE_NO_ROOM) {
        struct found found;
        result = CACHE_ABSENT;
        walk->slot = next_used(&cache->map, walk->slot, walk->lines_ahead);
        if (walk->slot == slot_count(&cache->map)) {
            break;
        }
        if (find_in_slot(cache, record, walk->slot++, &found)) {
            result = give(cache, record, walk, &found, entry);
        }
    }
    clear_copying(record);
    return result == CACHE_EXISTS ? CACHE_ABSENT : result;
}

uint64_t cache_delete_prefix(struct cache *cache, const char *prefix, size_t length) {
    struct record_shared *record = enter_to_delete(cache);
    uint64_t deleted = 0;
    for (uint64_t slot = 0; record; slot++) {
        struct found found;
        slot = next_used(&cache->map, slot, LINES_AHEAD);
        if (slot == slot_count(&cache->map)) {
            break;
        }
        while (find_in_slot(cache, record, slot, &found) && begins_with(found.entry, prefix, length)) {
            const bool expired = index_is_expired(found.entry);
            if (index_unlink(cache, &found)) {
                deleted += !expired;
                count(record, expired ? COUNT_EXPIRED : COUNT_DELETES);
                break;
            } /* else it was moved or replaced */
        }
    }
    if (record) {
        clear_copying(record);
    }
    return deleted;
}
