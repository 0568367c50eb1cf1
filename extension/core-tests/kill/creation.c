/* Processes that die while they create, replace and attach to a segment, many at a time. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "point.h"
#include "points.h"
#include "storms.h"
#include "torn/damage.h"

enum { ROUNDS = 120, PROCESSES = 4, DEATHS_A_POINT = 20 };

static unsigned target;
static unsigned times_left;
static void die_at_target(const char *name) {
    if (point_number(name) == target && --times_left == 0) {
        atomic_fetch_add(&point_counts->killed[target], 1);
        raise(SIGKILL);
    }
}

/* Dies at a point of creating, or lives and stores something. */
static void attach_and_die(void *argument) {
    static const char *const points[] = {"segment_temporary_made",    "segment_filled",
                                         "segment_renamed",           "segment_retired",
                                         "record_incarnation_raised", "record_copying_cleared"};
    const unsigned number = (unsigned)(uintptr_t)argument;
    target = point_number(points[number % 6]);
    times_left = 1;
    cache_point_hook = number / 6 % 3 ? die_at_target : NULL;
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX];
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache || *reason);
    if (cache) {
        const enum cache_result result = put(cache, key_of("a"), 1, 1000);
        EXPECT(result == CACHE_OK || result == CACHE_BUSY || result == CACHE_AWAY);
    }
}

/* Nobody else is there: each of the points is passed whenever a segment must be made, or replaced. */
static void alone(void) {
    static const struct {
        unsigned number;
        bool replaces;
    } deaths[] = {{6, false}, {7, false}, {8, false}, {9, true}};
    for (unsigned i = 0; i < DEATHS_A_POINT * 4; i++) {
        struct cache *before = open_cache(8);
        if (deaths[i % 4].replaces) {
            word_poke(&before->map.header->retired, 1);
        } else {
            EXPECT(unlink(segment_file()) == 0);
        }
        close_cache(before);
        int status;
        EXPECT(waitpid(start(attach_and_die, (void *)(uintptr_t)deaths[i % 4].number), &status, 0) > 0);
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        struct cache *after = open_cache(8);
        EXPECT_EQUAL(put(after, key_of("b"), i, 1000), CACHE_OK);
        EXPECT(has(after, key_of("b"), i, 1000));
        close_cache(after);
    }
}

static void creation(void) {
    struct sequence sequence = {4711};
    unsigned died = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pid_t children[PROCESSES];
        for (unsigned i = 0; i < PROCESSES; i++) {
            /* In every round after one was retired, somebody is to die while he replaces it. */
            const unsigned number = round % 4 == 2 && i < 2 ? 9 : (unsigned)draw(&sequence, 18);
            children[i] = start(attach_and_die, (void *)(uintptr_t)number);
        }
        for (unsigned i = 0; i < PROCESSES; i++) {
            int status;
            waitpid(children[i], &status, 0);
            EXPECT(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
            died += status != 0;
        }
        /* Whoever comes next finds or makes a segment at once, and no file is left over once one was made. */
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
    close_cache(open_cache(9)); /* makes a new one, and so removes what is left of all before */
    char prefix[300];
    snprintf(prefix, sizeof prefix, "%s.new.", segment_file());
    EXPECT_EQUAL(count_files(prefix), 0);
    printf("        %u of %d processes died\n", died, ROUNDS * PROCESSES);
    EXPECT(died > ROUNDS / 2);
}

static const struct test tests[] = {
    {"a process that dies at a point of creating, with nobody else there", alone},
    {"processes that die while they create and replace leave no harm", creation},
    {0},
};
const struct suite suite_creation = {.name = "creation", .tests = tests, .seconds = 120};
