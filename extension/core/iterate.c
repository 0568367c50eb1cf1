/*
 * Describes entries: the entry of one key, or all entries by a walk, in the order of the index. Buckets without
 * words are skipped.
 *
 * A walk meets every key that stays. A word never moves between slots, and replacing or moving its entry changes the
 * word in its slot. A walk returns no key twice. A key that is deleted and stored again may get a later slot, so the
 * walk keeps a hash of each key. That is not the index's hash, which comes from the binding and can be made to
 * collide.
 *
 * A slot is read as by a fetch without a pin (see read.c): its page is announced, and the word is loaded again.
 */
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "failpoint.h"
#include "index.h"
#include "occupied.h"
#include "os.h"

/* A set of hashes. 0 is a free place; at least a quarter of the places are free. */
struct seen {
    uint64_t *hashes;
    size_t room, count; /* `room` is 0 or a power of two */
};

/* The position of a walk: at a slot of the first of some marked buckets. Marked buckets lie all over the index, and
 * their entries all over the pages, so a walk would wait for each. A bucket is prefetched when it is queued, and its
 * entries half a queue later. A cursor begins as zeros. */
enum { QUEUE = 32, ENTRIES_AHEAD = 16 };
struct cursor {
    uint32_t queue[QUEUE]; /* bucket numbers: a ring that begins at `first` */
    unsigned first, queued;
    unsigned slot; /* next slot of the first bucket */
    uint32_t bits; /* buckets of the previous word of marks that are not queued yet */
    uint32_t word; /* the next word of marks to read, see occupied.h */
};

struct cache_walk {
    struct cursor cursor;
    uint64_t seed; /* seed of the segment; 0: not begun */
    struct seen seen;
    char *copy; /* the last entry's key; behind it, at a multiple of 8, its value if it is copied */
    size_t room;
    uint32_t copied_kind;
    unsigned lines_ahead;      /* as many as the last entry had, if it was copied */
    cache_walk_filter *filter; /* NULL: none */
    const void *context;
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

/* Prefetches the place of a hash: the places lie all over the set. */
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

/* CACHE_OK: the hash was new. CACHE_EXISTS: it was in the set. */
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

static uint32_t queued_bucket(const struct cursor *cursor, unsigned number) {
    return cursor->queue[(cursor->first + number) % QUEUE];
}

static bool is_whole(const struct map *map, const struct bucket_shared *bucket, uint64_t word,
                     const struct entry_shared *entry) {
    const struct place place = hash_place(map, entry_hash(entry));
    return slot_location(entry->where) == slot_location(word) && where_key_length(entry->where) > 0 &&
           entry_inside(map, slot_location(word), entry) && place.tag == slot_tag(word) &&
           (place.first == bucket || place.second == bucket);
}

/* Finds the entry that the slot names; its page stays announced. False: none. Like index.c, it keeps trying while
 * the word changes. `header` is a checked copy of the entry's header: lengths are taken from it, since damage may
 * come at any time. */
static bool find_in_slot(struct cache *cache, struct record_shared *record, const struct cursor *cursor,
                         struct found *found, struct entry_shared *header) {
    struct bucket_shared *bucket = ref_bucket(&cache->map, queued_bucket(cursor, 0));
    shared_word *slot = &bucket->slots[cursor->slot];
    uint64_t word;
    const struct entry_shared *entry = index_protect(cache, record, slot, &word);
    if (!entry || !slot_is_committed(word)) {
        return false;
    }
    *header = *entry;
    if (!is_whole(&cache->map, bucket, word, header)) {
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

/* If an entry will not be copied, two lines suffice: the second may hold the end of the key and the beginning of the
 * value. */
enum { CACHE_LINE = 64, LINES_AHEAD = 2, LINES_AHEAD_MAX = CACHE_WALK_COPY_MAX / CACHE_LINE + 2 };

/* Written out because the compiler does not unroll a loop. */
static bool is_empty(const struct bucket_shared *bucket) {
    const shared_word *slots = bucket->slots;
    _Static_assert(BUCKET_SLOTS == 8, "all slots are looked at");
    return (word_peek(&slots[0]) | word_peek(&slots[1]) | word_peek(&slots[2]) | word_peek(&slots[3]) |
            word_peek(&slots[4]) | word_peek(&slots[5]) | word_peek(&slots[6]) | word_peek(&slots[7])) == 0;
}

/* A processor ignores a prefetch that fails, so damaged slots need no branch. */
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

/* False: there is no further marked bucket. */
static bool queue_bucket(const struct map *map, struct cursor *cursor) {
    uint32_t bucket = map->bucket_count;
    if (occupied_take(map, &cursor->word, &cursor->bits, &bucket)) {
        cursor->queue[(cursor->first + cursor->queued++) % QUEUE] = bucket;
        __builtin_prefetch(&map->buckets[bucket]);
        return true;
    }
    return false;
}

static void load_entries(const struct map *map, const struct cursor *cursor, unsigned number, unsigned lines) {
    if (number < cursor->queued) {
        prefetch_entries(map, ref_bucket(map, queued_bucket(cursor, number)), lines);
    }
}

static void begin_cursor(const struct map *map, struct cursor *cursor) {
    while (cursor->queued < QUEUE && queue_bucket(map, cursor)) {
    }
    for (unsigned i = 1; i < ENTRIES_AHEAD; i++) {
        load_entries(map, cursor, i, LINES_AHEAD);
    }
}

static void pass_bucket(const struct map *map, struct cursor *cursor, unsigned lines_ahead) {
    cursor->first = (cursor->first + 1) % QUEUE;
    cursor->queued--;
    cursor->slot = 0;
    queue_bucket(map, cursor);
    load_entries(map, cursor, ENTRIES_AHEAD - 1, lines_ahead);
}

/* Advances to the next slot that is not empty. False: there is none. */
static bool next_used(const struct map *map, struct cursor *cursor, unsigned lines_ahead) {
    if (cursor->word == 0) {
        begin_cursor(map, cursor);
    }
    for (; cursor->queued > 0; pass_bucket(map, cursor, lines_ahead)) {
        const uint32_t number = queued_bucket(cursor, 0);
        const struct bucket_shared *bucket = ref_bucket(map, number);
        if (cursor->slot == 0) {
            const uint64_t known = word_load(occupied_word(map, number));
            if (is_empty(bucket)) {
                FAILPOINT(bucket_found_empty);
                occupied_forget(map, number, known);
                continue;
            }
        }
        for (; cursor->slot < BUCKET_SLOTS; cursor->slot++) {
            if (word_peek(&bucket->slots[cursor->slot]) != 0) {
                return true;
            }
        }
    }
    return false;
}

static bool begins_with(const struct found *found, const struct entry_shared *header, const char *prefix,
                        size_t length) {
    return where_key_length(header->where) >= length && memcmp(entry_key(found->entry), prefix, length) == 0;
}

/* Describes all but the key. `it` is the header of the entry `at`, or a copy of the header. */
static void describe(uint64_t word, const struct entry_shared *it, const struct entry_shared *at,
                     struct cache_entry *entry) {
    const uint64_t now = os_milliseconds() / 1000;
    const uint64_t age = (now - it->stored) & ((1u << STORED_BITS) - 1);
    *entry = (struct cache_entry){
        .key_length = where_key_length(it->where),
        .kind = where_kind(it->where),
        .size = (size_t)entry_units_all(it) << UNIT_SHIFT,
        .expires = entry_fresh_until(it, at),
        .kept = it->expires,
        .cost = (uint32_t)(entry_freshness(it, at) >> EXPIRES_BITS),
        .age = age,
        .stored = (now - age) * 1000,
        .used = slot_use(word) > USE_NONE,
        .often = slot_use(word) >= USE_MAX,
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
    const bool there =
        index_find_announced(cache, record, &place, key, &found) && !index_is_missing(found.entry, found.entry);
    if (there) {
        describe(found.word, found.entry, found.entry, entry);
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

void cache_walk_only(struct cache_walk *walk, cache_walk_filter *filter, const void *context) {
    walk->filter = filter;
    walk->context = context;
}

void cache_walk_end(struct cache_walk *walk) {
    free(walk->seen.hashes);
    free(walk->copy);
    free(walk);
}

static bool is_copied(const struct cache_walk *walk, const struct entry_shared *header) {
    return walk->copied_kind != 0 && where_kind(header->where) == walk->copied_kind &&
           header->units <= CACHE_WALK_COPY_MAX / UNIT;
}

/* Copies the bytes `from` to `to` behind the header of an announced entry. */
static bool copy(struct cache_walk *walk, const struct entry_shared *entry, size_t from, size_t to) {
    if (to > walk->room) {
        char *grown = realloc(walk->copy, to * 2);
        if (!grown) {
            return false;
        }
        walk->copy = grown;
        walk->room = to * 2;
    }
    memcpy(walk->copy + from, entry_key(entry) + from, to - from);
    return true;
}

/* CACHE_ABSENT or CACHE_EXISTS: skip the entry. */
static enum cache_result give(struct cache *cache, struct record_shared *record, struct cache_walk *walk,
                              const struct found *found, const struct entry_shared *header,
                              struct cache_entry *entry) {
    walk->lines_ahead = LINES_AHEAD;
    if (!begins_with(found, header, walk->prefix, walk->prefix_length) || index_is_missing(header, found->entry)) {
        return CACHE_ABSENT;
    }
    const uint32_t key_length = where_key_length(header->where);
    const size_t key_room = units_of(key_length) << UNIT_SHIFT;
    if (!copy(walk, found->entry, 0, key_room)) {
        return CACHE_NO_ROOM;
    }
    if (walk->filter && !walk->filter(walk->context, walk->copy, key_length)) {
        return CACHE_ABSENT;
    }
    const bool with_value = is_copied(walk, header);
    const size_t length = with_value ? key_room + ((size_t)header->units << UNIT_SHIFT) : key_room;
    const uint64_t hash = hash_key(walk->copy, key_length, walk->seed);
    seen_prefetch(&walk->seen, hash);
    if (!copy(walk, found->entry, key_room, length)) {
        return CACHE_NO_ROOM;
    }
    describe(found->word, header, found->entry, entry);
    const enum cache_result result = seen_add(&walk->seen, hash);
    if (result != CACHE_OK) {
        return result;
    }
    entry->key = walk->copy;
    if (with_value) {
        entry->value = walk->copy + key_room;
        const size_t lines = (sizeof *header + length) / CACHE_LINE + 1;
        walk->lines_ahead = lines < LINES_AHEAD_MAX ? (unsigned)lines : LINES_AHEAD_MAX;
        index_mark_used(cache, found);
        count(record, COUNT_HITS);
        sample_note(cache, entry_hash(header), SAMPLE_HIT, entry_units_all(header), header->expires);
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
        struct entry_shared header;
        result = CACHE_ABSENT;
        if (!next_used(&cache->map, &walk->cursor, walk->lines_ahead)) {
            break;
        }
        if (find_in_slot(cache, record, &walk->cursor, &found, &header)) {
            result = give(cache, record, walk, &found, &header, entry);
        }
        walk->cursor.slot++;
    }
    clear_copying(record);
    return result == CACHE_EXISTS ? CACHE_ABSENT : result;
}

uint64_t cache_delete_prefix(struct cache *cache, const char *prefix, size_t length) {
    struct record_shared *record = enter_to_delete(cache);
    uint64_t deleted = 0;
    struct cursor cursor = {0};
    for (; record && next_used(&cache->map, &cursor, LINES_AHEAD); cursor.slot++) {
        struct found found;
        struct entry_shared header;
        while (find_in_slot(cache, record, &cursor, &found, &header) &&
               begins_with(&found, &header, prefix, length)) {
            const bool expired = index_is_expired(&header), missing = index_is_missing(&header, found.entry);
            if (index_unlink(cache, &found)) {
                deleted += !missing;
                count(record, expired ? COUNT_EXPIRED : COUNT_DELETES);
                sample_note(cache, entry_hash(&header), SAMPLE_DELETE, 0, 0);
                break;
            } /* otherwise it was moved or replaced: look again */
        }
    }
    if (record) {
        clear_copying(record);
    }
    return deleted;
}
