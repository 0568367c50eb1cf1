/* Keys and values of every size. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "suites.h"

static void every_small_length(void) {
    struct cache *cache = open_cache(8);
    for (size_t length = 0; length <= 600; length++) {
        EXPECT_EQUAL(put(cache, key_of("k%zu", length), length, length), CACHE_OK);
        EXPECT(has(cache, key_of("k%zu", length), length, length));
    }
    for (size_t length = 0; length <= 600; length++) {
        EXPECT(has(cache, key_of("k%zu", length), length, length));
        EXPECT(has_copied(cache, key_of("k%zu", length), length, length));
    }
    expect_nothing_left(cache);
}

/* Lengths around those at which something changes: half a page, pages of a run, the longest. */
static void every_kind_of_length(void) {
    struct cache *cache = open_cache(32);
    const size_t max = cache_value_max(cache);
    EXPECT(max > 3 * MIB && max <= 4 * MIB);
    static const size_t edges[] = {4096, 32 * KIB, 64 * KIB, 128 * KIB, 300 * KIB, MIB, 2 * MIB};
    for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (size_t length = edges[i] - 80; length <= edges[i] + 80; length += 8) {
            EXPECT_EQUAL(put(cache, key_of("k"), length, length), CACHE_OK);
            EXPECT(has(cache, key_of("k"), length, length));
            EXPECT(has_copied(cache, key_of("k"), length, length));
            cache_request_end(cache, false);
        }
        expect_sound(cache);
    }
    EXPECT_EQUAL(put(cache, key_of("k"), 1, max), CACHE_OK);
    EXPECT(has(cache, key_of("k"), 1, max));
    expect_nothing_left(cache);
}

static struct cache_key long_key(char *bytes, uint32_t length, unsigned number) {
    for (uint32_t i = 0; i < length; i++) {
        bytes[i] = (char)(number + i * 7);
    }
    return (struct cache_key){bytes, length, number * 1000003 + length};
}

static void every_key_length(void) {
    struct cache *cache = open_cache(16);
    char *bytes = malloc(CACHE_KEY_MAX);
    static const uint32_t lengths[] = {1,  2,  3,   4,   5,   6,    7,    8,     9,     15,    16,    17,
                                       31, 32, 255, 256, 257, 1000, 4096, 32700, 32760, 65528, 65534, 65535};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (unsigned number = 0; number < 3; number++) {
            EXPECT_EQUAL(put(cache, long_key(bytes, lengths[i], number), number, 40), CACHE_OK);
        }
        for (unsigned number = 0; number < 3; number++) {
            EXPECT(has(cache, long_key(bytes, lengths[i], number), number, 40));
        }
        EXPECT(!is_there(cache, long_key(bytes, lengths[i], 3)));
    }
    /* The longest key with the longest value. */
    const size_t max = cache_value_max(cache);
    EXPECT_EQUAL(put(cache, long_key(bytes, CACHE_KEY_MAX, 9), 9, max), CACHE_OK);
    EXPECT(has(cache, long_key(bytes, CACHE_KEY_MAX, 9), 9, max));
    free(bytes);
    expect_nothing_left(cache);
}

/* The whole key is compared: keys that differ in one byte, or only in length, are different. */
static void near_keys(void) {
    struct cache *cache = open_cache(8);
    static const char *const texts[] = {"abcdefgh", "abcdefg",    "abcdefg\0", "abcdefgx",
                                        "Abcdefgh", "abcdefgh\0", ""};
    static const uint32_t lengths[] = {8, 7, 8, 8, 8, 9, 0};
    for (unsigned i = 0; lengths[i]; i++) {
        const struct cache_key key = {texts[i], lengths[i], 42}; /* the same hash for all */
        EXPECT_EQUAL(put(cache, key, i, 40), CACHE_OK);
    }
    for (unsigned i = 0; lengths[i]; i++) {
        const struct cache_key key = {texts[i], lengths[i], 42};
        EXPECT(has(cache, key, i, 40));
    }
    const struct cache_key other = {"abcdefgy", 8, 42};
    EXPECT(!is_there(cache, other));
    expect_nothing_left(cache);
}

/* Keys with one hash share sixteen slots and displace each other, but no other keys. */
static void colliding_keys(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("bystander"), 1, 40), CACHE_OK);
    for (unsigned i = 0; i < 1000; i++) {
        struct cache_key key = key_of("k%u", i);
        key.hash = 42;
        EXPECT_EQUAL(put(cache, key, i, 40), CACHE_OK);
        EXPECT(has(cache, key, i, 40));
    }
    unsigned there = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct cache_key key = key_of("k%u", i);
        key.hash = 42;
        there += has(cache, key, i, 40);
    }
    EXPECT(there >= BUCKET_SLOTS && there <= 2 * BUCKET_SLOTS);
    EXPECT(info_of(cache).displaced >= 1000 - 2 * BUCKET_SLOTS);
    EXPECT(has(cache, key_of("bystander"), 1, 40));
    expect_nothing_left(cache);
}

static void many_keys(void) {
    struct cache *cache = open_cache(64);
    enum { KEYS = 200000 };
    put_many(cache, "key ", KEYS, 64);
    unsigned lost = 0;
    for (unsigned i = 0; i < KEYS; i++) {
        lost += !has(cache, key_of("key %u", i), i, 64);
    }
    EXPECT_EQUAL(lost, 0);
    EXPECT_EQUAL(info_of(cache).entries, KEYS);
    expect_nothing_left(cache);
}

static void kinds(void) {
    struct cache *cache = open_cache(8);
    for (uint32_t kind = 2; kind <= CACHE_KIND_MAX; kind++) {
        struct cache_span span;
        const struct cache_key key = key_of("k%u", kind);
        EXPECT_EQUAL(cache_reserve(cache, &key, 24, CACHE_SET, &span), CACHE_OK);
        fill_pattern(span.bytes, 24, kind);
        EXPECT_EQUAL(cache_commit(cache, &key, kind, 0, CACHE_SET, NULL), CACHE_OK);
        struct cache_value value;
        EXPECT(cache_find(cache, &key, true, &value));
        EXPECT_EQUAL(value.kind, kind);
    }
    expect_nothing_left(cache);
}

/* Pointers inside a value assume the span's base, and are adjusted to the place where the value is found. */
struct chain {
    uintptr_t next;
    uint64_t number;
};
static void rebase_chain(uint32_t kind, void *bytes, size_t length, uintptr_t from, uintptr_t to) {
    for (size_t i = 0; i < length / sizeof(struct chain); i++) {
        struct chain *link = (struct chain *)bytes + i;
        EXPECT(link->next >= from && link->next <= from + length);
        link->next = link->next - from + to;
    }
}
static void expect_chain(const struct cache_value *value, uint64_t seed) {
    for (size_t i = 0; i < value->length / sizeof(struct chain); i++) {
        const struct chain *link = (const struct chain *)value->bytes + i;
        EXPECT_EQUAL(link->next, value->base + (i + 1) * sizeof(struct chain));
        EXPECT_EQUAL(link->number, seed + i);
    }
}
static void pointers(void) {
    struct cache_options options = options_of(8);
    options.rebase = rebase_chain;
    struct cache *cache = open_with(&options);
    const struct cache_key key = {"chain", 5, 4711};
    struct cache_span span;
    EXPECT_EQUAL(cache_reserve(cache, &key, 1600, CACHE_SET, &span), CACHE_OK);
    for (size_t i = 0; i < 100; i++) {
        ((struct chain *)span.bytes)[i] = (struct chain){span.base + (i + 1) * sizeof(struct chain), 77 + i};
    }
    EXPECT_EQUAL(cache_commit(cache, &key, KIND, 0, CACHE_SET, NULL), CACHE_OK);
    struct cache_value value;
    const void *before = NULL;
    unsigned moves = 0;
    for (unsigned round = 0; round < 200; round++) {
        EXPECT(cache_find(cache, &key, true, &value));
        expect_chain(&value, 77);
        moves += value.bytes != before;
        before = value.bytes;
        EXPECT(cache_find(cache, &key, false, &value));
        expect_chain(&value, 77);
        end_request(cache);
        for (unsigned i = 0; i < 20; i++) {
            struct cache_span filler;
            const struct cache_key other = key_of("filler %u", round * 20 + i);
            EXPECT_EQUAL(cache_reserve(cache, &other, 16000, CACHE_SET, &filler), CACHE_OK);
            for (size_t w = 0; w < 1000; w++) {
                ((struct chain *)filler.bytes)[w] = (struct chain){filler.base, w};
            }
            EXPECT_EQUAL(cache_commit(cache, &other, KIND, 0, CACHE_SET, NULL), CACHE_OK);
        }
        EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_OK);
    }
    EXPECT(moves > 100);
    expect_nothing_left(cache);
}

/* Number of `stores`, under the keys in turn, that get memory which is not in the processor's caches. */
static unsigned cold_stores(struct cache *cache, unsigned stores, unsigned keys, size_t length) {
    unsigned cold = 0;
    for (unsigned i = 0; i < stores; i++) {
        const struct cache_key key = key_of("cold %u", i % keys);
        struct cache_span span;
        EXPECT_EQUAL(cache_reserve(cache, &key, length, CACHE_SET, &span), CACHE_OK);
        cold += span.cold;
        EXPECT_EQUAL(cache_commit(cache, &key, KIND, 0, CACHE_SET, NULL), CACHE_OK);
    }
    return cold;
}
static void cold_memory(void) {
    struct cache *cache = open_cache(64);
    EXPECT_EQUAL(cold_stores(cache, 100, 100, 100), 0); /* not tracked for short values */
    for (unsigned i = 0; i < 2; i++) {
        const size_t length = i ? 16 * KIB : 100 * KIB; /* in an open page, in a run */
        EXPECT(cold_stores(cache, 300, 300, length) > 290);
        EXPECT(cold_stores(cache, 300, 300, length) > 290);
        cold_stores(cache, 20, 1, length);
        EXPECT_EQUAL(cold_stores(cache, 200, 1, length), 0);
    }
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"values of 0 to 600 bytes are found", every_small_length},
    {"values up to the longest are found, around every limit", every_kind_of_length},
    {"keys of 1 to 65,535 bytes", every_key_length},
    {"keys that differ in one byte or in length are different", near_keys},
    {"keys made to collide displace only each other", colliding_keys},
    {"of 200,000 keys none is lost", many_keys},
    {"kinds are kept", kinds},
    {"pointers inside values are adjusted when they move", pointers},
    {"memory that was written lately is told from memory that was not", cold_memory},
    {0},
};
const struct suite suite_values = {.name = "values", .tests = tests};
