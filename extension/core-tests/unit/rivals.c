/* Writers of one key, one of which is stopped or dead between two steps: no other one waits for it. */
#include <signal.h>
#include <stdlib.h>

#include "fixture.h"
#include "hash.h"
#include "suites.h"

/* A store of a new key passes the first POINTS_OF_NEW failpoints, a store over an old value the others. */
static const char *const points[] = {"entry_start_set", "entry_counted", "index_tentative", "index_marked",
                                     "index_alone",     "published",     "entry_start_set", "index_replaced"};
enum { POINTS = sizeof points / sizeof *points, POINTS_OF_NEW = 6 };

static bool is_new(unsigned number) {
    return number % POINTS < POINTS_OF_NEW;
}

/* Keys with either order of the two buckets, and with any slots. */
static struct cache_key key_number(unsigned number) {
    return key_of("key %u", number);
}

static void store_until(unsigned number, void (*action)(void)) {
    struct cache *cache = open_cache(8);
    at_failpoint(points[number % POINTS], 1, action);
    put(cache, key_number(number), 2, 1000);
    at_no_failpoint();
}
static void die_storing(void *argument) {
    store_until((unsigned)(uintptr_t)argument, die_here);
    die_here();
}
static void stop_storing(void *argument) {
    store_until((unsigned)(uintptr_t)argument, stop_here);
}

/* Prepares the state that the other process finds. */
static void prepare(struct cache *cache, unsigned number) {
    const struct cache_key key = key_number(number);
    cache_delete(cache, &key);
    if (!is_new(number)) {
        EXPECT_EQUAL(put(cache, key, 1, 1000), CACHE_OK);
    }
}

static int by_size(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

enum { DEATHS = 4 * POINTS, DEATHS_LONG = 400 * POINTS };
#define SOON_NS (10 * 1000 * 1000)

static void dead(void) {
    struct cache *cache = open_cache(8);
    static uint64_t took[DEATHS_LONG];
    const unsigned deaths = proof_is_long() ? DEATHS_LONG : DEATHS;
    const pid_t watcher = start_clock();
    for (unsigned i = 0; i < deaths; i++) {
        prepare(cache, i);
        finish_killed(start(die_storing, (void *)(uintptr_t)i));
        struct cache_value value;
        const struct cache_key key = key_number(i);
        if (cache_find(cache, &key, true, &value)) {
            EXPECT(is_pattern(value.bytes, value.length, 1) || is_pattern(value.bytes, value.length, 2));
        } else {
            EXPECT(is_new(i));
        }
        const uint64_t begun = nanoseconds();
        EXPECT_EQUAL(put(cache, key_number(i), 3, 1000), CACHE_OK);
        took[i] = nanoseconds() - begun;
        EXPECT(has(cache, key_number(i), 3, 1000));
        expect_sound(cache);
        cache_request_end(cache, false);
    }
    kill_and_wait(watcher);
    qsort(took, deaths, sizeof *took, by_size);
    EXPECT(took[deaths / 2] < SOON_NS); /* the median, since other processes use the processor, too */
    expect_nothing_left(cache);
    proof_count late = 0;
    for (unsigned i = 0; i < deaths; i++) {
        late += took[i] > SOON_NS + longest_pause();
    }
    proof_figure("median", "%.3f ms", (double)took[deaths / 2] / 1e6);
    proof_figure("99th of 100", "%.3f ms", (double)took[deaths - 1 - deaths / 100] / 1e6);
    proof_figure("longest", "%.3f ms", (double)took[deaths - 1] / 1e6);
    proof_figure("longest pause of a process that only looks at the clock", "%.3f ms",
                 (double)longest_pause() / 1e6);
    proof_record("death.recovery", deaths,
                 "stores of a key beside what another left that died while it stored it, done within 10 ms beyond "
                 "the pauses of the machine",
                 late, 0);
}

/* Starts a process that stops between two steps of storing. */
static pid_t stop_one(unsigned number) {
    const pid_t child = start(stop_storing, (void *)(uintptr_t)number);
    wait_stopped(child);
    return child;
}
static void let_go(pid_t child) {
    kill(child, SIGCONT);
    finish(child);
}

static void readers_go_on(void) {
    struct cache *cache = open_cache(8);
    for (unsigned number = 0; number < POINTS; number++) {
        prepare(cache, number);
        const pid_t child = stop_one(number);
        const struct cache_key key = key_number(number);
        const unsigned seed = number >= POINTS_OF_NEW + 1 ? 2 : 1;
        const bool there = !is_new(number) || number == POINTS_OF_NEW - 1;
        for (unsigned i = 0; i < 1000; i++) {
            EXPECT_EQUAL(has(cache, key, is_new(number) ? 2 : seed, 1000), there);
            EXPECT_EQUAL(has_copied(cache, key, is_new(number) ? 2 : seed, 1000), there);
            EXPECT_EQUAL(cache_exists(cache, &key), there);
        }
        EXPECT_EQUAL(put(cache, key_of("another key"), 4, 1000), CACHE_OK);
        EXPECT(has(cache, key_of("another key"), 4, 1000));
        expect_sound(cache);
        let_go(child);
        EXPECT(has(cache, key, 2, 1000));
        end_request(cache);
    }
    expect_nothing_left(cache);
}

/* Every change of the key succeeds as if there were no stopped process. Its own store is completed when it goes on. */
static void writers_go_on(void) {
    struct cache *cache = open_cache(8);
    const pid_t watcher = start_clock();
    uint64_t longest = 0;
    proof_count tried = 0;
    for (unsigned i = 0; i < 20 * POINTS; i++) {
        prepare(cache, i);
        const pid_t child = stop_one(i);
        const struct cache_key key = key_number(i);
        const bool was_there = cache_exists(cache, &key);
        int64_t result;
        const uint64_t begun = nanoseconds();
        switch (i / POINTS % 5) {
            case 0:
                EXPECT_EQUAL(put(cache, key, 3, 1000), CACHE_OK);
                break;
            case 1:
                EXPECT_EQUAL(put_as(cache, key, 3, 1000, 0, CACHE_ADD), was_there ? CACHE_EXISTS : CACHE_OK);
                break;
            case 2:
                EXPECT_EQUAL(put_as(cache, key, 3, 1000, 0, CACHE_REPLACE), was_there ? CACHE_OK : CACHE_ABSENT);
                break;
            case 3:
                EXPECT_EQUAL(cache_touch(cache, &key, cache_now() + 60000), was_there ? CACHE_OK : CACHE_ABSENT);
                break;
            default:
                EXPECT_EQUAL(cache_count(cache, &key, 5, 0, &result), was_there ? CACHE_NOT_INTEGER : CACHE_OK);
                break;
        }
        const uint64_t took = nanoseconds() - begun;
        longest = took > longest ? took : longest;
        tried++;
        expect_sound(cache);
        let_go(child);
        EXPECT(cache_exists(cache, &key));
        expect_sound(cache);
        end_request(cache);
    }
    kill_and_wait(watcher);
    EXPECT(longest < 20 * 1000 * 1000 + longest_pause());
    proof_figure("longest", "%.3f ms", (double)longest / 1e6);
    proof_record("contention.stopped", tried,
                 "stores, adds, replaces, touches and counts of a key whose other writer was stopped between two "
                 "steps, done within 20 ms beyond the pauses of the machine",
                 0, 0);
    expect_nothing_left(cache);
}

/* The running process has added the key; then the stopped one's add finds it. */
static void late_adder(void *argument) {
    static const char *const before[] = {"entry_start_set", "entry_counted", "index_tentative", "index_marked",
                                         "index_alone"};
    const unsigned number = (unsigned)(uintptr_t)argument;
    struct cache *cache = open_cache(8);
    at_failpoint(before[number % (sizeof before / sizeof *before)], 1, stop_here);
    EXPECT_EQUAL(put_as(cache, key_number(number), 2, 1000, 0, CACHE_ADD), CACHE_EXISTS);
    at_no_failpoint();
}
static void one_has_added(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 200; i++) {
        const struct cache_key key = key_number(i);
        const pid_t child = start(late_adder, (void *)(uintptr_t)i);
        wait_stopped(child);
        EXPECT_EQUAL(put_as(cache, key, 3, 1000, 0, CACHE_ADD), CACHE_OK);
        EXPECT(has(cache, key, 3, 1000));
        let_go(child);
        EXPECT(has(cache, key, 3, 1000));
        expect_sound(cache);
        end_request(cache);
    }
    expect_nothing_left(cache);
}

/* Tentative words without an entry, in all slots of a key, block nothing. */
static void damaged(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put(cache, key, 1, 1000), CACHE_OK);
    static const uint64_t locations[] = {1, LOCATION_MASK, 0x12345, 0};
    for (unsigned i = 0; i < 4; i++) {
        for (uint32_t b = 0; b < cache->map.bucket_count; b++) {
            for (unsigned s = 0; s < BUCKET_SLOTS; s++) {
                const uint64_t tag = hash_place(&cache->map, hash_mix(key.hash, cache->map.seed)).tag;
                word_store(&cache->map.buckets[b].slots[s],
                           slot_make(tag, s % 2 ? USE_TENTATIVE : USE_NONE, locations[i] + 16 * s));
            }
        }
        EXPECT_EQUAL(put(cache, key, i, 1000), CACHE_OK);
        EXPECT(has(cache, key, i, 1000));
    }
    EXPECT(cache_clear(cache));
    end_request(cache);
}

static const struct test tests[] = {
    {"a dead inserter's word does not delay a store by 10 ms", dead},
    {"readers, and writers of other keys, go on beside a stopped writer", readers_go_on},
    {"no change of the key waits for a stopped writer", writers_go_on},
    {"of two that add a key exactly one succeeds", one_has_added},
    {"damaged index words block nothing", damaged},
    {0},
};
const struct suite suite_rivals = {.name = "rivals", .tests = tests};
