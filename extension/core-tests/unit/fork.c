/* After a fork, parent and child have a record each, and all values that were held. */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "suites.h"

/* The cache and the value of the process that forks, for its child. */
static struct cache *shared_cache;
static struct cache_value shared_value;

static void hold_one(void) {
    shared_cache = open_cache(8);
    EXPECT_EQUAL(put(shared_cache, key_of("held"), 1, 10000), CACHE_OK);
    shared_value = pinned(shared_cache, key_of("held"));
}

static void expect_held(void) {
    EXPECT(is_pattern(shared_value.bytes, shared_value.length, 1));
}

static void records_apart_child(void *argument) {
    const struct cache_info info = info_of(shared_cache);
    reached(1, (long)info.record + 1);
    EXPECT_EQUAL(put(shared_cache, key_of("child"), 2, 1000), CACHE_OK);
    await(2, 1);
}
static void records_apart(void) {
    hold_one();
    const unsigned before = info_of(shared_cache).record;
    const pid_t child = start_fork(records_apart_child, NULL);
    await(1, 1);
    const struct cache_info info = info_of(shared_cache);
    EXPECT(info.record != before);
    EXPECT(info.record + 1 != (unsigned)atomic_load(&board->number[1]));
    EXPECT_EQUAL(info.processes, 2); /* the old record was released when both had left it */
    reached(2, 1);
    finish(child);
    EXPECT_EQUAL(info_of(shared_cache).processes, 1);
    expect_nothing_left(shared_cache);
}

static void churn_hard(void) {
    churn(shared_cache, 3);
    EXPECT(cache_clear(shared_cache));
    churn(shared_cache, 3);
}

static void child_churns(void *argument) {
    end_request(shared_cache);
    churn_hard();
}
static void parent_holds(void) {
    hold_one();
    finish(start_fork(child_churns, NULL));
    expect_held();
    churn_hard();
    expect_held();
    expect_nothing_left(shared_cache);
}

static void child_waits_and_looks(void *argument) {
    if (argument) {
        put(shared_cache, key_of("x"), 3, 100); /* claims a new record first */
    }
    reached(0, 1);
    await(1, 1);
    expect_held();
    churn(shared_cache, 2);
    expect_held();
}
static void child_holds(long claims_first) {
    hold_one();
    const pid_t child = start_fork(child_waits_and_looks, (void *)(uintptr_t)claims_first);
    await(0, 1);
    end_request(shared_cache);
    churn_hard();
    reached(1, 1);
    finish(child);
    expect_nothing_left(shared_cache);
}

/* The parent dies. What its child holds stays; what the parent held in its new record does not. */
static void parent_dies_parent(void *argument) {
    hold_one();
    start_fork(child_waits_and_looks, NULL);
    await(0, 1);
    EXPECT_EQUAL(put(shared_cache, key_of("later"), 5, 10000), CACHE_OK);
    pinned(shared_cache, key_of("later"));
    signal(SIGCHLD, SIG_IGN);
    die_here();
}
static void parent_dies(void) {
    finish_killed(start(parent_dies_parent, NULL));
    shared_cache = open_cache(8);
    churn_hard();
    reached(1, 1);
    sleep_ms(300 * SLOWNESS); /* PR_SET_PDEATHSIG ends the child with its parent; then nothing is left either */
    expect_nothing_left(shared_cache);
}

/* Neither process goes on in the old record: a dead parent would look alive through its child forever. */
static void locker(void *argument) {
    hold_one();
    start_fork(child_waits_and_looks, NULL);
    await(0, 1);
    at_failpoint("index_tentative", 1, die_here);
    put(shared_cache, key_of("locked"), 1, 100);
}
static void locked_by_a_dead_parent(void) {
    const pid_t parent = start(locker, NULL);
    finish_killed(parent);
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("locked"), 2, 100), CACHE_OK);
    EXPECT(has(cache, key_of("locked"), 2, 100));
}

static void dies_carrying_over(void *argument) {
    at_failpoint("fork_pins_carried_over", 1, die_here);
    is_there(shared_cache, key_of("held"));
}
static void dies_while_carrying_over(void) {
    hold_one();
    for (unsigned i = 0; i < 20; i++) {
        finish_killed(start_fork(dies_carrying_over, NULL));
        EXPECT(is_there(shared_cache, key_of("held")));
    }
    churn_hard();
    expect_held();
    expect_nothing_left(shared_cache);
}

/* Forks and execs, as shell_exec() does, thousands of times, with few records. */
static void fork_and_exec(void) {
    struct cache_options options = options_of(8);
    options.processes = 8;
    shared_cache = open_with(&options);
    EXPECT_EQUAL(put(shared_cache, key_of("held"), 1, 10000), CACHE_OK);
    shared_value = pinned(shared_cache, key_of("held"));
    for (unsigned i = 0; i < 2000 / SLOWNESS; i++) {
        const pid_t child = fork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        EXPECT_EQUAL(put(shared_cache, key_of("%u", i), i, 3000), CACHE_OK);
        EXPECT(has(shared_cache, key_of("%u", i), i, 3000));
        finish(child);
        if (i % 50 == 49) {
            cache_request_end(shared_cache, false);
            EXPECT(cache_request_begin(shared_cache));
            EXPECT_EQUAL(put(shared_cache, key_of("held"), 1, 10000), CACHE_OK);
            shared_value = pinned(shared_cache, key_of("held"));
        }
        expect_held();
    }
    EXPECT_EQUAL(info_of(shared_cache).processes, 1);
    expect_nothing_left(shared_cache);
}

/* Processes that fork processes that fork. A process that finds no free record works without a cache. */
static void storm_child(void *argument) {
    const unsigned depth = (unsigned)(uintptr_t)argument;
    pid_t children[3];
    const struct cache_key key = {"count", 5, 5};
    for (unsigned i = 0; i < 3 && depth; i++) {
        children[i] = start_fork(storm_child, (void *)(uintptr_t)(depth - 1));
    }
    int64_t result;
    const enum cache_result outcome = cache_count(shared_cache, &key, 1, 0, &result);
    EXPECT(outcome == CACHE_OK || outcome == CACHE_UNAVAILABLE);
    atomic_fetch_add(&board->number[outcome == CACHE_OK ? 3 : 4], 1);
    struct cache_value value;
    const struct cache_key held = {"held", 4, 4};
    cache_find(shared_cache, &held, true, &value);
    expect_held();
    for (unsigned i = 0; i < 3 && depth; i++) {
        finish(children[i]);
    }
    expect_held();
}
static void fork_storm(void) {
    struct cache_options options = options_of(8);
    options.processes = 16;
    shared_cache = open_with(&options);
    EXPECT_EQUAL(put(shared_cache, key_of("held"), 1, 10000), CACHE_OK);
    shared_value = pinned(shared_cache, key_of("held"));
    storm_child((void *)4);
    EXPECT(atomic_load(&board->number[3]) > 8); /* the number that find a record again depends on the machine */
    EXPECT(atomic_load(&board->number[3]) + atomic_load(&board->number[4]) == 121);
    cache_request_end(shared_cache, false);
    EXPECT(cache_request_begin(shared_cache));
    EXPECT_EQUAL(info_of(shared_cache).processes, 1);
    const struct cache_key key = {"count", 5, 5};
    struct cache_value value;
    EXPECT(cache_find(shared_cache, &key, true, &value));
    EXPECT_EQUAL(*(const int64_t *)value.bytes, atomic_load(&board->number[3]));
    expect_nothing_left(shared_cache);
}

/* A fork that runs no handlers, by the bare system call. */
static void bare_fork(void) {
    if (EMULATED) {
        harness_skip("QEMU ignores MADV_WIPEONFORK");
    }
    hold_one();
    const unsigned before = shared_cache->number;
    const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        if (put(shared_cache, key_of("bare"), 6, 1000) != CACHE_OK || shared_cache->number == before ||
            !has(shared_cache, key_of("bare"), 6, 1000)) {
            _exit(1);
        }
        _exit(0);
    }
    finish((pid_t)child);
    EXPECT_EQUAL(shared_cache->number, before);
    EXPECT(has(shared_cache, key_of("bare"), 6, 1000));
    churn_hard();
    expect_held();
    expect_nothing_left(shared_cache);
}

/* A worker that daemonizes: the parent ends, the child goes on for a long time. */
static void daemon_child(void *argument) {
    await(0, 1);
    for (unsigned i = 0; i < 10; i++) {
        EXPECT(cache_request_begin(shared_cache));
        EXPECT_EQUAL(put(shared_cache, key_of("d %u", i), i, 5000), CACHE_OK);
        EXPECT(has(shared_cache, key_of("d %u", i), i, 5000));
        end_request(shared_cache);
    }
    EXPECT_EQUAL(info_of(shared_cache).processes, 1);
    expect_nothing_left(shared_cache);
}
static void daemonized(void) {
    hold_one();
    const pid_t child = start_fork(daemon_child, NULL);
    close_cache(shared_cache);
    reached(0, 1);
    finish(child);
}

static const struct test tests[] = {
    {"parent and child get new records and the old one is released", records_apart},
    {"pins of the parent are safe from its child", parent_holds},
    {"pins of a child that does nothing are safe from its parent", .run_with = child_holds, .argument = false},
    {"pins of a child that goes on are safe from its parent", .run_with = child_holds, .argument = true},
    {"a parent that dies leaves nothing", parent_dies},
    {"a dead parent's record is free though its child is alive", locked_by_a_dead_parent},
    {"a process that dies while its pins move to a new record harms nobody", dies_while_carrying_over},
    {"2,000 times fork and exec with 8 records", fork_and_exec},
    {"121 processes fork from one another with 16 records", fork_storm},
    {"a fork without handlers gets a new attachment", bare_fork},
    {"a child outlives its parent's use of the cache", daemonized},
    {0},
};
/* A busy machine forks 15 times a second. */
const struct suite suite_fork = {.name = "fork", .tests = tests, .seconds = 600};
