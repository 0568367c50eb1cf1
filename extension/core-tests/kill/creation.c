/* Processes that die while they create, replace and attach to a segment, many at a time. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failpoint.h"
#include "fixture.h"
#include "points.h"
#include "storms.h"
#include "torn/damage.h"

enum { ROUNDS = 120, ROUNDS_LONG = 3000, PROCESSES = 4, STOPS_A_POINT = 5, SECONDS_FOR_ONE = 10 };

/* The failpoints that only a creator passes: of a new segment, of a segment that replaces another, and of the first
 * store into it, for which its memory is taken. */
static const char *const points[] = {"segment_temporary_made",    "segment_filled",        "segment_renamed",
                                     "segment_looked_at",         "segment_moved_aside",   "segment_retired",
                                     "commit_bucket_filled",      "commit_filled",         "commit_noted",
                                     "record_incarnation_raised", "record_copying_cleared"};
enum { CREATOR_POINTS = 9, REPLACES_FROM = 3, REPLACES_TO = 5, ALL_POINTS = sizeof points / sizeof *points };

static unsigned target;
static unsigned times_left;
static void die_at_target(const char *name) {
    if (point_number(name) == target && --times_left == 0) {
        atomic_fetch_add(&point_counts->killed[target], 1);
        raise(SIGKILL);
    }
}

/* Dies at a failpoint of creating, or lives and stores something. */
static void attach_and_die(void *argument) {
    const unsigned number = (unsigned)(uintptr_t)argument;
    target = point_number(points[number % ALL_POINTS]);
    times_left = 1;
    cache_failpoint_hook = number / ALL_POINTS % 3 ? die_at_target : NULL;
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX];
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache || *reason);
    if (cache) {
        const enum cache_result result = put(cache, key_of("a"), 1, 1000);
        EXPECT(result == CACHE_OK || result == CACHE_UNAVAILABLE);
    }
}

/* Takes the segment away, so that the next process must create or replace one. Attached processes stay attached. */
static void take_away(struct cache *cache, unsigned point) {
    if (point >= REPLACES_FROM && point <= REPLACES_TO) {
        word_poke(&cache->map.header->retired, 1);
    } else {
        EXPECT(unlink(segment_file()) == 0);
    }
}

/* Without other processes: each of the failpoints is passed whenever a segment must be created or replaced. */
static void alone(void) {
    for (unsigned i = 0; i < POINT_ENOUGH * CREATOR_POINTS; i++) {
        struct cache *before = open_cache(8);
        take_away(before, i % CREATOR_POINTS);
        close_cache(before);
        int status;
        EXPECT(waitpid(start(attach_and_die, (void *)(uintptr_t)(ALL_POINTS + i % CREATOR_POINTS)), &status, 0) >
               0);
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        struct cache *after = open_cache(8);
        EXPECT_EQUAL(put(after, key_of("b"), i, 1000), CACHE_OK);
        EXPECT(has(after, key_of("b"), i, 1000));
        close_cache(after);
    }
}

static void stop_at_target(const char *name) {
    if (point_number(name) == target && --times_left == 0) {
        atomic_fetch_add(&point_counts->stopped[target], 1);
        raise(SIGSTOP);
    }
}
static void attach_and_stop(void *argument) {
    target = point_number(points[(uintptr_t)argument]);
    times_left = 1;
    cache_failpoint_hook = stop_at_target;
    put(open_cache(8), key_of("c"), 1, 1000);
}

/* Beside a stopped creator, attached processes go on, and new ones find or create a segment. */
static void beside_a_stopped_creator(void) {
    const unsigned stops = (proof_is_long() ? POINT_ENOUGH : STOPS_A_POINT) * CREATOR_POINTS;
    const pid_t watcher = start_clock();
    uint64_t longest = 0;
    for (unsigned i = 0; i < stops; i++) {
        struct cache *before = open_cache(8);
        EXPECT_EQUAL(put(before, key_of("a"), i, 1000), CACHE_OK);
        take_away(before, i % CREATOR_POINTS);
        const pid_t creator = start(attach_and_stop, (void *)(uintptr_t)(i % CREATOR_POINTS));
        wait_stopped(creator);
        alarm(SECONDS_FOR_ONE);
        const uint64_t begun = nanoseconds();
        EXPECT(has(before, key_of("a"), i, 1000));
        EXPECT_EQUAL(put(before, key_of("b"), i, 1000), CACHE_OK);
        const struct cache_options options = options_of(8);
        char reason[CACHE_REASON_MAX];
        struct cache *newcomer = cache_attach(&options, reason);
        if (!newcomer) {
            harness_fail(__FILE__, __LINE__, "beside %s: %s", points[i % CREATOR_POINTS], reason);
        }
        EXPECT_EQUAL(put(newcomer, key_of("d"), i, 1000), CACHE_OK);
        const uint64_t took = nanoseconds() - begun;
        longest = took > longest ? took : longest;
        cache_detach(newcomer);
        alarm(0);
        kill(creator, SIGCONT);
        finish(creator);
        close_cache(before);
        close_cache(open_cache(8));
    }
    kill_and_wait(watcher);
    proof_figure("longest fetch, store and attaching of another", "%.1f ms", (double)longest / 1e6);
    proof_figure("longest pause of a process that only looks at the clock", "%.1f ms",
                 (double)longest_pause() / 1e6);
    proof_record("death.stopped-creator", stops,
                 "processes stopped at every marked point of creating and replacing a segment",
                 longest > longest_pause() + 100 * 1000 * 1000, 0);
}

static void creation(void) {
    struct sequence sequence = {4711};
    unsigned died = 0;
    const unsigned rounds = proof_is_long() ? ROUNDS_LONG : ROUNDS;
    for (unsigned round = 0; round < rounds; round++) {
        pid_t children[PROCESSES];
        for (unsigned i = 0; i < PROCESSES; i++) {
            /* In every round after a segment was retired, a process is to die while it replaces it. */
            const unsigned number =
                round % 4 == 2 && i < 2 ? ALL_POINTS + REPLACES_FROM : (unsigned)draw(&sequence, 3 * ALL_POINTS);
            children[i] = start(attach_and_die, (void *)(uintptr_t)number);
        }
        for (unsigned i = 0; i < PROCESSES; i++) {
            int status;
            waitpid(children[i], &status, 0);
            EXPECT(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
            died += status != 0;
        }
        /* The next process finds or creates a segment at once. No file is left over once a segment was created. */
        struct cache *cache = open_cache(8);
        EXPECT_EQUAL(put(cache, key_of("b"), round, 1000), CACHE_OK);
        EXPECT(has(cache, key_of("b"), round, 1000));
        if (round % 2) {
            expect_nothing_left(cache);
            word_poke(&cache->map.header->retired, round % 4 == 1);
        }
        close_cache(cache);
        if (round % 3 == 0) {
            EXPECT(unlink(segment_file()) == 0);
        }
    }
    unlink(segment_file());
    close_cache(open_cache(8)); /* creates a new segment, and so removes the leftovers of all earlier ones */
    expect_no_temporary_files();
    printf("        %u of %d processes died\n", died, rounds * PROCESSES);
    EXPECT(died > rounds / 2);
    proof_record("death.creation", died,
                 "processes killed while several created, replaced and attached to a segment", 0, 4711);
}

static const struct test tests[] = {
    {"a process that dies at a point of creating, with nobody else there", alone},
    {"others go on beside a process that is stopped while it creates", beside_a_stopped_creator},
    {"processes that die while they create and replace leave no harm", creation},
    {0},
};
const struct suite suite_creation = {.name = "creation", .tests = tests, .seconds = 120};
