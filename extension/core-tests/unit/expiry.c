#include "fixture.h"
#include "suites.h"

static void expires(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put_as(cache, key_of("short"), 1, 100, cache_now() + 100, CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key_of("long"), 2, 100, cache_now() + 60000, CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key_of("past"), 3, 100, cache_now() - 1, CACHE_SET), CACHE_OK);
    EXPECT(has(cache, key_of("short"), 1, 100));
    EXPECT(!is_there(cache, key_of("past")));
    sleep_ms(120);
    EXPECT(!is_there(cache, key_of("short")));
    EXPECT(has(cache, key_of("long"), 2, 100));
    EXPECT_EQUAL(info_of(cache).entries, 1); /* a miss removes the expired entry that it found */
    expect_nothing_left(cache);
}

/* A fetch of a value that is used often takes a shorter path. */
static void used_often(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("hot");
    const uint64_t expires = cache_now() + 100;
    EXPECT_EQUAL(put_as(cache, key, 1, 100, expires, CACHE_SET), CACHE_OK);
    struct cache_value value;
    for (unsigned i = 0; i < 10; i++) {
        const bool found = cache_find(cache, &key, true, &value);
        EXPECT((found && value.expires == expires) || cache_now() >= expires);
    }
    sleep_ms(120);
    EXPECT(!cache_find(cache, &key, true, &value));
    EXPECT_EQUAL(info_of(cache).entries, 0);
    expect_nothing_left(cache);
}

static void modes(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put_as(cache, key, 1, 100, cache_now() - 1, CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key, 2, 100, 0, CACHE_REPLACE), CACHE_ABSENT);
    EXPECT_EQUAL(put_as(cache, key, 3, 100, 0, CACHE_ADD), CACHE_OK);
    EXPECT(has(cache, key, 3, 100));
    EXPECT_EQUAL(put_as(cache, key, 4, 100, cache_now() - 1, CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_ABSENT);
    EXPECT_EQUAL(put_as(cache, key, 5, 100, cache_now() - 1, CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_ABSENT);
    EXPECT(!is_there(cache, key));
    EXPECT_EQUAL(info_of(cache).entries, 0);
    expect_nothing_left(cache);
}

static void touch(void) {
    struct cache *cache = open_cache(16);
    static const size_t lengths[] = {0, 8, 100, 30000, 32 * KIB, 200 * KIB, MIB};
    for (unsigned i = 0; i < 7; i++) {
        const struct cache_key key = key_of("a");
        EXPECT_EQUAL(cache_touch(cache, &key, 0), i ? CACHE_OK : CACHE_ABSENT);
        EXPECT_EQUAL(put_as(cache, key, i, lengths[i], cache_now() + 100, CACHE_SET), CACHE_OK);
        const uint64_t later = cache_now() + 60000;
        EXPECT_EQUAL(cache_touch(cache, &key, later), CACHE_OK);
        struct cache_value value;
        EXPECT(cache_find(cache, &key, true, &value));
        EXPECT_EQUAL(value.expires, later);
        sleep_ms(110);
        EXPECT(has(cache, key, i, lengths[i]));
        cache_request_end(cache, false);
        EXPECT_EQUAL(cache_touch(cache, &key, cache_now() + 20), CACHE_OK);
        sleep_ms(30);
        EXPECT(!is_there(cache, key));
        EXPECT_EQUAL(put(cache, key, i, lengths[i]), CACHE_OK);
    }
    EXPECT_EQUAL(info_of(cache).entries, 1);
    expect_nothing_left(cache);
}

static void touch_integer(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("n");
    int64_t result;
    for (unsigned i = 0; i < 5000; i++) {
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
        EXPECT_EQUAL(result, i + 1);
        EXPECT_EQUAL(cache_touch(cache, &key, cache_now() + 60000), CACHE_OK);
    }
    expect_nothing_left(cache);
}

/* Memory of expired entries is reused first, without moving anything. */
static void expired_make_room(void) {
    struct cache *cache = open_cache(8);
    const struct cache_info empty = info_of(cache);
    const size_t half = empty.pages * empty.page_size / 2 / 4200;
    put_many(cache, "keep:", half, 4000);
    for (size_t i = 0; i < half * 7 / 10; i++) {
        EXPECT_EQUAL(put_as(cache, key_of("drop:%zu", i), i, 4000, cache_now() + 50, CACHE_SET), CACHE_OK);
    }
    sleep_ms(70);
    put_many(cache, "new:", half * 7 / 10, 4000);
    for (size_t i = 0; i < half; i++) {
        EXPECT(has(cache, key_of("keep:%zu", i), i, 4000));
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    expect_nothing_left(cache);
}

static void ttls(void) {
    EXPECT_EQUAL(cache_expiry(0), 0);
    const uint64_t now = cache_now();
    EXPECT(now > 0);
    EXPECT(cache_expiry(1.5) >= now + 1500 && cache_expiry(1.5) <= now + 1600);
    EXPECT(cache_expiry(0.0004) <= cache_now() + 1);
    EXPECT(cache_expiry(-5) <= cache_now());
    const uint64_t last = cache_expiry(__builtin_inf());
    EXPECT(last > now + UINT64_C(1000) * 86400 * 365 * 10); /* as long as a machine runs */
    EXPECT(cache_expiry(1e300) == last && cache_expiry(9e15) == last && cache_expiry(1e8) < last);
    struct cache *cache = open_cache(8);
    struct cache_value value;
    const struct cache_key key = key_of("last");
    EXPECT_EQUAL(put_as(cache, key, 1, 100, last, CACHE_SET), CACHE_OK);
    EXPECT(cache_find(cache, &key, true, &value) && value.expires == last);
    EXPECT(cache_expiry(-__builtin_inf()) <= cache_now());
    EXPECT(cache_expiry(__builtin_nan("")) <= cache_now());
}

static const struct test tests[] = {
    {"an expired entry is a miss", expires},
    {"an expired entry is a miss however often it was fetched", used_often},
    {"an expired entry counts as absent for add, replace and delete", modes},
    {"touch changes the expiry of values of every size", touch},
    {"touch keeps an integer's count", touch_integer},
    {"expired entries make room before others do", expired_make_room},
    {"times to live saturate", ttls},
    {0},
};
const struct suite suite_expiry = {.name = "expiry", .tests = tests};
