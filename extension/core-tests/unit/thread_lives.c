/* Threads that start and end, create segments and fork: none of them delays the others or leaves anything behind. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failpoint.h"
#include "fixture.h"
#include "os.h"
#include "suites.h"

static struct cache *attach_to(const char *segment) {
    struct cache_options options = options_of(8);
    options.segment = segment;
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache);
    return cache;
}

static pthread_t start_thread(void *(*run)(void *), void *argument) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

/* Open descriptors of files below the test's folder. */
static unsigned descriptors(void) {
    unsigned found = 0;
    DIR *list = opendir("/proc/self/fd");
    EXPECT(list);
    for (const struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        char link[320], target[320];
        snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
        const ssize_t length = readlink(link, target, sizeof target);
        found += length > 0 && strncmp(target, test_folder, strlen(test_folder)) == 0;
    }
    closedir(list);
    return found;
}

/* ---- No thread waits for one that creates a segment ---- */

enum { CREATING, OTHERS_DONE, DONE_IN_TIME }; /* numbers of the board */

static pthread_t creator;
static bool holds_the_lock; /* a control: the whole creation is under the lock */
static unsigned patience_ms;

static void create_slowly(const char *name) {
    if (!pthread_equal(pthread_self(), creator) || strcmp(name, "segment_filled") != 0) {
        return;
    }
    if (holds_the_lock) {
        process_lock();
    }
    reached(CREATING, 1);
    for (unsigned i = 0; i < patience_ms && atomic_load(&board->number[OTHERS_DONE]) == 0; i++) {
        sleep_ms(1);
    }
    atomic_store(&board->number[DONE_IN_TIME], atomic_load(&board->number[OTHERS_DONE]));
    if (holds_the_lock) {
        process_unlock();
    }
}

static void *create_other(void *none) {
    creator = pthread_self();
    cache_failpoint_hook = create_slowly;
    cache_detach(attach_to("other"));
    return none;
}

static void *attach_and_fetch(void *none) {
    struct cache *cache = attach_to("test");
    EXPECT(has(cache, key_of("key"), 1, 5000));
    cache_detach(cache);
    return none;
}

static void fetch_in_child(void *argument) {
    EXPECT_EQUAL(descriptors(), 1); /* that of the record before the fork */
    EXPECT(has(argument, key_of("key"), 1, 5000));
}

static void creating_slowly(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("key"), 1, 5000), CACHE_OK);
    const pthread_t thread = start_thread(create_other, NULL);
    await(CREATING, 1);
    for (unsigned i = 0; i < 1000; i++) {
        EXPECT(has(cache, key_of("key"), 1, 5000));
    }
    pthread_join(start_thread(attach_and_fetch, NULL), NULL);
    finish(start_fork(fetch_in_child, cache));
    EXPECT(has(cache, key_of("key"), 1, 5000)); /* in the record after the fork */
    reached(OTHERS_DONE, 1);
    pthread_join(thread, NULL);
    cache_failpoint_hook = NULL;
    EXPECT_EQUAL(count_files(segment_file_of("other", 1)), 1);
    expect_no_temporary_files();
}

static void creation_delays_nobody(void) {
    patience_ms = 10 * 1000;
    creating_slowly();
    EXPECT_EQUAL(atomic_load(&board->number[DONE_IN_TIME]), 1);
}

static void control_creation_under_the_lock(void) {
    patience_ms = 300;
    holds_the_lock = true;
    creating_slowly();
    EXPECT_EQUAL(atomic_load(&board->number[DONE_IN_TIME]), 0);
}

/* ---- Threads that end ---- */

enum { LIVES = 2000 / SLOWNESS, AT_ONCE = 4 };

enum end { DETACHED, DETACHED_WITHIN_REQUEST, SILENT };

static void *live(void *argument) {
    struct cache *cache = attach_to("test");
    const struct cache_key key = key_of("key");
    struct cache_value value;
    EXPECT(cache_find(cache, &key, true, &value));
    EXPECT(is_pattern(value.bytes, value.length, 1));
    switch ((enum end)(uintptr_t)argument) {
        case DETACHED:
            cache_request_end(cache, false);
            cache_detach(cache);
            break;
        case DETACHED_WITHIN_REQUEST:
            cache_detach(cache);
            break;
        case SILENT:
            break;
    }
    return NULL;
}

static void lives(long end) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("key"), 1, 5000), CACHE_OK);
    const unsigned before = descriptors();
    for (unsigned i = 0; i < LIVES; i += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        for (unsigned t = 0; t < AT_ONCE; t++) {
            threads[t] = start_thread(live, (void *)(uintptr_t)end);
        }
        for (unsigned t = 0; t < AT_ONCE; t++) {
            pthread_join(threads[t], NULL);
        }
    }
    EXPECT_EQUAL(descriptors(), before);
    EXPECT_EQUAL(info_of(cache).processes, 1);
    EXPECT(word_load(&cache->map.header->records_used) <= 1 + AT_ONCE);
    expect_nothing_left(cache);
}

/* ---- A fork beside threads that start and end ---- */

enum { FORKS = 100 / SLOWNESS };

static atomic_bool over;

static void *live_often(void *argument) {
    while (!atomic_load(&over)) {
        live(argument);
    }
    return NULL;
}

static void only_own_descriptors(void *argument) {
    EXPECT(descriptors() <= 1); /* that of the record before the fork, if there was one */
    EXPECT_EQUAL(put(argument, key_of("of the child"), 2, 1000), CACHE_OK);
    EXPECT_EQUAL(descriptors(), 1);
}

static void forks_beside_lives(void) {
#ifdef __SANITIZE_ADDRESS__
    harness_skip("the sanitizer's own locks do not survive a fork beside threads");
#endif
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("key"), 1, 5000), CACHE_OK);
    pthread_t threads[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++) {
        threads[i] = start_thread(live_often, (void *)(uintptr_t)(i % 2));
    }
    for (unsigned i = 0; i < FORKS; i++) {
        finish(start_fork(only_own_descriptors, cache));
        cache_request_end(cache, false);
    }
    atomic_store(&over, true);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        pthread_join(threads[i], NULL);
    }
    EXPECT_EQUAL(info_of(cache).processes, 1);
    expect_nothing_left(cache);
}

/* A child that lives on holds nothing of threads that it does not have, and may detach their caches. */
static struct cache *of_the_thread;
static void *attach_and_wait(void *none) {
    struct cache *cache = attach_to("test");
    const struct cache_key key = key_of("key");
    struct cache_value value;
    EXPECT(cache_find(cache, &key, true, &value));
    of_the_thread = cache;
    reached(0, 1);
    await(1, 1);
    cache_detach(cache);
    return none;
}
static void detach_others_and_stay(void *none) {
    cache_detach(of_the_thread);
    reached(1, 1);
    await(2, 1);
}
static void orphans(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("key"), 1, 5000), CACHE_OK);
    const pthread_t thread = start_thread(attach_and_wait, NULL);
    await(0, 1);
    const unsigned number = of_the_thread->number;
    const pid_t child = start_fork(detach_others_and_stay, NULL);
    pthread_join(thread, NULL);
    EXPECT(has(cache, key_of("key"), 1, 5000)); /* in a new record, perhaps the thread's, which was free by then */
    EXPECT(cache->number == number || !os_locked(cache->fd, number));
    reached(2, 1);
    finish(child);
}

/* ---- All of that at once, in a full cache ---- */

enum { FULL_ROUNDS = 20000 / SLOWNESS };

static void *crowd(void *argument) {
    const unsigned number = (unsigned)(uintptr_t)argument;
    struct cache *cache = attach_to("test");
    const struct cache_key count = key_of("count");
    for (unsigned i = 0; i < FULL_ROUNDS; i++) {
        const unsigned wanted = (i * 7919 + number * 31) % 997;
        const struct cache_key key = key_of("%u", wanted);
        struct cache_value value;
        int64_t result;
        if (i % 3 == 0) {
            (void)put(cache, key, wanted, 100 + wanted * 40); /* refused while the pages are pinned */
        } else if (cache_find(cache, &key, i % 2, &value)) {
            EXPECT(is_pattern(value.bytes, value.length, wanted));
        }
        if (i % 50 == 0) {
            (void)cache_count(cache, &count, 1, 0, &result);
        }
        if (i % 97 == 0) {
            (void)cache_delete(cache, &key);
        }
        if (i % 20 == 19) {
            cache_request_end(cache, false);
            EXPECT(cache_request_begin(cache));
        }
    }
    cache_detach(cache);
    return NULL;
}

static void full(void) {
    struct cache *cache = open_cache(8);
    pthread_t threads[AT_ONCE];
    for (uintptr_t i = 0; i < AT_ONCE; i++) {
        threads[i] = start_thread(crowd, (void *)i);
    }
    for (unsigned i = 0; i < AT_ONCE; i++) {
        pthread_join(threads[i], NULL);
    }
    EXPECT(info_of(cache).evicted > 0);
    expect_sound(cache);
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"fetches, attaching threads and forks do not wait for a thread that creates a segment",
     creation_delays_nobody},
    {"control: they wait if it holds the lock", control_creation_under_the_lock},
    {"thousands of threads detach", .run_with = lives, .argument = DETACHED},
    {"thousands of threads detach within a request", .run_with = lives, .argument = DETACHED_WITHIN_REQUEST},
    {"thousands of threads end without detaching", .run_with = lives, .argument = SILENT},
    {"a child has no descriptors of threads that come and go", forks_beside_lives},
    {"a child holds nothing of its parent's threads", orphans},
    {"four threads in a full cache", full},
    {0},
};
const struct suite suite_thread_lives = {.name = "thread lives", .tests = tests, .seconds = 120};
