#include <signal.h>
#include <string.h>

#include "thread_state.h"
#include "failpoint.h"
#include "fixture.h"
#include "suites.h"

static int64_t count_by(struct cache *cache, struct cache_key key, int64_t step) {
    int64_t result = -999;
    EXPECT_EQUAL(cache_count(cache, &key, step, 0, &result), CACHE_OK);
    return result;
}

static int64_t value_of(struct cache *cache, struct cache_key key) {
    struct cache_value value;
    EXPECT(cache_find(cache, &key, true, &value));
    EXPECT_EQUAL(value.kind, CACHE_INTEGER);
    EXPECT_EQUAL(value.length, 8);
    EXPECT_EQUAL(value.hold, CACHE_COPIED);
    int64_t integer;
    memcpy(&integer, value.bytes, sizeof integer);
    return integer;
}

static void counts(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(count_by(cache, key_of("n"), 5), 5);
    EXPECT_EQUAL(count_by(cache, key_of("n"), 1), 6);
    EXPECT_EQUAL(count_by(cache, key_of("n"), -10), -4);
    EXPECT_EQUAL(count_by(cache, key_of("n"), 0), -4);
    EXPECT_EQUAL(value_of(cache, key_of("n")), -4);
    expect_nothing_left(cache);
}

static void overflow(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key high = key_of("high"), low = key_of("low");
    int64_t result = 0;
    EXPECT_EQUAL(count_by(cache, high, INT64_MAX), INT64_MAX);
    EXPECT_EQUAL(cache_count(cache, &high, 1, 0, &result), CACHE_OVERFLOW);
    EXPECT_EQUAL(value_of(cache, high), INT64_MAX);
    EXPECT_EQUAL(count_by(cache, low, INT64_MIN), INT64_MIN);
    EXPECT_EQUAL(cache_count(cache, &low, -1, 0, &result), CACHE_OVERFLOW);
    EXPECT_EQUAL(cache_count(cache, &low, INT64_MIN, 0, &result), CACHE_OVERFLOW);
    EXPECT_EQUAL(value_of(cache, low), INT64_MIN);
    EXPECT_EQUAL(count_by(cache, low, INT64_MAX), -1);
    expect_nothing_left(cache);
}

static void wrapping(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("n");
    int64_t result = 0;
    EXPECT_EQUAL(cache_count_wrapping(cache, &key, INT64_MAX, 0, &result), CACHE_OK);
    EXPECT_EQUAL(cache_count_wrapping(cache, &key, 2, 0, &result), CACHE_OK);
    EXPECT_EQUAL(result, INT64_MIN + 1);
    EXPECT_EQUAL(cache_count_wrapping(cache, &key, -2, 0, &result), CACHE_OK);
    EXPECT_EQUAL(value_of(cache, key), INT64_MAX);
    expect_nothing_left(cache);
}

static void no_integers(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("text");
    int64_t result = 0;
    static const size_t lengths[] = {0, 8, 100};
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQUAL(put(cache, key, 1, lengths[i]), CACHE_OK);
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_NOT_INTEGER);
        EXPECT_EQUAL(cache_swap(cache, &key, 1, 2), CACHE_NOT_INTEGER);
        EXPECT(has(cache, key, 1, lengths[i]));
    }
    expect_nothing_left(cache);
}

static void swaps(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("n");
    EXPECT_EQUAL(cache_swap(cache, &key, 0, 1), CACHE_ABSENT);
    EXPECT(!is_there(cache, key));
    EXPECT_EQUAL(count_by(cache, key, 3), 3);
    EXPECT_EQUAL(cache_swap(cache, &key, 4, 5), CACHE_DIFFERENT);
    EXPECT_EQUAL(value_of(cache, key), 3);
    EXPECT_EQUAL(cache_swap(cache, &key, 3, -7), CACHE_OK);
    EXPECT_EQUAL(value_of(cache, key), -7);
    expect_nothing_left(cache);
}

static void keeps_expiry(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("n");
    int64_t result;
    const uint64_t soon = cache_now() + 100;
    EXPECT_EQUAL(cache_count(cache, &key, 1, soon, &result), CACHE_OK);
    EXPECT_EQUAL(cache_count(cache, &key, 1, cache_now() + 60000, &result), CACHE_OK);
    EXPECT_EQUAL(result, 2);
    struct cache_value value;
    EXPECT(cache_find(cache, &key, true, &value));
    EXPECT_EQUAL(value.expires, soon);
    sleep_ms(120);
    EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
    EXPECT_EQUAL(result, 1);
    expect_nothing_left(cache);
}

/* No count is lost while reclaims move the integer. */
static void while_moved(void) {
    struct cache *cache = open_cache(8);
    int64_t expected = 0;
    for (unsigned i = 0; i < 4000; i++) {
        EXPECT_EQUAL(put(cache, key_of("filler %u", i), i, 16000), CACHE_OK);
        is_there(cache, key_of("filler %u", i - i % 40)); /* used, so that the main log must yield too */
        const int64_t result = count_by(cache, key_of("n"), 1);
        EXPECT(result == expected + 1);
        expected = result;
        if (i % 10 == 0) {
            EXPECT_EQUAL(value_of(cache, key_of("n")), expected);
            end_request(cache);
        }
    }
    EXPECT(info_of(cache).moved >= 5);
    expect_nothing_left(cache);
}

/* A count is a use: a counter that is never read is not evicted before unused values. */
static void counted_is_used(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 4000; i++) {
        EXPECT_EQUAL(put(cache, key_of("filler %u", i), i, 16000), CACHE_OK);
        EXPECT_EQUAL(count_by(cache, key_of("n"), 1), i + 1);
    }
    expect_nothing_left(cache);
}

/* Several processes count one key while others move it, touch it and swap it by zero. */
enum { COUNTERS_RUN = 3, COUNTS = 8000 };
static void counter_child(void *argument) {
    struct cache *cache = open_cache(8);
    const unsigned number = (unsigned)(uintptr_t)argument;
    for (unsigned i = 0; i < COUNTS; i++) {
        int64_t result;
        const struct cache_key counted = key_of("n");
        EXPECT_EQUAL(cache_count(cache, &counted, 1, 0, &result), CACHE_OK);
        atomic_fetch_add(&board->number[0], 1);
        if (i % 8 == number) {
            put(cache, key_of("filler %u", i % 500), i, 30000);
        }
        if (i % 2048 == 0) {
            const struct cache_key key = key_of("n");
            const enum cache_result touched = cache_touch(cache, &key, 0);
            EXPECT(touched == CACHE_OK || touched == CACHE_NO_ROOM);
        }
    }
}
static void together(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(count_by(cache, key_of("n"), 0), 0);
    pid_t children[COUNTERS_RUN];
    for (unsigned i = 0; i < COUNTERS_RUN; i++) {
        children[i] = start(counter_child, (void *)(uintptr_t)i);
    }
    finish_all(children, COUNTERS_RUN);
    EXPECT_EQUAL(atomic_load(&board->number[0]), COUNTERS_RUN * COUNTS);
    EXPECT_EQUAL(value_of(cache, key_of("n")), COUNTERS_RUN * COUNTS);
    expect_nothing_left(cache);
}

/* Another process that counts the key finds the entry, removes it from the index, and may still read it. */
static struct cache *counting, *other;
static uint64_t met;
static unsigned meetings;
static void meet(const char *name) {
    if (strcmp(name, "index_tentative") != 0) {
        return;
    }
    cache_failpoint_hook = NULL;
    EXPECT(counting->reservation.location != met);
    met = counting->reservation.location;
    if (meetings++ == 0) {
        const struct cache_key key = key_of("n");
        EXPECT_EQUAL(count_by(other, key, 5), 5);
        EXPECT_EQUAL(cache_delete(other, &key), CACHE_OK);
        cache_failpoint_hook = meet;
    }
}
static void never_changes(void) {
    counting = open_cache(8);
    other = open_cache(8);
    met = 0;
    meetings = 0;
    cache_failpoint_hook = meet;
    EXPECT_EQUAL(count_by(counting, key_of("n"), 1), 1);
    cache_failpoint_hook = NULL;
    EXPECT_EQUAL(meetings, 2);
    EXPECT_EQUAL(value_of(counting, key_of("n")), 1);
    close_cache(other);
    expect_nothing_left(counting);
}

static const struct test tests[] = {
    {"a missing key is created, an existing one counted", counts},
    {"an overflow changes nothing", overflow},
    {"a wrapping count goes on from the other end of the range", wrapping},
    {"counting leaves other values alone", no_integers},
    {"swap changes the expected value only", swaps},
    {"a counted entry keeps its expiry", keeps_expiry},
    {"an entry that another has met before it was counted in is not written to again", never_changes},
    {"no count is lost when the entry is moved", while_moved},
    {"a counter that is only counted stays", counted_is_used},
    {"no count is lost among several processes", together},
    {0},
};
const struct suite suite_integers = {.name = "integers", .tests = tests};
