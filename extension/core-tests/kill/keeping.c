/* A full segment that keeps its entries, rewritten by processes that are killed and stopped at each failpoint of
 * compacting. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "failpoint.h"
#include "fixture.h"
#include "points.h"
#include "spare.h"
#include "storms.h"

enum { LENGTH = 1000, TRIES = 3, TRIES_LONG = 20 };

static const char *const points[] = {"compact_begun", "append_taken_own", "compact_emptied",
                                     "page_released", "expired_begun",    "compact_adopted"};
static unsigned keys, point;

static struct cache *open_keeping(void) {
    struct cache_options options = options_of(8);
    options.keeps = true;
    return open_with(&options);
}

static struct cache_key key_number(unsigned number) {
    return key_of("k%u", number % keys);
}

/* Only at this failpoint no page is spare: a process that stops there has all the room. */
static bool adopts(void) {
    return strcmp(point_names[point], "compact_adopted") == 0;
}

static unsigned rewrite(struct cache *cache, unsigned from, unsigned times) {
    unsigned refused = 0;
    for (unsigned i = from; i < from + times; i++) {
        const unsigned number = (unsigned)((i * UINT64_C(2654435761) >> 5) % keys);
        refused += put(cache, key_number(number), number, LENGTH) != CACHE_OK;
    }
    return refused;
}

static void kill_here(void) {
    atomic_fetch_add(&point_counts->killed[point], 1);
    raise(SIGKILL);
}

static void stop_and_count_here(void) {
    atomic_fetch_add(&point_counts->stopped[point], 1);
    raise(SIGSTOP);
}

/* Rewrites present entries, and looks for expired ones. */
static void victim(void *stops) {
    struct cache *cache = open_keeping();
    at_failpoint(point_names[point], adopts() ? 1 : 1 + (unsigned)getpid() % 3,
                 stops ? stop_and_count_here : kill_here);
    rewrite(cache, (unsigned)getpid(), 3 * keys);
    put(cache, key_of("new"), 1, LENGTH);
    harness_fail(__FILE__, __LINE__, "%s was not reached", point_names[point]);
}

static void hold_a_spare_page(void *argument) {
    (void)argument;
    struct cache *cache = open_keeping();
    at_failpoint("move_published", 1, stop_here);
    rewrite(cache, (unsigned)getpid(), keys);
}

/* Kills processes that have taken all spare pages. */
static void lose_spare_pages(struct cache *cache) {
    pid_t children[SPARE_MAX];
    unsigned count = 0;
    for (; spare_count(cache) > 0 && count < SPARE_MAX; count++) {
        children[count] = start(hold_a_spare_page, NULL);
        wait_stopped(children[count]);
    }
    while (count-- > 0) {
        kill_and_wait(children[count]);
    }
}

static void one(struct cache *cache, bool stops) {
    if (adopts()) {
        lose_spare_pages(cache);
    }
    const pid_t child = start(victim, stops ? &keys : NULL);
    if (stops) {
        wait_stopped(child);
        EXPECT(rewrite(cache, 1, keys / 10) == 0 || adopts());
        kill_and_wait(child);
    } else {
        finish_killed(child);
    }
    EXPECT_EQUAL(rewrite(cache, 2, keys / 4), 0);
    unsigned missing = 0;
    for (unsigned i = 0; i < keys; i++) {
        missing += !has_copied(cache, key_of("k%u", i), i, LENGTH);
    }
    EXPECT_EQUAL(missing, 0);
    expect_sound(cache);
}

static void compacting(void) {
    struct cache *cache = open_keeping();
    for (keys = 0; put(cache, key_of("k%u", keys), keys, LENGTH) == CACHE_OK;) {
        keys++;
    }
    for (unsigned i = 0; i < sizeof points / sizeof points[0]; i++) {
        point = point_number(points[i]);
        for (unsigned n = 0; n < (proof_is_long() ? TRIES_LONG : TRIES); n++) {
            one(cache, false);
            one(cache, true);
        }
    }
}

static const struct test tests[] = {
    {"killed and stopped while it compacts, a process takes no value and no room with it", compacting},
    {0},
};
const struct suite suite_keeping = {.name = "keeping", .tests = tests, .seconds = 300};
