/* Each thread has its own cache; all share a mapping. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "suites.h"

/* Large enough that nothing is evicted. */
enum { THREADS = 4, ROUNDS = 3000 / SLOWNESS, SEGMENT_MIB = 256 };

static void *work(void *argument) {
    const unsigned number = (unsigned)(uintptr_t)argument;
    const struct cache_options options = options_of(SEGMENT_MIB);
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache);
    const struct cache_key count = {"count", 5, 5};
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned wanted = (i * 7 + number) % 50;
        const struct cache_key key = key_of("%u", wanted);
        struct cache_value value;
        if (i % 3 == 0) {
            EXPECT_EQUAL(put(cache, key, wanted, 100 + wanted * 1500), CACHE_OK);
        } else if (cache_find(cache, &key, i % 2, &value)) {
            EXPECT(is_pattern(value.bytes, value.length, wanted));
        }
        int64_t result;
        EXPECT_EQUAL(cache_count(cache, &count, 1, 0, &result), CACHE_OK);
        atomic_fetch_add(&board->number[0], 1);
        if (i % 100 == 99) {
            cache_request_end(cache, false);
            EXPECT(cache_request_begin(cache));
        }
    }
    cache_detach(cache);
    return NULL;
}

static void start_threads(pthread_t threads[THREADS]) {
    for (uintptr_t i = 0; i < THREADS; i++) {
        EXPECT(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
}
static void join_threads(const pthread_t threads[THREADS]) {
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void together(void) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    pthread_t threads[THREADS];
    start_threads(threads);
    join_threads(threads);
    const struct cache_key count = {"count", 5, 5};
    struct cache_value value;
    EXPECT(cache_find(cache, &count, true, &value));
    EXPECT_EQUAL(*(const int64_t *)value.bytes, atomic_load(&board->number[0]));
    EXPECT_EQUAL(info_of(cache).processes, 1);
    expect_nothing_left(cache);
}

/* When one thread detaches or ends its request, another keeps what it holds. */
static void *visit(void *argument) {
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache);
    struct cache_value value;
    const struct cache_key key = key_of("held");
    EXPECT(cache_find(cache, &key, true, &value));
    cache_request_end(cache, false);
    churn(cache, 3);
    cache_detach(cache);
    return NULL;
}
static void apart(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("held"), 1, 10000), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("held"));
    for (unsigned i = 0; i < 3; i++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, visit, NULL) == 0);
        pthread_join(thread, NULL);
        EXPECT(is_pattern(held.bytes, held.length, 1));
        EXPECT(is_there(cache, key_of("held")));
    }
    EXPECT_EQUAL(info_of(cache).processes, 1);
    EXPECT(word_load(&cache->map.header->records_used) <= 3);
    expect_nothing_left(cache);
}

/* A thread forks while others work. The others' records stay theirs alone. */
static void forked_child(void *argument) {
    struct cache *cache = argument;
    EXPECT_EQUAL(put(cache, key_of("by the child"), 2, 1000), CACHE_OK);
    const struct cache_key key = key_of("held");
    struct cache_value value;
    EXPECT(!cache_find(cache, &key, true, &value) || is_pattern(value.bytes, value.length, 1));
    cache_request_end(cache, false);
}
static void forking(void) {
#ifdef __SANITIZE_ADDRESS__
    harness_skip("the sanitizer's own locks do not survive a fork beside threads");
#endif
    struct cache *cache = open_cache(SEGMENT_MIB);
    pthread_t threads[THREADS];
    start_threads(threads);
    for (unsigned i = 0; i < 50 / SLOWNESS; i++) {
        EXPECT_EQUAL(put(cache, key_of("held"), 1, 10000), CACHE_OK);
        const struct cache_key key = key_of("held");
        struct cache_value held;
        EXPECT(cache_find(cache, &key, true, &held));
        finish(start_fork(forked_child, cache));
        EXPECT(is_pattern(held.bytes, held.length, 1));
        cache_request_end(cache, false);
    }
    join_threads(threads);
    EXPECT_EQUAL(info_of(cache).processes, 1);
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"four threads work on one set of keys", together},
    {"pins of one thread are safe from the others", apart},
    {"a thread forks while others work", forking},
    {0},
};
const struct suite suite_threads = {.name = "threads", .tests = tests};
