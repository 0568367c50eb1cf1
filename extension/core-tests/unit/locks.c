/* Locks on keys. */
#include "fixture.h"
#include "suites.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static bool lock(struct cache *cache, const char *key, double seconds) {
    long owner;
    const struct cache_key named = key_of("%s", key);
    return cache_lock(cache, &named, seconds, NULL, &owner) == CACHE_OK;
}

enum { ADDERS = 4, ADDITIONS = 3000 };

/* Adds to a number, as a request changes its session: reads, changes, stores. */
static void add(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("sum");
    await(0, 1);
    for (unsigned i = 0; i < ADDITIONS; i++) {
        EXPECT(lock(cache, "sum", 30));
        struct cache_value value;
        EXPECT(cache_find(cache, &key, false, &value));
        const uint64_t sum = *(const uint64_t *)value.bytes;
        sched_yield(); /* without a lock, another process would come between */
        EXPECT_EQUAL(put(cache, key, sum + 1, 100), CACHE_OK);
        cache_unlock(cache);
    }
    close_cache(cache);
}

static void no_update_is_lost(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("sum"), 0, 100), CACHE_OK);
    pid_t children[ADDERS];
    for (unsigned i = 0; i < ADDERS; i++) {
        children[i] = start(add, NULL);
    }
    reached(0, 1);
    finish_all(children, ADDERS);
    EXPECT(has(cache, key_of("sum"), ADDERS * ADDITIONS, 100));
}

static void hold_until_killed(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    EXPECT(lock(cache, "a", 0));
    reached(0, 1);
    for (;;) {
        pause();
    }
}

static void excludes_only_its_key(void) {
    struct cache *cache = open_cache(8);
    const pid_t holder = start(hold_until_killed, NULL);
    await(0, 1);
    const struct cache_key key = key_of("a");
    long owner;
    EXPECT_EQUAL(cache_lock(cache, &key, 0, NULL, &owner), CACHE_EXISTS);
    EXPECT_EQUAL(owner, holder);
    EXPECT(!cache_is_locked(cache, &key));
    EXPECT(lock(cache, "b", 0));
    kill_and_wait(holder);
}

static void wait_is_bounded(void) {
    struct cache *cache = open_cache(8);
    const pid_t holder = start(hold_until_killed, NULL);
    await(0, 1);
    kill(holder, SIGSTOP);
    const uint64_t begun = nanoseconds();
    EXPECT(!lock(cache, "a", 0.3));
    const uint64_t waited = nanoseconds() - begun;
    EXPECT(waited >= 300 * UINT64_C(1000000));
    EXPECT(waited < 5000 * UINT64_C(1000000));
    kill_and_wait(holder);
    EXPECT(lock(cache, "a", 0));
}

/* Timers count as pending signals. A user may have none left if other processes take them. */
static void wait_needs_no_timer(void) {
    struct cache *cache = open_cache(8);
    const pid_t holder = start(hold_until_killed, NULL);
    await(0, 1);
    struct rlimit before;
    EXPECT(getrlimit(RLIMIT_SIGPENDING, &before) == 0);
    const struct rlimit none = {0, before.rlim_max};
    EXPECT(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
    const uint64_t begun = nanoseconds();
    EXPECT(!lock(cache, "a", 0.3));
    const uint64_t waited = nanoseconds() - begun;
    setrlimit(RLIMIT_SIGPENDING, &before);
    EXPECT(waited >= 300 * UINT64_C(1000000));
    EXPECT(waited < 5000 * UINT64_C(1000000));
    kill_and_wait(holder);
}

static volatile sig_atomic_t own_signals;

static void note_signal(int signal) {
    (void)signal;
    own_signals++;
}

static void wait_puts_handler_back(void) {
    struct cache *cache = open_cache(8);
    const pid_t holder = start(hold_until_killed, NULL);
    await(0, 1);
    signal(SIGRTMAX - 3, note_signal);
    EXPECT(!lock(cache, "a", 0.1));
    EXPECT_EQUAL(own_signals, 0);
    raise(SIGRTMAX - 3);
    EXPECT_EQUAL(own_signals, 1);
    signal(SIGRTMAX - 3, SIG_DFL);
    kill_and_wait(holder);
}

static void wait_for_a(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    reached(1, 1);
    EXPECT(lock(cache, "a", 60));
    close_cache(cache);
}

static void death_releases(void) {
    close_cache(open_cache(8));
    const pid_t holder = start(hold_until_killed, NULL);
    await(0, 1);
    const pid_t waiter = start(wait_for_a, NULL);
    await(1, 1);
    sleep_ms(100);
    const uint64_t begun = nanoseconds();
    kill_and_wait(holder);
    finish(waiter);
    EXPECT(nanoseconds() - begun < 5000 * UINT64_C(1000000));
}

static void end_of_request_releases(void) {
    struct cache *cache = open_cache(8);
    EXPECT(lock(cache, "a", 0));
    EXPECT(lock(cache, "a", 0)); /* locking twice is allowed */
    end_request(cache);
    const struct cache_key key = key_of("a");
    EXPECT(!cache_is_locked(cache, &key));
    const pid_t other = start(wait_for_a, NULL);
    finish(other);
}

static void wants_a(void *argument) {
    (void)argument;
    EXPECT(!lock(open_cache(8), "a", 0));
}

static void one_gives_way(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key a = key_of("a"), b = key_of("b"), c = key_of("c"), d = key_of("d");
    long owner;
    EXPECT(lock(cache, "b", 0) && lock(cache, "a", 0) && lock(cache, "b", 0));
    for (unsigned i = 2; i < CACHE_LOCKS_MAX; i++) {
        char more[2] = {(char)('0' + i), 0};
        EXPECT(lock(cache, more, 0));
    }
    finish(start(wants_a, NULL));
    EXPECT_EQUAL(cache_lock(cache, &c, 0, NULL, &owner), CACHE_NO_ROOM);
    EXPECT_EQUAL(cache_lock(cache, &c, 0, &d, &owner), CACHE_NO_ROOM);
    EXPECT(cache_is_locked(cache, &a) && cache_is_locked(cache, &b) && !cache_is_locked(cache, &c));
    EXPECT_EQUAL(cache_lock(cache, &c, 0, &a, &owner), CACHE_OK);
    finish(start(wait_for_a, NULL));
    EXPECT(!cache_is_locked(cache, &a) && cache_is_locked(cache, &b) && cache_is_locked(cache, &c));
    const pid_t holder = start(hold_until_killed, NULL);
    await(0, 1);
    EXPECT_EQUAL(cache_lock(cache, &a, 0, &b, &owner), CACHE_EXISTS); /* then no lock gives way */
    EXPECT(cache_is_locked(cache, &b) && cache_is_locked(cache, &c));
    kill_and_wait(holder);
    EXPECT_EQUAL(cache_lock(cache, &a, 0, &b, &owner), CACHE_OK); /* now `b` gives way */
    EXPECT(cache_is_locked(cache, &a) && !cache_is_locked(cache, &b) && cache_is_locked(cache, &c));
    cache_unlock(cache);
    EXPECT(!cache_is_locked(cache, &a) && !cache_is_locked(cache, &c));
}

/* Two keys with one hash, of which one gives way. */
static void one_hash(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key a = {"a", 1, 5}, twin = {"twin", 4, 5}, more = key_of("more");
    long owner;
    EXPECT_EQUAL(cache_lock(cache, &a, 0, NULL, &owner), CACHE_OK);
    EXPECT_EQUAL(cache_lock(cache, &twin, 0, NULL, &owner), CACHE_OK);
    EXPECT_EQUAL(cache_lock(cache, &more, 0, &twin, &owner), CACHE_OK);
    EXPECT(cache_is_locked(cache, &a) && cache_is_locked(cache, &more));
    EXPECT_EQUAL(cache_lock(cache, &twin, 0, &more, &owner), CACHE_OK);
    EXPECT(cache_is_locked(cache, &a) && !cache_is_locked(cache, &more));
}

static void one_descriptor_too_few(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key a = key_of("a");
    struct rlimit limit;
    long owner;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 3;
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT_EQUAL(cache_lock(cache, &a, 0, NULL, &owner), CACHE_FAILED);
    EXPECT_EQUAL(errno, EMFILE);
    limit.rlim_cur = before;
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT_EQUAL(cache_lock(cache, &a, 0, NULL, &owner), CACHE_OK);
}

static void sees_two_processes(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(info_of(cache).processes, 2);
    close_cache(cache);
}

/* A release unlocks all locks of its description, so it must not be the record's description. */
static void record_stays(void) {
    struct cache *cache = open_cache(8);
    EXPECT(lock(cache, "a", 0));
    cache_unlock(cache);
    finish(start(wait_for_a, NULL));
    finish(start(sees_two_processes, NULL));
}

static struct cache *parents;

static void does_not_have_it(void *argument) {
    (void)argument;
    const struct cache_key key = key_of("a");
    EXPECT(!cache_is_locked(parents, &key));
    EXPECT(!lock(parents, "a", 0));
    cache_unlock(parents);
    reached(2, 1);
    await(3, 1);
    EXPECT(lock(parents, "a", 10));
}

static void fork_keeps_it(void) {
    parents = open_long_lived(8);
    EXPECT(lock(parents, "a", 0));
    const pid_t child = start_fork(does_not_have_it, NULL);
    await(2, 1);
    const struct cache_key key = key_of("a");
    EXPECT(cache_is_locked(parents, &key));
    cache_unlock(parents);
    reached(3, 1);
    finish(child);
}

static void does_not_outlive(void) {
    struct cache *cache = open_cache(8);
    EXPECT(lock(cache, "a", 0));
    cache_user_changed(cache);
    const struct cache_key key = key_of("a");
    EXPECT(cache_is_locked(cache, &key)); /* the same user */
    close_cache(cache);
    finish(start(wait_for_a, NULL));
}

static void *lock_in_thread(void *argument) {
    (void)argument;
    EXPECT(lock(open_cache(8), "a", 0));
    return NULL;
}

static void end_of_thread_releases(void) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, lock_in_thread, NULL) == 0);
    pthread_join(thread, NULL);
    EXPECT(lock(open_cache(8), "a", 0));
}

static const struct test tests[] = {
    {"no update under a lock is lost", no_update_is_lost},
    {"a lock excludes others from its key only", excludes_only_its_key},
    {"the wait for a stopped owner is bounded", wait_is_bounded},
    {"the wait is the same without timers", wait_needs_no_timer},
    {"the wait puts an application's signal handler back", wait_puts_handler_back},
    {"a killed owner's lock passes on at once", death_releases},
    {"the end of a request releases", end_of_request_releases},
    {"with all locks taken one gives way to another", one_gives_way},
    {"of two keys with one hash one stays locked", one_hash},
    {"a lock that cannot be had for want of a descriptor says so", one_descriptor_too_few},
    {"a release keeps the process's record", record_stays},
    {"a fork leaves the lock to the parent", fork_keeps_it},
    {"detaching releases", does_not_outlive},
    {"the end of a thread that did not detach releases", end_of_thread_releases},
    {0},
};
const struct suite suite_locks = {.name = "locks", .tests = tests};
