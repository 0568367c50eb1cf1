#include "damage.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guards.h"
#include "occupied.h"
#include "pin.h"

enum { KEYS = 300, LARGE = 50 };

uint64_t draw(struct sequence *sequence, uint64_t below) {
    uint64_t word = sequence->state;
    word ^= word >> 12;
    word ^= word << 25;
    word ^= word >> 27;
    sequence->state = word;
    return word * UINT64_C(0x2545f4914f6cdd1d) % below;
}

/* ---- Damaging ---- */

static void change(const struct map *map, uint64_t *word, struct sequence *sequence) {
    const uint64_t special[] = {0,
                                1,
                                UINT64_MAX,
                                map->size,
                                map->size - 1,
                                map->size >> UNIT_SHIFT,
                                UINT64_C(1) << 31,
                                UINT64_C(1) << 63,
                                LOCATION_MASK,
                                ref_location(map, map->page_count - 1, page_units(map) - 1),
                                *word + 1,
                                *word - 1};
    uint64_t value;
    switch (draw(sequence, 3)) {
        case 0:
            value = *word ^ UINT64_C(1) << draw(sequence, 64);
            break;
        case 1:
            value = special[draw(sequence, sizeof special / sizeof *special)];
            break;
        default:
            value = draw(sequence, UINT64_MAX);
            break;
    }
    *(volatile uint64_t *)word = value;
}

static void change_table(const struct map *map, void *table, size_t bytes, struct sequence *sequence) {
    uint64_t *words = table;
    const size_t count = bytes / sizeof *words;
    for (uint64_t i = 1 + draw(sequence, 16); i > 0; i--) {
        uint64_t *word = &words[draw(sequence, count)];
        if (draw(sequence, 4) == 0) {
            *word = words[draw(sequence, count)]; /* a word that is right elsewhere */
        } else {
            change(map, word, sequence);
        }
    }
}

/* Changes the header or the key of an entry that the index names. */
static void change_entry(const struct map *map, struct sequence *sequence) {
    for (unsigned i = 0; i < 1000; i++) {
        const struct bucket_shared *bucket = &map->buckets[draw(sequence, map->bucket_count)];
        const uint64_t location = slot_location(word_load(&bucket->slots[draw(sequence, BUCKET_SLOTS)]));
        if (location == 0 || ref_page(map, location) >= map->page_count) {
            continue;
        }
        struct entry_shared *entry = ref_writable(map, location);
        uint64_t *words = (uint64_t *)entry;
        if (ref_unit(map, location) + 8 <= page_units(map)) {
            change(map, &words[draw(sequence, draw(sequence, 4) ? 4 : 5)], sequence);
        }
        return;
    }
}

/* Changes words of the index so that they name arbitrary places. */
static void change_names(const struct map *map, struct sequence *sequence) {
    for (unsigned i = 0; i < 200; i++) {
        shared_word *slot = &map->buckets[draw(sequence, map->bucket_count)].slots[draw(sequence, BUCKET_SLOTS)];
        const uint64_t word = word_load(slot);
        if (word) {
            const uint64_t last = ref_location(map, map->page_count, 0) - 1 - draw(sequence, 6);
            const uint64_t anywhere = draw(sequence, map->size >> UNIT_SHIFT);
            word_store(slot, (word & ~LOCATION_MASK) | (draw(sequence, 2) ? last : anywhere));
            return;
        }
    }
}

void damage(const struct map *map, struct sequence *sequence) {
    const size_t fixed = offsetof(struct header_shared, retired);
    switch (draw(sequence, 12)) {
        case 0:
            change_table(map, map->header, fixed, sequence);
            break;
        case 1:
            change_table(map, (char *)map->header + fixed, sizeof *map->header - fixed, sequence);
            break;
        case 2:
            change_table(map, map->records, map->record_count * map->record_size, sequence);
            break;
        case 3:
        case 4:
            change_table(map, map->pages, map->page_count * sizeof *map->pages, sequence);
            break;
        case 5:
            change_table(map, ref_starts(map, (uint32_t)draw(sequence, map->page_count)), 512, sequence);
            break;
        case 6:
            change_table(map, map->populations[0], 2 * sizeof(uint64_t) * map->pin_words, sequence);
            break;
        case 7:
            change_table(map, map->buckets, map->bucket_count * sizeof *map->buckets, sequence);
            break;
        case 8:
            change_names(map, sequence);
            break;
        case 9:
            change_table(map, map->steps, (size_t)((char *)map->pages - (char *)map->steps), sequence);
            break;
        case 10:
            change_table(map, map->occupied, occupied_words(map->bucket_count) * sizeof *map->occupied, sequence);
            break;
        default:
            change_entry(map, sequence);
            break;
    }
}

/* ---- Using ---- */

static volatile uint64_t seen;

static struct cache_key key_number(uint64_t number) {
    return key_of("key %u", (unsigned)number);
}

static void read_all(struct cache *cache, const struct cache_key *key, bool zero_copy) {
    struct cache_value value;
    if (cache_find(cache, key, zero_copy, &value)) {
        EXPECT(value.length % 8 == 0 && value.length <= cache->map.size);
        for (size_t i = 0; i < value.length / 8; i++) {
            seen += ((const uint64_t *)value.bytes)[i];
        }
    }
}

static void store(struct cache *cache, const struct cache_key *key, struct sequence *sequence) {
    struct cache_span span;
    const size_t length = draw(sequence, LARGE) == 0 ? draw(sequence, 300 * KIB) : draw(sequence, 3000);
    const enum cache_mode mode = (enum cache_mode)draw(sequence, 3);
    if (cache_reserve(cache, key, length, mode, &span) == CACHE_OK) {
        memset(span.bytes, 1, span.length);
        if (draw(sequence, 20) == 0) {
            cache_abandon(cache);
        } else {
            const uint64_t expires = draw(sequence, 4) ? 0 : cache_now() + draw(sequence, 50);
            cache_commit(cache, key, 2 + (uint32_t)draw(sequence, 60), expires, mode, NULL);
        }
    }
}

/* Detaches and attaches again, as the binding does when a request finds no cache available. */
static void attach_again(struct cache **cache) {
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX];
    if (*cache) {
        close_cache(*cache);
    }
    *cache = cache_attach(&options, reason);
    EXPECT(*cache || *reason);
}

static void walk(struct cache *cache) {
    struct cache_walk *walk = cache_walk_begin("key", 3);
    struct cache_entry entry;
    cache_walk_copy(walk, 2);
    while (cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        seen += (unsigned char)entry.key[entry.key_length - 1];
        seen += entry.value && entry.size > 100 ? *(const unsigned char *)entry.value : 0u;
    }
    cache_walk_end(walk);
}

static void look(struct cache *cache, struct sequence *sequence) {
    struct cache_info info;
    struct cache_holder holders[8];
    struct cache_entry entry;
    const struct cache_key key = key_number(draw(sequence, KEYS));
    switch (draw(sequence, 7)) {
        case 0:
            cache_read_info(cache, &info);
            break;
        case 1:
            cache_read_holders(cache, holders, 8);
            break;
        case 2:
            cache_check(cache, NULL);
            break;
        case 3:
            walk(cache);
            break;
        case 4:
            cache_describe(cache, &key, &entry);
            break;
        case 5:
            cache_delete_prefix(cache, "key 1", 5);
            break;
        default:
            pin_recount(cache);
            break;
    }
}

static void use_once(struct cache **held, struct sequence *sequence) {
    struct cache *cache = *held;
    const struct cache_key key = key_number(draw(sequence, KEYS));
    int64_t result;
    switch (draw(sequence, 100)) {
        case 0:
            cache_request_end(cache, draw(sequence, 4) == 0);
            if (!cache_request_begin(cache)) {
                attach_again(held);
            }
            break;
        case 1:
            attach_again(held);
            break;
        case 2:
            look(cache, sequence);
            break;
        case 3:
            if (draw(sequence, 4) == 0) {
                cache_clear(cache);
            }
            break;
        case 4:
            if (draw(sequence, 8) == 0) {
                cache_sweep(cache);
            }
            break;
        case 5:
            cache_refuse(cache, &key);
            break;
        case 6:
            cache_recover(cache);
            break;
        case 7:
        case 8:
            cache_delete(cache, &key);
            break;
        case 9:
        case 10:
            cache_touch(cache, &key, draw(sequence, 2) ? 0 : cache_now() + draw(sequence, 50));
            break;
        case 11:
        case 12:
        case 13:
            cache_count(cache, &key, 1, 0, &result);
            break;
        case 14:
            cache_swap(cache, &key, (int64_t)draw(sequence, 3), 5);
            break;
        case 15:
            cache_exists(cache, &key);
            break;
        default:
            if (draw(sequence, 2)) {
                read_all(cache, &key, draw(sequence, 4) != 0);
            } else {
                store(cache, &key, sequence);
            }
            break;
    }
}

void use(struct cache **cache, struct sequence *sequence, unsigned calls) {
    for (unsigned i = 0; i < calls; i++) {
        if (*cache) {
            use_once(cache, sequence);
        } else {
            attach_again(cache);
        }
    }
}

void damage_batch(uint64_t seed, unsigned rounds) {
    struct sequence sequence = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    unlink(segment_file());
    struct cache *cache = NULL;
    attach_again(&cache);
    EXPECT(cache);
    guards_tighten(&cache->map);
    use(&cache, &sequence, 500);
    for (unsigned i = 0; i < rounds; i++) {
        if (cache) {
            damage(&cache->map, &sequence);
        }
        use(&cache, &sequence, 60);
    }
}
