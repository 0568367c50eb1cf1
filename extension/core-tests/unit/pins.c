/* A held value keeps its bytes until its request ends. */
#include <signal.h>

#include "fixture.h"
#include "suites.h"

static void expect_kept(const struct cache_value *held, uint64_t seed) {
    EXPECT(is_pattern(held->bytes, held->length, seed));
}

/* Values stay whatever their own process does. */
static void against_oneself(void) {
    struct cache *cache = open_cache(8);
    static const size_t lengths[] = {32, 1000, 30000, 40 * KIB, 300 * KIB};
    struct cache_value held[5];
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_EQUAL(put(cache, key_of("held %u", i), i, lengths[i]), CACHE_OK);
        held[i] = pinned(cache, key_of("held %u", i));
    }
    for (unsigned i = 0; i < 5; i++) {
        const struct cache_key key = key_of("held %u", i);
        if (i % 2) {
            EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
        } else {
            EXPECT_EQUAL(put(cache, key, 100 + i, lengths[i]), CACHE_OK);
        }
    }
    churn(cache, 5);
    EXPECT(cache_clear(cache));
    churn(cache, 3);
    for (unsigned i = 0; i < 5; i++) {
        expect_kept(&held[i], i);
    }
    expect_nothing_left(cache);
}

static void other_process(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 7, 10000), CACHE_OK);
    const struct cache_key key = key_of("b");
    cache_delete(cache, &key);
    churn(cache, 3);
    EXPECT(cache_clear(cache));
    churn(cache, 3);
    expect_sound(cache);
}

static void against_others(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    EXPECT_EQUAL(put(cache, key_of("b"), 2, 200 * KIB), CACHE_OK);
    const struct cache_value a = pinned(cache, key_of("a")), b = pinned(cache, key_of("b"));
    finish(start(other_process, NULL));
    expect_kept(&a, 1);
    expect_kept(&b, 2);
    expect_nothing_left(cache);
}

/* A stopped process keeps the values that it holds, and other processes find room beside it. */
static void holder(void *argument) {
    struct cache *cache = open_cache(8);
    struct cache_value held[200];
    unsigned count = 0;
    for (unsigned i = 0; i < 200; i++) {
        const struct cache_key key = key_of("%u", i);
        count += cache_find(cache, &key, true, &held[count]) && held[count].hold == CACHE_PINNED;
    }
    EXPECT(count > 50);
    reached(0, count);
    await(1, 1);
    for (unsigned i = 0; i < count; i++) {
        expect_kept(&held[i], i);
    }
}
static void stopped_holder(void) {
    struct cache *cache = open_cache(8);
    put_many(cache, "", 200, 20000);
    const pid_t child = start(holder, NULL);
    await(0, 1);
    kill(child, SIGSTOP);
    wait_stopped(child);
    churn(cache, 10);
    EXPECT(cache_clear(cache));
    churn(cache, 3);
    EXPECT(info_of(cache).pages_pinned >= 1);
    expect_sound(cache);
    reached(1, 1);
    kill(child, SIGCONT);
    finish(child);
    expect_nothing_left(cache);
}

static void kept_over_the_end(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("a"));
    cache_request_end(cache, true);
    finish(start(other_process, NULL));
    expect_kept(&held, 1);
    EXPECT_EQUAL(info_of(cache).pages_held_by_me, 1);
    EXPECT(cache_request_begin(cache));
    EXPECT_EQUAL(info_of(cache).pages_held_by_me, 0);
    expect_nothing_left(cache);
}

/* The previous request had no end. */
static void dropped_at_the_beginning(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    pinned(cache, key_of("a"));
    EXPECT(cache_request_begin(cache));
    EXPECT_EQUAL(info_of(cache).pages_held_by_me, 0);
    expect_nothing_left(cache);
}

static void expired_but_held(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put_as(cache, key_of("a"), 1, 10000, cache_now() + 500, CACHE_SET), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("a"));
    sleep_ms(510);
    EXPECT(!is_there(cache, key_of("a")));
    churn(cache, 3);
    expect_kept(&held, 1);
    expect_nothing_left(cache);
}

static void copies_hold_nothing(void) {
    struct cache *cache = open_cache(8);
    put_many(cache, "", 100, 30000);
    for (unsigned i = 0; i < 100; i++) {
        EXPECT(has_copied(cache, key_of("%u", i), i, 30000));
    }
    EXPECT_EQUAL(info_of(cache).pages_held_by_me, 0);
    EXPECT_EQUAL(info_of(cache).copies, 100);
    expect_nothing_left(cache);
}

/* A copy is private: it may be written to, and stays valid while other processes overwrite the value. */
static void copies_are_private(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    const struct cache_key key = key_of("a");
    struct cache_value value;
    EXPECT(cache_find(cache, &key, false, &value));
    fill_pattern((void *)(uintptr_t)value.bytes, value.length, 99);
    EXPECT_EQUAL(put(cache, key_of("b"), 2, 10), CACHE_OK);
    finish(start(other_process, NULL));
    expect_kept(&value, 99);
    EXPECT_EQUAL(put(cache, key, 1, 10000), CACHE_OK);
    EXPECT(has(cache, key, 1, 10000));
}

static const struct test tests[] = {
    {"a pinned value keeps its bytes whatever its process stores, deletes and clears", against_oneself},
    {"a pinned value keeps its bytes whatever others do", against_others},
    {"a stopped process keeps what it holds, and others have room", stopped_holder},
    {"pins can be kept until the next request begins", kept_over_the_end},
    {"an interrupted request holds nothing in the next", dropped_at_the_beginning},
    {"a pinned value that expires keeps its bytes", expired_but_held},
    {"without zero copy nothing is pinned", copies_hold_nothing},
    {"a copied value can be written to", copies_are_private},
    {0},
};
const struct suite suite_pins = {.name = "pins", .tests = tests};
