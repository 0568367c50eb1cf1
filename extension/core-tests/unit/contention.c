/*
 * Many processes change the same keys: in a cache with room and in a full one, and beside a process that is
 * disturbed. The disturbed process is stopped wherever it is, runs a twentieth of the time, or is killed. No call
 * may be refused, no count lost, no counter may restart, and no two processes may add one key.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failpoint.h"
#include "fixture.h"
#include "suites.h"

/* On the board. */
enum { STOP, TOLD, REFUSED, RESTARTED, BACK, LAST_SEEN, WON, NOT_FOUND, STARTED, SKIPPED };

enum disturbance { UNDISTURBED, STOPPED, THROTTLED, KILLED };
static const char *const disturbances[] = {"undisturbed", "one stopped now and then", "one throttled to 5 %",
                                           "one killed again and again"};

enum { LASTING_MS = 600, LASTING_MS_LONG = 10000, MEMBERS_MAX = 16, SEGMENT_MIB = 8 };

static bool goes_on(void) {
    return atomic_load(&board->number[STOP]) == 0;
}
static void note(unsigned what) {
    atomic_fetch_add(&board->number[what], 1);
}
static long noted(unsigned what) {
    return atomic_load(&board->number[what]);
}

/* ---- What they do ---- */

/* Each count must exceed the largest one that any process saw before the call. Otherwise a count is lost, or the
 * counter restarted. */
static void count_one(struct cache *cache, const struct cache_key *key, bool is_killed) {
    const long before = noted(LAST_SEEN);
    int64_t result;
    if (is_killed) {
        note(STARTED); /* the count in which it is killed may have been made and not reported */
    }
    if (cache_count(cache, key, 1, 0, &result) != CACHE_OK) {
        note(REFUSED);
        return;
    }
    note(TOLD);
    if (is_killed) {
        atomic_fetch_sub(&board->number[STARTED], 1);
    }
    if (result <= before) {
        note(result == 1 ? RESTARTED : BACK);
    }
    long seen = before;
    while (seen < result && !atomic_compare_exchange_weak(&board->number[LAST_SEEN], &seen, result)) {
    }
}
static bool i_am_killed;
static void counter(void *argument) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    const struct cache_key key = key_of("counted");
    while (goes_on()) {
        count_one(cache, &key, i_am_killed);
    }
}
static void filler(void *argument) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    for (unsigned i = 0; goes_on(); i++) {
        if (put(cache, key_of("filler %u %u", (unsigned)(uintptr_t)argument, i), i, 1000 + i % 7 * 1000) !=
            CACHE_OK) {
            note(REFUSED);
        }
    }
}
/* Two and more rewrite one key. */
static void writer(void *argument) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    for (unsigned i = 0; goes_on(); i++) {
        if (put(cache, key_of("hot"), (uint64_t)(uintptr_t)argument << 32 | i, 100 + i % 3 * 400) != CACHE_OK) {
            note(REFUSED);
        }
        note(TOLD);
    }
}
/* Set, add, delete and count change one key, so that it is inserted all the time. */
static void inserter(void *argument) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    const struct cache_key key = key_of("inserted");
    for (unsigned i = (unsigned)(uintptr_t)argument; goes_on(); i++) {
        const enum cache_result result = i % 4 == 0   ? cache_delete(cache, &key)
                                         : i % 4 == 1 ? put(cache, key, i, 100)
                                                      : put_as(cache, key, i, 100, 0, CACHE_ADD);
        if (result != CACHE_OK && result != CACHE_ABSENT && result != CACHE_EXISTS) {
            note(REFUSED);
        }
        note(TOLD);
        if (i % 50 == 0) {
            cache_request_end(cache, false);
        }
    }
}

/* ---- A group of processes ---- */

struct member {
    void (*run)(void *);
    unsigned number;
    pid_t process;
};

static void run_killed(void *argument) {
    i_am_killed = true;
    const struct member *member = argument;
    member->run((void *)(uintptr_t)member->number);
}

/* Stops a process now and then for 30 ms; or all the time except one ms of twenty; or kills it and starts another. */
static void disturb(struct member *member, enum disturbance disturbance) {
    switch (disturbance) {
        case UNDISTURBED:
            sleep_ms(20);
            break;
        case STOPPED:
            kill(member->process, SIGSTOP);
            sleep_ms(30);
            kill(member->process, SIGCONT);
            usleep((useconds_t)(rand() % 5000));
            break;
        case THROTTLED:
            kill(member->process, SIGSTOP);
            sleep_ms(19);
            kill(member->process, SIGCONT);
            usleep((useconds_t)(500 + rand() % 1000));
            break;
        case KILLED:
            usleep((useconds_t)(2000 + rand() % 5000));
            kill_and_wait(member->process);
            member->process = start(run_killed, member);
            break;
    }
}

static void run_together(struct member *members, unsigned count, enum disturbance disturbance) {
    for (unsigned i = 0; i <= SKIPPED; i++) {
        reached(i, 0);
    }
    for (unsigned i = 0; i < count; i++) {
        members[i].number = i;
        members[i].process = start(i == 0 && disturbance == KILLED ? run_killed : members[i].run,
                                   i == 0 && disturbance == KILLED ? (void *)&members[i] : (void *)(uintptr_t)i);
    }
    const uint64_t until = nanoseconds() + UINT64_C(1000000) * (proof_is_long() ? LASTING_MS_LONG : LASTING_MS);
    while (nanoseconds() < until) {
        disturb(&members[0], disturbance);
    }
    reached(STOP, 1);
    for (unsigned i = 0; i < count; i++) {
        finish(members[i].process);
    }
}

/* ---- Counting ---- */

static void expect_counted(const char *what, enum disturbance disturbance, unsigned counters, unsigned fillers) {
    struct member members[MEMBERS_MAX] = {{0}};
    for (unsigned i = 0; i < counters + fillers; i++) {
        members[i].run = i < counters ? counter : filler;
    }
    struct cache *cache = open_cache(SEGMENT_MIB);
    const struct cache_key key = key_of("counted");
    cache_clear(cache);
    run_together(members, counters + fillers, disturbance);
    int64_t sum = 0;
    const enum cache_result last = cache_count(cache, &key, 0, 0, &sum);
    const long told = noted(TOLD), begun = noted(STARTED);
    const long lost = sum < told ? told - sum : 0, false_ones = sum > told + begun ? (long)sum - told - begun : 0;
    printf("        %s, %u counting, %u filling: %ld counts, %ld refused, %ld restarts, %ld others went back, %ld "
           "lost\n",
           disturbances[disturbance], counters, fillers, told, noted(REFUSED), noted(RESTARTED), noted(BACK),
           lost);
    const proof_count failed =
        (proof_count)(noted(REFUSED) + noted(RESTARTED) + noted(BACK) + lost + false_ones) + (last != CACHE_OK);
    proof_record(what, (proof_count)told,
                 "counts of several processes, beside others that fill the cache, and beside one that is stopped, "
                 "throttled or killed: none refused, lost or restarted",
                 failed, 0);
    expect_nothing_left(cache);
    close_cache(cache);
}

static void counted_in_a_full_cache(void) {
    for (enum disturbance d = UNDISTURBED; d <= KILLED; d++) {
        expect_counted("contention.counting-full", d, 6, 4);
    }
}
static void counted_together(void) {
    for (enum disturbance d = UNDISTURBED; d <= KILLED; d++) {
        expect_counted("contention.counting", d, 8, 0);
    }
}

/* ---- Storing ---- */

static void expect_stored(const char *what, enum disturbance disturbance, void (*run)(void *), unsigned writers,
                          unsigned fillers) {
    struct member members[MEMBERS_MAX] = {{0}};
    for (unsigned i = 0; i < writers + fillers; i++) {
        members[i].run = i < writers ? run : filler;
    }
    struct cache *cache = open_cache(SEGMENT_MIB);
    run_together(members, writers + fillers, disturbance);
    printf("        %s, %u writing, %u filling: %ld stores, %ld refused\n", disturbances[disturbance], writers,
           fillers, noted(TOLD), noted(REFUSED));
    proof_record(what, (proof_count)noted(TOLD),
                 "stores of one key by several processes, also beside one that is stopped, throttled or killed: "
                 "none refused",
                 (proof_count)noted(REFUSED), 0);
    expect_nothing_left(cache);
    close_cache(cache);
}

static void hot_key(void) {
    for (enum disturbance d = UNDISTURBED; d <= KILLED; d++) {
        expect_stored("contention.storing", d, writer, 2, 0);
        expect_stored("contention.storing", d, writer, 3, 2);
    }
}
static void inserted_together(void) {
    for (enum disturbance d = UNDISTURBED; d <= KILLED; d++) {
        expect_stored("contention.inserting", d, inserter, 4, 0);
    }
}

/* Values of several lengths, in a segment whose pages get their memory when they are first taken. */
enum { FILLERS = 4, NEW_SEGMENTS = 10, DELAYED_SEGMENTS = 5, LONG_VALUES = 250, NEW_SEGMENT_MIB = 256 };

static struct cache *open_new_segment(void) {
    struct cache_options options = options_of(NEW_SEGMENT_MIB);
    options.segment = "new";
    return open_with(&options);
}
static void filler_of_new(void *argument) {
    struct cache *cache = open_new_segment();
    note(STARTED);
    await(STARTED, FILLERS);
    for (unsigned i = 0; i < LONG_VALUES; i++) {
        const struct cache_key key = key_of("long %u %u", (unsigned)(uintptr_t)argument, i);
        note(put(cache, key, i, 100 + i * 7 % 50 * 2000) == CACHE_OK ? TOLD : REFUSED);
    }
}
static void fill_new_segments(unsigned segments) {
    uint64_t evicted = 0;
    for (unsigned segment = 0; segment < segments; segment++) {
        reached(STARTED, 0);
        struct cache *cache = open_new_segment();
        pid_t processes[FILLERS];
        for (uintptr_t i = 0; i < FILLERS; i++) {
            processes[i] = start(filler_of_new, (void *)i);
        }
        for (unsigned i = 0; i < FILLERS; i++) {
            finish(processes[i]);
        }
        evicted += info_of(cache).evicted;
        expect_nothing_left(cache);
        close_cache(cache);
        unlink(segment_file_of("new", 1));
    }
    printf("        %ld stored, %ld refused, %lu evicted\n", noted(TOLD), noted(REFUSED), (unsigned long)evicted);
    EXPECT_EQUAL(evicted, 0);
    EXPECT_EQUAL(noted(REFUSED), 0);
}

static void filled_together(void) {
    fill_new_segments(NEW_SEGMENTS);
}
/* As if preempted there: meanwhile the others take all unused pages that it has found. */
static void delay_after_survey(const char *name) {
    if (strcmp(name, "surveyed") == 0 && rand() % 2 == 0) {
        usleep((useconds_t)(rand() % 100000));
    }
}
static void filled_beside_delayed(void) {
    cache_failpoint_hook = delay_after_survey;
    fill_new_segments(DELAYED_SEGMENTS);
    cache_failpoint_hook = NULL;
}

/* ---- Adding ---- */

enum { ADDERS = 4, KEYS = 4000 };

/* All processes add the same keys, beginning together. The value shows which one was first. */
static void adder(void *argument) {
    struct cache *cache = open_cache(64);
    note(STARTED);
    await(STARTED, ADDERS);
    for (unsigned i = 0; i < KEYS; i++) {
        const uint64_t seed = (uint64_t)(uintptr_t)argument + 1;
        const enum cache_result result = put_as(cache, key_of("added %u", i), seed, 100, 0, CACHE_ADD);
        if (result == CACHE_OK) {
            note(WON);
            /* An added value stays: no other process has added over it. */
            if (!has(cache, key_of("added %u", i), seed, 100)) {
                note(NOT_FOUND);
            }
        } else if (result != CACHE_EXISTS) {
            note(REFUSED);
        } else if (!is_there(cache, key_of("added %u", i))) {
            note(NOT_FOUND);
        }
        /* A slower process continues at the key of the fastest, so that they compete. */
        long foremost = noted(LAST_SEEN);
        if (foremost < (long)i) {
            reached(LAST_SEEN, (long)i);
        } else if (foremost > (long)i + 1) {
            atomic_fetch_add(&board->number[SKIPPED], foremost - (long)i - 1);
            i = (unsigned)foremost - 1;
        }
        cache_request_end(cache, false);
    }
}
static void one_winner(void) {
    struct cache *cache = open_cache(64);
    pid_t children[ADDERS];
    for (unsigned i = 0; i < ADDERS; i++) {
        children[i] = start(adder, (void *)(uintptr_t)i);
    }
    finish_all(children, ADDERS);
    EXPECT_EQUAL(noted(REFUSED), 0);
    EXPECT_EQUAL(noted(NOT_FOUND), 0);
    proof_record("contention.adding", KEYS,
                 "keys that four processes added at the same time: each by just one of them",
                 (proof_count)labs(noted(WON) - KEYS), 0);
    expect_nothing_left(cache);
}

/* ---- Counters in use stay ---- */

enum { FEW = 200 };

static void counters_stay(void) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    int64_t result;
    for (unsigned lap = 0; lap < 6; lap++) {
        for (unsigned i = 0; i < FEW; i++) {
            const struct cache_key key = key_of("counter %u", i);
            if (lap == 0 || lap == 5) {
                EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
                EXPECT_EQUAL(result, lap ? 2 : 1);
            }
        }
        churn(cache, 3);
    }
    /* Integers that were only stored stay only if they are used, as other values. */
    for (unsigned i = 0; i < FEW; i++) {
        const struct cache_key key = key_of("stored %u", i);
        EXPECT_EQUAL(cache_store_integer(cache, &key, 1, 0, CACHE_SET, NULL), CACHE_OK);
    }
    churn(cache, 6);
    unsigned left = 0;
    for (unsigned i = 0; i < FEW; i++) {
        left += is_there(cache, key_of("stored %u", i));
    }
    EXPECT(left < FEW / 2);
    expect_nothing_left(cache);
}

/* New counters without end, each counted once: other values are still stored, and used ones stay. */
static void flood_of_counters(void) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    enum { HOT = 100, FLOOD = 1000 * 1000 };
    uint64_t longest = 0;
    unsigned found = 0, asked = 0;
    for (unsigned i = 0; i < FLOOD; i++) {
        const struct cache_key key = key_of("flood %u", i);
        int64_t result;
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
        if (i % 100 == 0) {
            const unsigned hot = i / 100 % HOT;
            if (i > FLOOD / 2) {
                asked++;
                found += is_there(cache, key_of("hot %u", hot));
            }
            const uint64_t begun = nanoseconds();
            if (!is_there(cache, key_of("hot %u", hot))) {
                EXPECT_EQUAL(put(cache, key_of("hot %u", hot), hot, 3000), CACHE_OK);
            }
            const uint64_t took = nanoseconds() - begun;
            longest = took > longest ? took : longest;
            end_request(cache);
        }
    }
    printf("        %u of %u fetches hit beside the flood; longest store %.1f ms\n", found, asked,
           (double)longest / 1e6);
    EXPECT(found > asked * 3 / 4);
    expect_nothing_left(cache);
}

/* The same by several processes, beside others that store: no store is refused. */
static void flooder(void *argument) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    for (unsigned i = 0; goes_on(); i++) {
        const struct cache_key key = key_of("flood %u %u", (unsigned)(uintptr_t)argument, i);
        int64_t result;
        if (cache_count(cache, &key, 1, 0, &result) != CACHE_OK || result != 1) {
            note(REFUSED);
        }
        note(TOLD);
    }
}
static void flood_of_several(void) {
    struct member members[6] = {{0}};
    for (unsigned i = 0; i < 6; i++) {
        members[i].run = i < 4 ? flooder : filler;
    }
    struct cache *cache = open_cache(SEGMENT_MIB);
    run_together(members, 6, UNDISTURBED);
    printf("        %ld counted, %ld refused\n", noted(TOLD), noted(REFUSED));
    EXPECT_EQUAL(noted(REFUSED), 0);
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"six count while four fill the cache", counted_in_a_full_cache},
    {"eight count one key", counted_together},
    {"several store one key", hot_key},
    {"several fill a new segment with long values", filled_together},
    {"several fill a new segment, delayed after they looked for pages", filled_beside_delayed},
    {"several add, store and delete one key", inserted_together},
    {"of several that add a key exactly one succeeds", one_winner},
    {"counters in use stay in a full cache", counters_stay},
    {"a flood of new counters leaves room for other values", flood_of_counters},
    {"a flood of new counters by several processes causes no refusals", flood_of_several},
    {0},
};
const struct suite suite_contention = {.name = "contention", .tests = tests, .seconds = 200};
