/* Without a record or a segment, every function behaves like that of an empty cache. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "suites.h"

static void expect_empty(struct cache *cache) {
    const struct cache_key key = {"a", 1, 1};
    struct cache_value value;
    struct cache_span span;
    struct cache_holder holder;
    int64_t result;
    EXPECT(!cache_find(cache, &key, true, &value));
    EXPECT(!cache_find(cache, &key, false, &value));
    EXPECT(!cache_exists(cache, &key));
    EXPECT_EQUAL(cache_reserve(cache, &key, 100, CACHE_SET, &span), CACHE_UNAVAILABLE);
    EXPECT_EQUAL(cache_reserve(cache, &key, 100, CACHE_ADD, &span), CACHE_UNAVAILABLE);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_UNAVAILABLE);
    EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_UNAVAILABLE);
    EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_UNAVAILABLE);
    EXPECT_EQUAL(cache_swap(cache, &key, 1, 2), CACHE_UNAVAILABLE);
    EXPECT(!cache_clear(cache));
    cache_refuse(cache, &key);
    cache_recover(cache);
    EXPECT_EQUAL(info_of(cache).pages, 0);
    EXPECT_EQUAL(cache_read_holders(cache, &holder, 1), 0);
    EXPECT_EQUAL(cache_check(cache, NULL), 0);
    EXPECT_EQUAL(cache_sweep(cache), 0);
}

/* There is only one record. After a fork it is the old one, and neither process gets another. */
static struct cache *only;
static void without_record(void *argument) {
    expect_empty(only);
    cache_request_end(only, false);
    EXPECT(cache_request_begin(only));
    reached(0, 1);
    await(1, 1);
}
static void no_record(void) {
    struct cache_options options = options_of(8);
    options.processes = 1;
    only = open_with(&options);
    EXPECT_EQUAL(put(only, key_of("a"), 1, 1000), CACHE_OK);
    const struct cache_value held = pinned(only, key_of("a"));
    const pid_t child = start_fork(without_record, NULL);
    expect_empty(only);
    EXPECT(is_pattern(held.bytes, held.length, 1));
    await(0, 1);
    expect_empty(only); /* for the rest of this request */
    EXPECT(is_pattern(held.bytes, held.length, 1));
    cache_request_end(only, false);
    EXPECT(cache_request_begin(only));
    EXPECT(has(only, key_of("a"), 1, 1000));
    EXPECT_EQUAL(put(only, key_of("b"), 2, 1000), CACHE_OK);
    end_request(only);
    reached(1, 1);
    finish(child);
    expect_nothing_left(only);
}

/* The folder is removed and cannot be created again, until it can. */
static void take_folder_away(void) {
    EXPECT(unlink(segment_file()) == 0);
    EXPECT(rmdir(segment_folder()) == 0);
    const int file = open(segment_folder(), O_CREAT | O_RDWR, 0600);
    EXPECT(file >= 0);
    close(file);
}

static void no_segment_long_lived(void) {
    struct cache *cache = open_long_lived(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("a"));
    take_folder_away();
    sleep_ms(1050);
    const struct cache_key key = {"a", 1, 1};
    for (unsigned i = 0; i < 20; i++) {
        cache_exists(cache, &key);
    }
    for (unsigned i = 0; i < 100; i++) {
        expect_empty(cache);
    }
    EXPECT(is_pattern(held.bytes, held.length, 1));
    EXPECT(unlink(segment_folder()) == 0);
    sleep_ms(1050);
    for (unsigned i = 0; i < 20; i++) {
        cache_exists(cache, &key);
    }
    EXPECT_EQUAL(put(cache, key_of("a"), 2, 1000), CACHE_OK);
    EXPECT(has(cache, key_of("a"), 2, 1000));
    expect_sound(cache);
    close_cache(cache);
}

static void no_segment_request(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    cache_request_end(cache, false);
    take_folder_away();
    sleep_ms(1050);
    EXPECT(!cache_request_begin(cache));
    expect_empty(cache);
    cache_request_end(cache, false);
    EXPECT(unlink(segment_folder()) == 0);
    EXPECT(!cache_request_begin(cache) || is_there(cache, key_of("a")) == false);
    cache_request_end(cache, false);
    sleep_ms(1050);
    EXPECT(!cache_request_begin(cache));                      /* a request that only reads creates no segment, */
    EXPECT_EQUAL(put(cache, key_of("a"), 2, 1000), CACHE_OK); /* a store does */
    EXPECT(has(cache, key_of("a"), 2, 1000));
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"without a free record every call fails and held values stay", no_record},
    {"a removed segment is noticed by a process without request ends", no_segment_long_lived},
    {"a removed segment is noticed between two requests", no_segment_request},
    {0},
};
const struct suite suite_unavailable = {.name = "unavailable", .tests = tests};
