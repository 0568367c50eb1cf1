/* Set, add, replace, delete, clear, and the state after a refused call. */
#include "fixture.h"
#include "suites.h"

static void set_replaces(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 5000; i++) {
        EXPECT_EQUAL(put(cache, key_of("a"), i, 100 + i % 500), CACHE_OK);
        EXPECT(has(cache, key_of("a"), i, 100 + i % 500));
    }
    EXPECT_EQUAL(info_of(cache).entries, 1);
    expect_nothing_left(cache);
}

static void add(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put_as(cache, key_of("a"), 1, 100, 0, CACHE_ADD), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key_of("a"), 2, 100, 0, CACHE_ADD), CACHE_EXISTS);
    EXPECT(has(cache, key_of("a"), 1, 100));
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key_of("a"), 3, 100, 0, CACHE_ADD), CACHE_OK);
    EXPECT(has(cache, key_of("a"), 3, 100));
    expect_nothing_left(cache);
}

static void replace(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put_as(cache, key_of("a"), 1, 100, 0, CACHE_REPLACE), CACHE_ABSENT);
    EXPECT(!is_there(cache, key_of("a")));
    EXPECT_EQUAL(put(cache, key_of("a"), 2, 100), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key_of("a"), 3, 200, 0, CACHE_REPLACE), CACHE_OK);
    EXPECT(has(cache, key_of("a"), 3, 200));
    expect_nothing_left(cache);
}

static void delete_some(void) {
    struct cache *cache = open_cache(8);
    put_many(cache, "", 2000, 50);
    for (unsigned i = 0; i < 2000; i += 2) {
        const struct cache_key key = key_of("%u", i);
        EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
        EXPECT_EQUAL(cache_delete(cache, &key), CACHE_ABSENT);
    }
    for (unsigned i = 0; i < 2000; i++) {
        EXPECT_EQUAL(has(cache, key_of("%u", i), i, 50), i % 2);
    }
    EXPECT_EQUAL(info_of(cache).entries, 1000);
    EXPECT_EQUAL(info_of(cache).deletes, 1000);
    expect_nothing_left(cache);
}

static void clear_all(void) {
    struct cache *cache = open_cache(8);
    for (unsigned round = 0; round < 5; round++) {
        put_many(cache, "", 1000, 50);
        EXPECT(cache_clear(cache));
        for (unsigned i = 0; i < 1000; i++) {
            EXPECT(!is_there(cache, key_of("%u", i)));
        }
        EXPECT_EQUAL(info_of(cache).entries, 0);
    }
    expect_nothing_left(cache);
}

static void abandon(void) {
    struct cache *cache = open_cache(8);
    static const size_t lengths[] = {8, 1000, 30000, 200 * KIB};
    for (unsigned i = 0; i < 4 * 500; i++) {
        struct cache_span span;
        const struct cache_key key = key_of("a");
        if (i % 7 == 0) {
            EXPECT_EQUAL(put(cache, key, i, 40), CACHE_OK);
        }
        EXPECT_EQUAL(cache_reserve(cache, &key, lengths[i % 4], CACHE_SET, &span), CACHE_OK);
        cache_abandon(cache);
        EXPECT(has_copied(cache, key, i / 7 * 7, 40)); /* the old value stays */
    }
    expect_nothing_left(cache);
}

/* Recovers from a longjmp out of the caller's encoding. */
static void recover(void) {
    struct cache *cache = open_cache(8);
    static const size_t lengths[] = {8, 1000, 30000, 200 * KIB};
    for (unsigned i = 0; i < 4 * 200; i++) {
        struct cache_span span;
        const struct cache_key key = key_of("a");
        EXPECT_EQUAL(cache_reserve(cache, &key, lengths[i % 4], CACHE_SET, &span), CACHE_OK);
        if (i % 2) {
            cache_recover(cache);
        } else {
            cache_request_end(cache, false);
            EXPECT(cache_request_begin(cache));
        }
        EXPECT(!is_there(cache, key));
    }
    EXPECT_EQUAL(put(cache, key_of("b"), 1, 1000), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("b"));
    cache_recover(cache);
    churn(cache, 2);
    EXPECT(is_pattern(held.bytes, held.length, 1)); /* recovering releases no pin */
    expect_nothing_left(cache);
}

static void refuse(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    cache_refuse(cache, &key);
    EXPECT(!is_there(cache, key));
    EXPECT_EQUAL(info_of(cache).refused_size, 1);
    expect_nothing_left(cache);
}

static void figures(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    EXPECT(has(cache, key, 1, 100));
    EXPECT(has(cache, key, 1, 100));
    EXPECT(!has(cache, key_of("b"), 1, 100));
    EXPECT(cache_exists(cache, &key));
    const struct cache_info info = info_of(cache);
    EXPECT_EQUAL(info.hits, 2);
    EXPECT_EQUAL(info.misses, 1);
    EXPECT_EQUAL(info.stores, 1);
    EXPECT_EQUAL(info.entries, 1);
    EXPECT_EQUAL(info.processes, 1);
    EXPECT_EQUAL(info.process_limit, RECORDS);
    EXPECT_EQUAL(info.pages_held_by_me, 1);
    EXPECT_EQUAL(info.pages_pinned, 1);
    EXPECT_EQUAL(info.pages,
                 info.pages_free + info.pages_open + info.pages_closed + info.pages_limbo + info.pages_run);
    /* The figures outlive the process. */
    close_cache(cache);
    cache = open_cache(8);
    EXPECT_EQUAL(info_of(cache).hits, 2);
    EXPECT_EQUAL(info_of(cache).stores, 1);
}

static void unreadable(void) {
    struct cache *cache = open_cache(8);
    cache_unreadable(cache); /* for a hit in a segment that is gone: figures never go below zero */
    EXPECT_EQUAL(info_of(cache).hits, 0);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 100), CACHE_OK);
    for (unsigned i = 0; i < 5; i++) {
        EXPECT(has(cache, key_of("a"), 1, 100));
    }
    cache_unreadable(cache);
    EXPECT_EQUAL(info_of(cache).unreadable, 2);
    EXPECT_EQUAL(info_of(cache).hits, 3);
    EXPECT_EQUAL(info_of(cache).misses, 2);
    close_cache(cache);
    EXPECT_EQUAL(info_of(open_cache(8)).unreadable, 2);
}

static const struct test tests[] = {
    {"set replaces", set_replaces},
    {"add leaves an existing value", add},
    {"replace needs an existing value", replace},
    {"delete removes one key", delete_some},
    {"clear removes all keys", clear_all},
    {"an abandoned store leaves the old value", abandon},
    {"a store left by longjmp is cleaned up", recover},
    {"a refused set removes the old value", refuse},
    {"figures count what happened and outlive the process", figures},
    {"an unreadable value counts as a miss", unreadable},
    {0},
};
const struct suite suite_modes = {.name = "modes", .tests = tests};
