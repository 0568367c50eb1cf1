/*
 * A process that holds values forks while one of its calls is at a failpoint: at every failpoint of every call.
 * Another thread of the process forks, since a thread in the middle of a call makes no other call. Or the process is
 * killed there, and only the child goes on. Held values stay, parent and child have records of their own, and
 * nothing hangs or is lost.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failpoint.h"
#include "fixture.h"
#include "suites.h"

enum { HELD = 12, POINTS_MAX = 64 };

/* Numbers on the board. */
enum { RECORD_OF_CHILD, RECORD_OF_PARENT, FORKS, TIMES_SAME_RECORD, TIMES_CHANGED };

/* The cache of the thread that forks, what it holds, and the cache of the thread that calls. */
static struct cache *forked, *caller;
static struct cache_value held[HELD];

static void hold_values(void) {
    forked = open_cache(8);
    for (unsigned i = 0; i < HELD; i++) {
        EXPECT_EQUAL(put(forked, key_of("held %u", i), i + 1, 9000), CACHE_OK);
        held[i] = pinned(forked, key_of("held %u", i));
    }
}

static struct cache_value hold_one(void) {
    EXPECT_EQUAL(put(caller, key_of("held by the caller"), 77, 9000), CACHE_OK);
    return pinned(caller, key_of("held by the caller"));
}

static void look_at_held(void) {
    for (unsigned i = 0; i < HELD; i++) {
        if (!is_pattern(held[i].bytes, held[i].length, i + 1)) {
            atomic_fetch_add(&board->number[TIMES_CHANGED], 1);
        }
    }
}

/* ---- The calls ---- */

static void call_set(void) {
    put(caller, key_of("key"), 7, 700);
    put(caller, key_of("key"), 8, 900);
}
static void call_set_long(void) {
    put(caller, key_of("long"), 7, 200 * KIB);
    put(caller, key_of("long"), 8, 300 * KIB);
}
static void call_claim(void) {
    const struct cache_key key = key_of("claim");
    cache_claim(caller, &key);
    cache_claim(caller, &key);
    cache_await_claim(caller, &key);
    cache_end_claim(caller, &key);
}
static void call_delete(void) {
    const struct cache_key key = key_of("deleted");
    put(caller, key, 9, 500);
    cache_delete(caller, &key);
}
static void call_clear(void) {
    put(caller, key_of("cleared"), 9, 500);
    cache_clear(caller);
}
static void call_count(void) {
    const struct cache_key key = key_of("number");
    int64_t result;
    cache_count(caller, &key, 1, 0, &result);
    cache_count(caller, &key, 1, 0, &result);
    cache_touch(caller, &key, cache_now() + 600000);
}
static void call_find(void) {
    for (unsigned i = 0; i < 4; i++) {
        put(caller, key_of("found %u", i), i, 20000);
        has(caller, key_of("found %u", i), i, 20000);
        has_copied(caller, key_of("found %u", i), i, 20000);
    }
}
static void call_fill(void) {
    churn(caller, 2);
    for (unsigned i = 0; i < 200; i++) {
        put(caller, key_of("used %u", i % 40), i, 9000);
        is_there(caller, key_of("used %u", i % 20));
    }
    churn(caller, 1);
}

static void (*const calls[])(void) = {call_set,   call_set_long, call_claim, call_delete,
                                      call_clear, call_count,    call_find,  call_fill};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- The fork ---- */

/* The process that dies at the fork. IN_ITS_CALL: the process forks in the middle of the call itself, and dies
 * there. */
enum death { NOBODY, CHILD, PARENT, IN_ITS_CALL };

static enum death death;
static const char *wanted;
static unsigned passings_left;
static pthread_t calling_thread;
static sem_t at_the_point, has_forked, has_called;
static pid_t child;
static bool inherits; /* a control: both go on in the old record */

/* Works in a record that must not be the other process's, as long as both live. */
static void go_on(unsigned own, unsigned other) {
    look_at_held();
    EXPECT_EQUAL(put(forked, key_of("own %u", own), own, 3000), CACHE_OK);
    reached(own, (long)info_of(forked).record + 1);
    if (death == NOBODY && child >= 0) {
        await(other, 1);
        const bool same = atomic_load(&board->number[own]) == atomic_load(&board->number[other]);
        atomic_fetch_add(&board->number[TIMES_SAME_RECORD], same);
    }
    churn(forked, 1);
    look_at_held();
    cache_request_end(forked, false);
}

static void fork_here(void) {
    atomic_fetch_add(&board->number[FORKS], 1);
    struct record_shared *const record = forked->identity->record;
    child = fork();
    EXPECT(child >= 0);
    if (inherits) {
        forked->identity->record = record;
    }
    if (child == 0) {
        cache_failpoint_hook = NULL;
        if (death == CHILD) {
            raise(SIGKILL);
        }
        go_on(RECORD_OF_CHILD, RECORD_OF_PARENT);
        _exit(0);
    }
    if (death == PARENT || death == IN_ITS_CALL) {
        kill(getpid(), SIGKILL);
    }
    if (death == CHILD) {
        waitpid(child, NULL, 0);
    }
}

static void stand_at(const char *name) {
    if (passings_left == 0 || !pthread_equal(pthread_self(), calling_thread) || strcmp(name, wanted) != 0 ||
        --passings_left > 0) {
        return;
    }
    if (death == IN_ITS_CALL) {
        fork_here();
    }
    sem_post(&at_the_point);
    sem_wait(&has_forked);
}

static void *forking_thread(void *none) {
    hold_values();
    sem_post(&has_forked);
    sem_wait(&at_the_point);
    if (passings_left == 0) { /* otherwise the call took another path this time */
        fork_here();
        sem_post(&has_forked);
        sem_wait(&has_called);
    }
    go_on(RECORD_OF_PARENT, RECORD_OF_CHILD);
    return none;
}

static void process(void *argument) {
    void (*const call)(void) = calls[(uintptr_t)argument];
    child = -1;
    calling_thread = pthread_self();
    cache_failpoint_hook = stand_at;
    if (death == IN_ITS_CALL) {
        hold_values();
        caller = forked;
        call();
        cache_request_end(caller, false);
        return;
    }
    pthread_t thread;
    sem_init(&at_the_point, 0, 0);
    sem_init(&has_forked, 0, 0);
    sem_init(&has_called, 0, 0);
    EXPECT(pthread_create(&thread, NULL, forking_thread, NULL) == 0);
    sem_wait(&has_forked);
    caller = open_cache(8);
    const struct cache_value own = hold_one();
    call();
    EXPECT(is_pattern(own.bytes, own.length, 77));
    sem_post(&at_the_point);
    sem_post(&has_called);
    pthread_join(thread, NULL);
    EXPECT(is_pattern(own.bytes, own.length, 77));
    cache_request_end(caller, false);
    if (child > 0 && death == NOBODY) {
        finish(child);
    }
}

/* ---- Every failpoint ---- */

/* The failpoints that a call passes, and how often; shared. */
static struct passed {
    const char *name; /* NULL ends it */
    unsigned times;
} * passed;

static void record_point(const char *name) {
    struct passed *point = passed;
    while (point->name && strcmp(point->name, name) != 0) {
        point++;
    }
    EXPECT(point < passed + POINTS_MAX);
    point->name = name;
    point->times++;
}

static void recorder(void *argument) {
    hold_values();
    caller = forked;
    cache_failpoint_hook = record_point;
    calls[(uintptr_t)argument]();
    cache_failpoint_hook = NULL;
    cache_request_end(forked, false);
}

/* A thread that changes records has the mutex for which a fork waits, so no process forks there. */
static bool is_between_forks(const char *name) {
    return strncmp(name, "record_", strlen("record_")) == 0 && strcmp(name, "record_scanned") != 0;
}

/* Waits for the process and for the children of a process that died. */
static void wait_for_all(pid_t started) {
    int status;
    EXPECT(waitpid(started, &status, 0) == started);
    EXPECT(inherits || status == 0 || (death >= PARENT && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    while (waitpid(-1, &status, 0) > 0) {
        EXPECT(inherits || status == 0);
    }
}

static void fork_once(struct cache *survivor, uintptr_t call, const char *name, unsigned passing) {
    wanted = name;
    passings_left = passing;
    atomic_store(&board->number[RECORD_OF_CHILD], 0);
    atomic_store(&board->number[RECORD_OF_PARENT], 0);
    wait_for_all(start(process, (void *)call));
    if (inherits) {
        return;
    }
    expect_sound(survivor);
    EXPECT_EQUAL(put(survivor, key_of("key"), 1, 600), CACHE_OK);
    EXPECT_EQUAL(put(survivor, key_of("long"), 1, 200 * KIB), CACHE_OK);
    end_request(survivor);
}

/* Forks at each failpoint: the first and the middle time that the call passes it; in the long version again and
 * again. */
static void at_points(struct cache *survivor, uintptr_t call) {
    for (struct passed *point = passed; point->name; point++) {
        point->times = 0;
    }
    finish(start(recorder, (void *)call));
    for (struct passed *point = passed; point->name; point++) {
        for (unsigned round = 0; round < (proof_is_long() ? 20 : 1) && !is_between_forks(point->name); round++) {
            if (point->times > 0) {
                fork_once(survivor, call, point->name, 1);
            }
            if (point->times > 1) {
                fork_once(survivor, call, point->name, (point->times + 1) / 2);
            }
        }
    }
}

static struct cache *begin(enum death who) {
#ifdef __SANITIZE_ADDRESS__
    harness_skip("the sanitizer's own locks do not survive a fork beside threads");
#endif
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 && who >= PARENT) {
        harness_skip("nobody can wait for the children of who dies here"); /* in QEMU */
    }
    death = who;
    passed =
        mmap(NULL, (POINTS_MAX + 1) * sizeof *passed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return open_cache(8);
}

static proof_count failures(void) {
    return (proof_count)(atomic_load(&board->number[TIMES_SAME_RECORD]) +
                         atomic_load(&board->number[TIMES_CHANGED]));
}

static void at_every_point(long who) {
    struct cache *survivor = begin(who);
    for (uintptr_t call = 0; call < CALLS; call++) {
        at_points(survivor, call);
        expect_nothing_left(survivor);
    }
    const proof_count forks = (proof_count)atomic_load(&board->number[FORKS]);
    EXPECT(forks > 100);
    proof_record("fork.points", forks, "forks of a process that held values, at the points of its calls",
                 failures(), 0);
    EXPECT_EQUAL(failures(), 0);
}

static void record_inherited(void) {
    struct cache *survivor = begin(NOBODY);
    inherits = true;
    at_points(survivor, 0);
    const proof_count forks = (proof_count)atomic_load(&board->number[FORKS]), wrong = failures();
    /* More than one thing goes wrong at a fork. */
    proof_control("fork.points", "parent and child go on in the record of before", forks,
                  wrong < forks ? wrong : forks);
}

static const struct test tests[] = {
    {"at every point; parent and child go on", .run_with = at_every_point, .argument = NOBODY},
    {"at every point; the child dies", .run_with = at_every_point, .argument = CHILD},
    {"at every point; the parent dies", .run_with = at_every_point, .argument = PARENT},
    {"in the midst of a call, at every point; the parent dies there", .run_with = at_every_point,
     .argument = IN_ITS_CALL},
    {"control: both go on in the record of before, and it shows", record_inherited},
    {0},
};
const struct suite suite_fork_points = {.name = "fork points", .tests = tests, .seconds = 300};
