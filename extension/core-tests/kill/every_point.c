/*
 * Every kind of call, killed and stopped at every point that it passes. What is left must be sound, every value
 * whole and of its key, no value may be missing that neither the call took away nor full memory evicted, the next
 * store of the same key must succeed within a moment, and in the end no page may be lost. A stopped process keeps
 * nobody from reading, nor from writing other keys.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failpoint.h"
#include "fixture.h"
#include "page.h"
#include "pin.h"
#include "points.h"
#include "spare.h"
#include "storms.h"

/* Keys 0 to 49 have values, 50 to 54 integers. 60 to 79 share one hash. 900 is the key that is taken out. Keys from
 * 1000 on fill the memory, the first 300 of them a third of it. */
enum {
    VALUES = 50,
    INTEGERS = 5,
    FIRST_INTEGER = 50,
    FIRST_CROWDED = 60,
    CROWDED = 20,
    LONG_FROM = 45,
    FIRST_FILLING = 1000,
    FILLING = 300,
    SECONDS_FOR_ONE = 10
};

static struct cache_key key_number(unsigned number) {
    struct cache_key key = key_of("key %u", number);
    if (number >= FIRST_CROWDED && number < FIRST_CROWDED + CROWDED) {
        key.hash = 4711;
    }
    return key;
}

static size_t length_number(unsigned number) {
    return number >= FIRST_FILLING   ? 9000
           : number >= FIRST_CROWDED ? 64
           : number >= LONG_FROM     ? 100 * KIB + number * 8
                                     : 40 + number * 300;
}

static enum cache_result set(struct cache *cache, unsigned number, unsigned version) {
    return put(cache, key_number(number), number * UINT64_C(1000000) + version, length_number(number));
}

/* Expects a miss, or a whole value of this key. */
static bool expect_proven(struct cache *cache, unsigned number, bool zero_copy) {
    const struct cache_key key = key_number(number);
    struct cache_value value;
    if (!cache_find(cache, &key, zero_copy, &value)) {
        return false;
    }
    if (value.kind == CACHE_INTEGER) {
        EXPECT_EQUAL(value.length, 8);
        return true;
    }
    const uint64_t seed = *(const uint64_t *)value.bytes;
    EXPECT_EQUAL(seed / 1000000, number);
    EXPECT_EQUAL(value.length, (length_number(number) + 7) / 8 * 8);
    EXPECT(is_pattern(value.bytes, value.length, seed));
    return true;
}

static void count_one(struct cache *cache, unsigned number) {
    const struct cache_key key = key_number(number);
    int64_t result;
    cache_count(cache, &key, 1, 0, &result);
}

/* ---- What a victim does ---- */

static void fill_pages(struct cache *cache, unsigned laps) {
    const unsigned stores = cache->map.page_count * 7 * laps;
    for (unsigned i = 0; i < stores; i++) {
        set(cache, FIRST_FILLING + i, 1);
        if (i % 3 == 0) {
            expect_proven(cache, i / 3 % VALUES, false);
            count_one(cache, FIRST_INTEGER + i % INTEGERS);
            const struct cache_key stored = key_of("stored %u", i);
            cache_store_integer(cache, &stored, i, 0, CACHE_SET, NULL);
        }
    }
}

static void call_set_new(struct cache *cache) {
    const struct cache_key key = key_number(3);
    cache_delete(cache, &key);
    set(cache, 3, 2);
}
static void call_set(struct cache *cache) {
    set(cache, 4, 2);
}
static void call_set_long(struct cache *cache) {
    set(cache, 46, 2);
}
static void call_add(struct cache *cache) {
    put_as(cache, key_number(5), 5000002, length_number(5), 0, CACHE_ADD);
}
static void call_replace(struct cache *cache) {
    put_as(cache, key_number(6), 6000002, length_number(6), 0, CACHE_REPLACE);
}
/* Stores over a present entry, twice with one token. */
static void call_over(struct cache *cache) {
    const struct cache_key key = key_number(12);
    struct cache_value value;
    uint64_t token;
    for (unsigned i = 0; cache_find_token(cache, &key, true, &value, &token) && i < 2; i++) {
        for (unsigned j = 0; j < 2; j++) {
            struct cache_span span;
            if (cache_reserve(cache, &key, length_number(12), CACHE_REPLACE, &span) == CACHE_OK) {
                fill_pattern(span.bytes, span.length, 12000002 + i);
                cache_commit(cache, &key, KIND, 0, CACHE_REPLACE, &token);
            }
        }
    }
}
/* Gives a value another form, here the same bytes. */
static void call_promote(struct cache *cache) {
    const struct cache_key key = key_number(15);
    struct cache_value value;
    struct cache_span span;
    uint64_t token;
    if (cache_find_token(cache, &key, CACHE_UNTRACED, &value, &token) &&
        cache_reserve_beside(cache, &key, length_number(15), 0, &span) == CACHE_OK) {
        memcpy(span.bytes, value.bytes, value.length);
        cache_commit_beside(cache, &key, KIND, 0, cache_now(), token);
    }
}
static void call_abandon(struct cache *cache) {
    static const size_t lengths[] = {100, 200 * KIB};
    for (unsigned i = 0; i < 2; i++) {
        struct cache_span span;
        const struct cache_key key = key_number(7);
        if (cache_reserve(cache, &key, lengths[i], CACHE_SET, &span) == CACHE_OK) {
            cache_abandon(cache);
        }
    }
}
static void call_delete(struct cache *cache) {
    const struct cache_key key = key_number(8), key_long = key_number(47);
    cache_delete(cache, &key);
    cache_delete(cache, &key_long);
}
static void call_clear(struct cache *cache) {
    cache_clear(cache);
}
static void call_touch(struct cache *cache) {
    static const unsigned numbers[] = {9, 48, FIRST_INTEGER};
    for (unsigned i = 0; i < 3; i++) {
        const struct cache_key key = key_number(numbers[i]);
        cache_touch(cache, &key, cache_now() + 600000);
    }
}
static void call_count(struct cache *cache) {
    count_one(cache, FIRST_INTEGER);
    const struct cache_key key = key_number(FIRST_INTEGER + 1);
    cache_delete(cache, &key);
    count_one(cache, FIRST_INTEGER + 1);
    cache_swap(cache, &key, 1, 5);
}
static void call_find(struct cache *cache) {
    for (unsigned i = 0; i < VALUES; i += 7) {
        expect_proven(cache, i, true);
        expect_proven(cache, i, false);
        const struct cache_key key = key_number(i);
        cache_exists(cache, &key);
    }
}
static void call_walk(struct cache *cache) {
    struct cache_walk *walk = cache_walk_begin("key 1", 5);
    struct cache_entry entry;
    while (cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        EXPECT(entry.key_length >= 5 && memcmp(entry.key, "key 1", 5) == 0);
    }
    cache_walk_end(walk);
}
/* The second call finds the buckets empty. */
static void call_delete_prefix(struct cache *cache) {
    cache_delete_prefix(cache, "key 8", 5);
    cache_delete_prefix(cache, "key 8", 5);
}
static void call_expired(struct cache *cache) {
    const struct cache_key key = key_number(10);
    put_as(cache, key, 10000002, length_number(10), cache_now() - 1, CACHE_SET);
    cache_request_end(cache, false);
    expect_proven(cache, 10, true);
}
/* A value that is stale when it is stored, then found, and stored over. */
static void call_stale(struct cache *cache) {
    const struct cache_key key = key_number(13);
    const uint64_t freshness = cache_freshness(cache_now() - 1, 0.5);
    struct cache_value value;
    struct cache_span span;
    if (cache_reserve_fresh(cache, &key, length_number(13), freshness, CACHE_SET, &span) == CACHE_OK) {
        fill_pattern(span.bytes, span.length, 13000002);
        cache_commit(cache, &key, KIND, cache_now() + 600000, CACHE_SET, NULL);
    }
    expect_proven(cache, 13, true);
    cache_exists(cache, &key);
    if (cache_find_kept(cache, &key, true, &value)) {
        EXPECT(is_pattern(value.bytes, value.length, *(const uint64_t *)value.bytes));
    }
    put_as(cache, key, 13000003, length_number(13), 0, CACHE_ADD);
}
static void call_fill(struct cache *cache) {
    fill_pages(cache, 3);
}
static void call_fill_long(struct cache *cache) {
    for (unsigned i = 0; i < 30; i++) {
        set(cache, LONG_FROM + i % 5, 3 + i);
        set(cache, FIRST_FILLING + i, 2);
    }
}
static void call_crowd(struct cache *cache) {
    for (unsigned i = 0; i < CROWDED; i++) {
        set(cache, FIRST_CROWDED + i, 2);
    }
}
static void call_fork(struct cache *cache) {
    expect_proven(cache, 1, true);
    const pid_t child = fork();
    expect_proven(cache, 1, true);
    if (child == 0) {
        cache_request_end(cache, false);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    cache_request_end(cache, false);
}
static void call_recount(struct cache *cache) {
    for (unsigned i = 0; i < VALUES; i++) {
        expect_proven(cache, i, true);
    }
    cache_request_end(cache, false);
    word_poke(&cache->map.header->recounted, 0);
    pin_recount(cache);
}
/* Gives memory back, and takes it again. */
static void call_release(struct cache *cache) {
    cache_clear(cache);
    cache_request_end(cache, false);
    cache_release(cache);
    for (unsigned i = 0; i < 100; i++) {
        set(cache, FIRST_FILLING + i, 3);
    }
}
/* The second claim waits, through another attachment. */
static void call_claim(struct cache *cache) {
    struct cache *waiter = open_cache(8);
    const struct cache_key key = key_of("claim");
    cache_claim(cache, &key);
    cache_claim(waiter, &key);
    cache_await_claim(waiter, &key);
    cache_end_claim(cache, &key);
    close_cache(waiter);
}
/* A computation that stores nothing, then one that stores, each beside a waiting attachment. */
static void call_compute(struct cache *cache) {
    struct cache *waiter = open_cache(8);
    const struct cache_key key = key_number(14);
    struct cache_token token, seen;
    cache_delete(cache, &key);
    for (unsigned i = 0; i < 2; i++) {
        cache_claim_to_compute(cache, &key, cache_now() + 600000, NULL, &token);
        cache_claim_to_compute(waiter, &key, cache_now() + 600000, NULL, &seen);
        cache_await_computed(waiter, &key, &seen);
        struct cache_span span;
        if (i == 1 && cache_reserve(cache, &key, length_number(14), CACHE_REPLACE, &span) == CACHE_OK) {
            fill_pattern(span.bytes, span.length, 14000002);
            cache_commit(cache, &key, KIND, 0, CACHE_REPLACE, &token.number);
        }
        cache_end_computing(cache, &key);
        cache_await_computed(waiter, &key, &seen);
    }
    close_cache(waiter);
}
static void call_fork_claiming(struct cache *cache) {
    const struct cache_key key = key_of("claim"), other = key_of("other claim");
    cache_claim(cache, &key);
    cache_claim(cache, &other);
    const pid_t child = fork();
    if (child == 0) {
        cache_claim(cache, &key);
        _exit(0);
    }
    expect_proven(cache, 1, true);
    cache_end_claim(cache, &key);
    waitpid(child, NULL, 0);
}
/* write_beside() does not store this key, or the child would find it. */
enum { TAKEN_OUT = 900 };
static void die_tentatively(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint("index_tentative", 1, die_here);
    set(cache, TAKEN_OUT, 2);
}
static void call_take_out(struct cache *cache) {
    const struct cache_key key = key_number(TAKEN_OUT);
    cache_delete(cache, &key);
    /* The hook of this process records or kills: only the child sets another. */
    finish_killed(start_fork(die_tentatively, NULL));
    set(cache, TAKEN_OUT, 3);
}
/* Every second store is of one key, the others are in no order. So no page dies as a whole, and pages are compacted;
 * half of the time as if other processes had all spare pages except the reserve. Less than half of the memory is in
 * use, so nothing has to be evicted. */
static void call_rewrite(struct cache *cache) {
    for (unsigned i = 0; i < cache->map.page_count * 6; i++) {
        for (unsigned spare = SPARE_SHARED; spare < SPARE_MAX && i % 2; spare++) {
            word_exchange(&cache->map.header->spare[spare], 0);
        }
        set(cache, FIRST_FILLING, 4);
        set(cache, FIRST_FILLING + (unsigned)(i * UINT64_C(2654435761) >> 5) % FILLING, 4);
    }
}

enum { TAKEN_MAX = 2 };

static const struct {
    const char *name;
    void (*run)(struct cache *);
    bool keeps;                /* all values except a few */
    unsigned taken[TAKEN_MAX]; /* keys that may be missing while it runs and after its death, */
    bool takes_all;            /* or all */
} calls[] = {
    {"set of a new key", call_set_new, true, {3}},
    {"set", call_set, true},
    {"set of a long value", call_set_long, true},
    {"add", call_add, true},
    {"replace", call_replace, true},
    {"store over a token", call_over, true},
    {"promote", call_promote, true},
    {"abandon", call_abandon, true},
    {"delete", call_delete, true, {8, 47}},
    {"clear", call_clear, false, .takes_all = true},
    {"touch", call_touch, true},
    {"count", call_count, true, {FIRST_INTEGER + 1}},
    {"find", call_find, true},
    {"walk", call_walk, true},
    {"delete by prefix", call_delete_prefix, true, {8}},
    {"find of an expired value", call_expired, true, {10}},
    {"find of a stale value", call_stale, true, {13}},
    {"sets in a full cache", call_fill, false},
    {"sets of long values in a full cache", call_fill_long, false},
    {"sets of colliding keys", call_crowd, false},
    {"fork", call_fork, true},
    {"claim", call_claim, true},
    {"computing once", call_compute, true, {14}},
    {"fork with claims", call_fork_claiming, true},
    {"recount", call_recount, true},
    {"release", call_release, false, .takes_all = true},
    {"taking out a dead inserter's word", call_take_out, true},
    {"rewrites of what fits", call_rewrite, true},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- One victim ---- */

enum { SEQUENCE_MAX = 1 << 16 };
static struct {
    atomic_uint length;
    unsigned char points[SEQUENCE_MAX];
} * sequence; /* failpoints that a recorded call passed, in order; shared */

static pid_t recorder;
static void record(const char *name) {
    const unsigned at = atomic_load(&sequence->length);
    if (getpid() == recorder && at < SEQUENCE_MAX) {
        sequence->points[at] = (unsigned char)point_number(name);
        atomic_store(&sequence->length, at + 1);
    }
}

static unsigned end_point, passings_left;
static bool stops;
static void end_here(const char *name) {
    if (passings_left > 0 && strcmp(name, point_names[end_point]) == 0 && getpid() == recorder &&
        --passings_left == 0) {
        atomic_fetch_add(&(stops ? point_counts->stopped : point_counts->killed)[end_point], 1);
        raise(stops ? SIGSTOP : SIGKILL);
    }
}

/* Attaches, makes the call, ends its request and detaches. The hook sees all of that. */
static void victim(void *argument) {
    const unsigned call = (unsigned)(uintptr_t)argument;
    recorder = getpid();
    cache_failpoint_hook = passings_left ? end_here : record;
    struct cache *cache = open_cache(8);
    calls[call].run(cache);
    cache_request_end(cache, false);
    cache_detach(cache);
    cache_failpoint_hook = NULL;
}

/* ---- The survivor ---- */

static void prepare(struct cache *cache) {
    for (unsigned i = 0; i < VALUES; i++) {
        set(cache, i, 1);
        expect_proven(cache, i, false);
    }
    for (unsigned i = 0; i < INTEGERS; i++) {
        count_one(cache, FIRST_INTEGER + i);
    }
    for (unsigned i = 0; i < CROWDED; i++) {
        set(cache, FIRST_CROWDED + i, 1);
    }
}

static uint64_t longest_store, longest_find;
static unsigned long warm_asked, warm_found;      /* values, after a death */
static unsigned long finds_beside, stores_beside; /* beside a stopped process */
static void timed(uint64_t begun, uint64_t *longest) {
    const uint64_t took = nanoseconds() - begun;
    *longest = took > *longest ? took : *longest;
}

/* Number of present values, among those that do not displace each other. */
static unsigned read_everything(struct cache *cache) {
    unsigned found = 0;
    for (unsigned i = 0; i < FIRST_CROWDED + CROWDED; i++) {
        const uint64_t begun = nanoseconds();
        found += expect_proven(cache, i, i % 2) && i < VALUES;
        timed(begun, &longest_find);
    }
    return found;
}

/* ---- What is missing ---- */

static struct {
    bool there[FIRST_FILLING + FILLING];
    struct cache_info info;
} known;

static bool exists(struct cache *cache, unsigned number) {
    const struct cache_key key = key_number(number);
    return cache_exists(cache, &key);
}

static void look(struct cache *cache) {
    EXPECT(cache_read_counters(cache, &known.info));
    for (unsigned i = 0; i < FIRST_FILLING + FILLING; i++) {
        const bool crowds = i >= FIRST_CROWDED && i < FIRST_FILLING;
        known.there[i] = !crowds && exists(cache, i);
    }
}

static bool may_be_taken(unsigned call, unsigned number) {
    bool may = call < CALLS && calls[call].takes_all;
    for (unsigned i = 0; i < TAKEN_MAX && call < CALLS; i++) {
        may |= number > 0 && calls[call].taken[i] == number;
    }
    return may;
}

/* Expects that every missing value was evicted because the memory is full: it was there at the last look, the call
 * (CALLS: no call) did not take it, and each eviction was counted, except `uncounted`. */
static void expect_nothing_lost(struct cache *cache, unsigned call, unsigned uncounted) {
    struct cache_info info;
    EXPECT(cache_read_counters(cache, &info));
    const uint64_t gone = info.evicted - known.info.evicted + info.displaced - known.info.displaced +
                          info.refused_room - known.info.refused_room;
    unsigned missing = 0, last = 0;
    for (unsigned i = 0; i < FIRST_FILLING + FILLING; i++) {
        if (known.there[i] && !may_be_taken(call, i) && !exists(cache, i)) {
            missing++;
            last = i;
        }
    }
    if (missing > gone + uncounted) {
        harness_fail(__FILE__, __LINE__,
                     "%u values are missing, the last of key %u, and %lu were evicted; %s at %s", missing, last,
                     (unsigned long)gone, call < CALLS ? calls[call].name : "stores after it",
                     point_names[end_point]);
    }
}

/* At these failpoints an entry is already unlinked, but not yet counted. */
static unsigned uncounted_at(unsigned point) {
    return strcmp(point_names[point], "reclaim_unlinked") == 0 ||
           strcmp(point_names[point], "index_displaced") == 0;
}

/* ---- After a death, and beside a stopped process ---- */

/* After a death, every claim can be made again. */
static void claim_everything(struct cache *cache) {
    const struct cache_key keys[] = {key_of("claim"), key_of("other claim"), key_number(14)};
    for (unsigned i = 0; i < 3; i++) {
        enum cache_result result;
        while ((result = cache_claim(cache, &keys[i])) == CACHE_EXISTS) {
            EXPECT(cache_await_claim(cache, &keys[i]));
        }
        EXPECT_EQUAL(result, CACHE_OK);
        cache_end_claim(cache, &keys[i]);
    }
}

/* Nothing is refused after a death. */
static void write_everything(struct cache *cache, unsigned version) {
    for (unsigned i = 0; i < FIRST_CROWDED + CROWDED; i++) {
        if (i >= VALUES && i < FIRST_CROWDED) {
            continue;
        }
        const uint64_t begun = nanoseconds();
        EXPECT_EQUAL(set(cache, i, version), CACHE_OK);
        timed(begun, &longest_store);
        EXPECT(expect_proven(cache, i, false));
    }
    for (unsigned i = 0; i < INTEGERS; i++) {
        const struct cache_key key = key_number(FIRST_INTEGER + i);
        int64_t result;
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
    }
}

/* Beside a stopped process nothing is refused either. */
static void write_beside(struct cache *cache) {
    for (unsigned i = 0; i < VALUES; i++) {
        const uint64_t begun = nanoseconds();
        EXPECT_EQUAL(set(cache, i, 7), CACHE_OK);
        timed(begun, &longest_store);
        EXPECT(expect_proven(cache, i, false));
    }
    stores_beside += VALUES;
    for (unsigned i = 0; i < INTEGERS; i++) {
        const struct cache_key key = key_number(FIRST_INTEGER + i);
        const uint64_t begun = nanoseconds();
        int64_t result;
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
        timed(begun, &longest_store);
    }
    for (unsigned i = 0; i < FILLING; i++) {
        EXPECT_EQUAL(set(cache, FIRST_FILLING + i, 7), CACHE_OK);
    }
    const struct cache_key key = key_of("claimed beside");
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_OK);
    cache_end_claim(cache, &key);
}

static void one(struct cache *cache, unsigned call, unsigned point, unsigned passing, bool stop) {
    alarm(SECONDS_FOR_ONE); /* a call that hangs need not wait for the watchdog */
    const struct cache_key held_key = key_number(1);
    struct cache_value held;
    if (!cache_find(cache, &held_key, true, &held)) { /* evicted, as a few may be in full memory */
        EXPECT_EQUAL(set(cache, 1, 9), CACHE_OK);
        EXPECT(cache_find(cache, &held_key, true, &held));
    }
    look(cache);
    end_point = point;
    passings_left = passing;
    stops = stop;
    const pid_t child = start(victim, (void *)(uintptr_t)call);
    if (stop) {
        int status;
        EXPECT(waitpid(child, &status, WUNTRACED) == child);
        if (WIFSTOPPED(status)) { /* otherwise the call took another path this time */
            expect_nothing_lost(cache, call, uncounted_at(point));
            read_everything(cache);
            finds_beside += FIRST_CROWDED + CROWDED;
            write_beside(cache);
            expect_sound(cache);
            kill(child, SIGCONT);
            EXPECT(waitpid(child, &status, 0) == child);
        }
        EXPECT_EQUAL(status, 0);
    } else {
        int status;
        EXPECT(waitpid(child, &status, 0) == child);
        EXPECT(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    }
    passings_left = 0;
    while (waitpid(0, NULL, 0) > 0) {
        /* Children of a killed victim live on, and pin until they end. */
    }
    EXPECT(held.hold == CACHE_COPIED || is_pattern(held.bytes, held.length, *(const uint64_t *)held.bytes));
    expect_sound(cache);
    expect_nothing_lost(cache, call, stop ? 0 : uncounted_at(point));
    const unsigned found = read_everything(cache);
    if (calls[call].keeps) {
        warm_asked += VALUES;
        warm_found += found;
    }
    end_request(cache);
    look(cache);
    write_everything(cache, 9);
    claim_everything(cache);
    expect_nothing_lost(cache, CALLS, 0);
}

/* Stops or kills a call at each failpoint: the first, the middle and the last time that it passes it. */
static void at_every_point(struct cache *cache, unsigned call, bool stop) {
    recorder = 0;
    atomic_store(&sequence->length, 0);
    finish(start(victim, (void *)(uintptr_t)call));
    write_everything(cache, 8);
    const unsigned length = atomic_load(&sequence->length);
    EXPECT(length > 0);
    for (unsigned point = 0; point < point_count(); point++) {
        unsigned times = 0;
        for (unsigned i = 0; i < length; i++) {
            times += sequence->points[i] == point;
        }
        const unsigned passings[3] = {1, (times + 1) / 2, times};
        for (unsigned i = 0; i < 3 && times > 0; i++) {
            if (i == 0 || passings[i] != passings[i - 1]) {
                one(cache, call, point, passings[i], stop);
            }
        }
    }
}

static void every_call(struct cache *cache, bool stop) {
    prepare(cache);
    for (unsigned call = 0; call < CALLS; call++) {
        at_every_point(cache, call, stop);
        if (call % 4 == 3) {
            expect_nothing_left(cache);
            prepare(cache);
        }
    }
    expect_nothing_left(cache);
    alarm(0);
}

/* The fewest tries at a failpoint that a call passes; `total`: the sum of all. */
static long fewest(const atomic_long *counts, long *total) {
    long least = LONG_MAX;
    *total = 0;
    for (unsigned i = 0; i < point_count(); i++) {
        const long count = atomic_load(&counts[i]);
        least = count > 0 && count < least ? count : least;
        *total += count;
    }
    return least;
}

/* Tries once, or until every failpoint had enough tries. */
static void again_and_again(bool stop, const atomic_long *counts) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t watcher = start_clock();
    sequence = mmap(NULL, sizeof *sequence, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct cache *cache = open_cache(8);
    long total, least;
    do {
        every_call(cache, stop);
        least = fewest(counts, &total);
    } while (proof_is_long() && least < POINT_ENOUGH);
    kill_and_wait(watcher);
    printf("        %ld times, at each point at least %ld; longest store %.1f ms, longest find %.1f ms\n", total,
           least, (double)longest_store / 1e6, (double)longest_find / 1e6);
    proof_figure("fewest at a point", "%ld", least);
}
static void tell_longest(const char *call, uint64_t longest) {
    proof_figure(call, "%.1f ms", (double)longest / 1e6);
    proof_figure("longest pause of a process that only looks at the clock", "%.1f ms",
                 (double)longest_pause() / 1e6);
}
static bool within_100_ms(uint64_t longest) {
    return longest <= longest_pause() + 100 * 1000 * 1000;
}

static void killed(void) {
    again_and_again(false, point_counts->killed);
    long total;
    fewest(point_counts->killed, &total);
    proof_figure("of the 50 values found again after a death in a call that writes a few at most", "%.1f %%",
                 100.0 * (double)warm_found / (double)warm_asked);
    proof_figure("longest store of the survivor", "%.1f ms", (double)longest_store / 1e6);
    tell_longest("longest fetch", longest_find);
    proof_record("death.points", (proof_count)total,
                 "processes killed at every marked point of every call, alone and with full memory",
                 !within_100_ms(longest_store) + !within_100_ms(longest_find), 0);
}
static void stopped(void) {
    again_and_again(true, point_counts->stopped);
    tell_longest("longest", longest_find);
    proof_record("reading.stopped", finds_beside,
                 "fetches beside a process that is stopped at any marked point of any call",
                 !within_100_ms(longest_find), 0);
    tell_longest("longest", longest_store);
    proof_record("death.stopped", stores_beside, "stores beside a process that is stopped at any marked point",
                 !within_100_ms(longest_store), 0);
}

static const struct test tests[] = {
    {"killed at every point of every call", killed},
    {"stopped at every point of every call", stopped},
    {0},
};
const struct suite suite_every_point = {.name = "points", .tests = tests, .seconds = 600};
