/* A segment that keeps its entries. */
#include "fixture.h"
#include "spare.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <utime.h>

static struct cache *open_keeping(void) {
    struct cache_options options = options_of(8);
    options.keeps = true;
    return open_with(&options);
}

/* Lengths like those of sessions: most are short, some fill a page, some a run. */
static size_t length_of(unsigned number) {
    return number % 97 == 0 ? 100 * KIB : number % 31 == 0 ? 40 * KIB : 200 + number * 37 % 1500;
}

/* Stores as many new keys as fit, each with this expiry. Returns their number. */
static unsigned fill(struct cache *cache, const char *prefix, uint64_t expires) {
    unsigned number = 0;
    while (put_as(cache, key_of("%s%u", prefix, number), number, length_of(number), expires, CACHE_SET) ==
           CACHE_OK) {
        number++;
    }
    return number;
}

static void expect_all(struct cache *cache, const char *prefix, unsigned count) {
    unsigned missing = 0;
    for (unsigned i = 0; i < count; i++) {
        missing += !has_copied(cache, key_of("%s%u", prefix, i), i, length_of(i));
    }
    EXPECT_EQUAL(missing, 0);
}

/* Picks one of `count` keys, in no order. */
static unsigned pick(unsigned i, unsigned count) {
    return (unsigned)((i * UINT64_C(2654435761) >> 5) % count);
}

static void refuses_when_full(void) {
    struct cache *cache = open_keeping();
    const unsigned count = fill(cache, "a", 0);
    EXPECT(count > 1500);
    for (unsigned i = 0; i < 200; i++) {
        EXPECT(put(cache, key_of("b%u", i), i, 2000) != CACHE_TOO_LARGE);
        EXPECT(put(cache, key_of("run%u", i), i, 100 * KIB) != CACHE_TOO_LARGE);
    }
    EXPECT_EQUAL(put(cache, key_of("c"), 1, 2000), CACHE_NO_ROOM);
    EXPECT(info_of(cache).refused_room > 0);
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    EXPECT_EQUAL(info_of(cache).displaced, 0);
    expect_all(cache, "a", count);
    for (unsigned i = 0; i < 3 * count; i++) { /* runs only if there is room for another one */
        const unsigned key = pick(i, count);
        const enum cache_result result = put(cache, key_of("a%u", key), key, length_of(key));
        EXPECT(result == CACHE_OK || (result == CACHE_NO_ROOM && length_of(key) > 32 * KIB));
    }
    expect_all(cache, "a", count);
    expect_sound(cache);
}

/* A refused store keeps the key's value in every mode. */
static void keeps_the_old_value(void) {
    struct cache *cache = open_keeping();
    EXPECT_EQUAL(put(cache, key_of("old"), 7, 500), CACHE_OK);
    fill(cache, "a", 0);
    while (put(cache, key_of("old"), 7, 30000) == CACHE_OK) {
        EXPECT_EQUAL(put(cache, key_of("old"), 7, 500), CACHE_OK);
        fill(cache, "b", 0);
    }
    EXPECT(is_there(cache, key_of("old")));
    EXPECT_EQUAL(put(cache, key_of("old"), 7, 8 * MIB), CACHE_TOO_LARGE);
    EXPECT(is_there(cache, key_of("old")));
}

static void has_room_after_expiry(void) {
    struct cache *cache = open_keeping();
    const unsigned count = fill(cache, "a", cache_now() + 1500);
    EXPECT(count > 1500);
    sleep_ms(1600);
    const unsigned again = fill(cache, "b", 0);
    EXPECT(again > count - count / 20);
    expect_all(cache, "b", again);
}

/* There is room also if an entry stays in each page: every ninth never expires. */
static void has_room_among_kept(void) {
    struct cache *cache = open_keeping();
    const uint64_t soon = cache_now() + 1500;
    unsigned count = 0;
    while (put_as(cache, key_of("a%u", count), count, 1000, count % 9 ? soon : 0, CACHE_SET) == CACHE_OK) {
        count++;
    }
    sleep_ms(1600);
    unsigned again = 0;
    while (put(cache, key_of("b%u", again), again, 1000) == CACHE_OK) {
        again++;
    }
    EXPECT(again > count * 3 / 4);
    unsigned missing = 0;
    for (unsigned i = 0; i < count; i += 9) {
        missing += !has_copied(cache, key_of("a%u", i), i, 1000);
    }
    for (unsigned i = 0; i < again; i++) {
        missing += !has_copied(cache, key_of("b%u", i), i, 1000);
    }
    EXPECT_EQUAL(missing, 0);
    expect_sound(cache);
}

/* Data can be rewritten without end in a segment that is two thirds full. */
static void rewrites(void) {
    struct cache *cache = open_keeping();
    enum { KEYS = 4000, LENGTH = 1000, REWRITES = 100000 };
    unsigned refused = 0;
    for (unsigned i = 0; i < REWRITES; i++) {
        const unsigned key = i < KEYS ? i : (i * 2654435761u >> 7) % KEYS;
        refused += put(cache, key_of("k%u", key), key, LENGTH) != CACHE_OK;
        if (i % 10 == 0) {
            const struct cache_key touched = key_of("k%u", i % KEYS < i ? i % KEYS : 0);
            refused += cache_touch(cache, &touched, cache_now() + 3600 * 1000) != CACHE_OK;
        }
    }
    EXPECT_EQUAL(refused, 0);
    unsigned missing = 0;
    for (unsigned i = 0; i < KEYS; i++) {
        missing += !has_copied(cache, key_of("k%u", i), i, LENGTH);
    }
    EXPECT_EQUAL(missing, 0);
}

/* Stores keys that fill the index long before the pages. */
static void displaces_nothing(void) {
    struct cache *cache = open_keeping();
    unsigned stored = 0, refused = 0;
    static bool is_stored[120000];
    for (unsigned i = 0; i < 120000; i++) {
        is_stored[i] = put(cache, key_of("%u", i), i, 0) == CACHE_OK;
        stored += is_stored[i];
        refused += !is_stored[i];
    }
    EXPECT(refused > 0);
    EXPECT_EQUAL(info_of(cache).displaced, 0);
    unsigned missing = 0;
    for (unsigned i = 0; i < 120000; i++) {
        missing += is_stored[i] && !has_copied(cache, key_of("%u", i), i, 0);
    }
    EXPECT_EQUAL(missing, 0);
}

/* Length of keys that fill most of a page, a third of one, and little of it. */
static size_t mixed_length(unsigned number) {
    return number % 41 == 0 ? 30 * KIB : number % 11 == 0 ? 21 * KIB : 100 + number * 37 % 1900;
}

static size_t session_length(unsigned number) {
    return 1000;
}

/* Stores new keys until one is refused. Returns their number. */
static unsigned fill_up(struct cache *cache, size_t (*length)(unsigned), uint64_t expires) {
    unsigned count = 0;
    while (put_as(cache, key_of("k%u", count), count, length(count), expires, CACHE_SET) == CACHE_OK) {
        count++;
    }
    return count;
}

static size_t bytes_of(struct cache *cache) {
    return info_of(cache).pages * info_of(cache).page_size;
}

/* Present keys can be rewritten, while new keys are refused. */
static void rewrite_when_full(size_t (*length)(unsigned), unsigned rewrites) {
    struct cache *cache = open_keeping();
    put_many(cache, "run", 4, 100 * KIB);
    const unsigned count = fill_up(cache, length, 0);
    unsigned refused = 0, taken = 0, missing = 0;
    for (unsigned i = 0; i < rewrites; i++) {
        if (i % 100 == 0) {
            put(cache, key_of("run%u", i % 4), i % 4, 100 * KIB); /* refused if there is no room for another run */
        }
        const unsigned key = pick(i, count);
        const struct cache_key touched = key_of("k%u", pick(i + 7, count));
        refused += put(cache, key_of("k%u", key), key, length(key)) != CACHE_OK;
        refused += cache_touch(cache, &touched, 0) != CACHE_OK;
        taken += put(cache, key_of("new%u", i), i, length(key)) == CACHE_OK;
    }
    for (unsigned i = 0; i < count; i++) {
        missing += !has_copied(cache, key_of("k%u", i), i, length(i));
    }
    EXPECT_EQUAL(refused, 0);
    EXPECT_EQUAL(missing, 0);
    EXPECT(taken < rewrites / 2); /* short ones may fit where a long one did not */
    expect_sound(cache);
}

static void rewrites_when_full(void) {
    rewrite_when_full(session_length, 20000);
}

static void rewrites_mixed_lengths(void) {
    rewrite_when_full(mixed_length, 5000);
}

/* New keys leave a sixteenth of the memory at most. */
static void fills_most(void) {
    struct cache *cache = open_keeping();
    const unsigned count = fill_up(cache, session_length, 0);
    EXPECT(count * (size_t)(1000 + 40) > bytes_of(cache) / 16 * 15);
}

struct writer {
    unsigned number;
};

enum { WRITERS = 4, WRITER_KEYS = 1620, WRITER_TURNS = 12 };

/* Each writer rewrites its own keys; all of them fill the segment. Each value must be the one that its writer stored
 * last. */
static void write_own(void *argument) {
    const struct writer *writer = argument;
    struct cache *cache = open_keeping();
    for (unsigned turn = 1; turn < WRITER_TURNS; turn++) {
        for (unsigned i = 0; i < WRITER_KEYS; i++) {
            const struct cache_key key = key_of("w%u-%u", writer->number, i);
            if (!has_copied(cache, key, turn - 1, 1000)) {
                harness_fail(__FILE__, __LINE__, "key %u of writer %u is lost in turn %u", i, writer->number,
                             turn);
            }
            EXPECT_EQUAL(put(cache, key, turn, 1000), CACHE_OK);
        }
    }
    close_cache(cache);
}

static void several_processes(void) {
    struct cache *cache = open_keeping();
    pid_t children[WRITERS];
    static struct writer writers[WRITERS];
    /* One process stores all keys: while other processes compact, less of the gained room counts as room for new
     * keys. */
    for (unsigned i = 0; i < WRITERS * WRITER_KEYS; i++) {
        EXPECT_EQUAL(put(cache, key_of("w%u-%u", i % WRITERS, i / WRITERS), 0, 1000), CACHE_OK);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i].number = i;
        children[i] = start(write_own, &writers[i]);
    }
    finish_all(children, WRITERS);
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    expect_sound(cache);
}

static const char *dies_at;
static unsigned keys_stored;

/* Rewrites present keys, and dies at a failpoint. */
static void rewrite_and_die(void *argument) {
    struct cache *cache = open_keeping();
    at_failpoint(dies_at, 1 + (unsigned)(uintptr_t)argument * 5, die_here);
    for (unsigned i = 0; i < 3 * keys_stored; i++) {
        const unsigned key = pick(i, keys_stored);
        put(cache, key_of("k%u", key), key, session_length(key));
    }
    close_cache(cache);
}

static void expect_all_kept(struct cache *cache, unsigned refused) {
    unsigned missing = 0;
    for (unsigned i = 0; i < keys_stored; i++) {
        missing += !has_copied(cache, key_of("k%u", i), i, session_length(i));
    }
    EXPECT_EQUAL(refused, 0);
    EXPECT_EQUAL(missing, 0);
    expect_sound(cache);
}

/* Processes die more often at each failpoint than there are spare pages. */
static void deaths_take_no_room(void) {
    static const char *const points[] = {"compact_begun",   "append_taken_own", "move_copied",
                                         "move_published",  "reclaim_emptied",  "limbo_unheld",
                                         "compact_emptied", "page_released",    "append_taken"};
    struct cache *cache = open_keeping();
    keys_stored = fill_up(cache, session_length, 0);
    unsigned refused = 0;
    for (unsigned i = 0; i < sizeof points / sizeof points[0]; i++) {
        dies_at = points[i];
        for (uintptr_t death = 0; death < 5; death++) {
            finish_killed(start(rewrite_and_die, (void *)death));
        }
        for (unsigned key = 0; key < keys_stored; key += 7) {
            refused += put(cache, key_of("k%u", key), key, session_length(key)) != CACHE_OK;
        }
    }
    expect_all_kept(cache, refused);
}

/* Stops while it has a destination, which was the last spare page. */
static void rewrite_and_stop(void *argument) {
    struct cache *cache = open_keeping();
    at_failpoint("move_published", 1, stop_here);
    for (unsigned i = 0; i < keys_stored; i++) {
        const unsigned key = pick(i, keys_stored);
        put(cache, key_of("k%u", key), key, session_length(key));
    }
}

/* All spare pages are lost at once. */
static void deaths_at_once(void) {
    struct cache *cache = open_keeping();
    keys_stored = fill_up(cache, session_length, 0);
    pid_t children[SPARE_MAX];
    unsigned stopped = 0, refused = 0;
    for (; spare_count(cache) > 0; stopped++) {
        children[stopped] = start(rewrite_and_stop, NULL);
        wait_stopped(children[stopped]);
    }
    EXPECT(stopped > 1);
    for (unsigned i = 0; i < stopped; i++) {
        kill_and_wait(children[i]);
    }
    for (unsigned i = 0; i < keys_stored; i++) {
        const unsigned key = pick(i, keys_stored);
        refused += put(cache, key_of("k%u", key), key, session_length(key)) != CACHE_OK;
    }
    expect_all_kept(cache, refused);
}

/* Rewrites all keys but one, when it is told to. */
static void rewrite_others(void *argument) {
    struct cache *cache = open_keeping();
    await(0, (long)(uintptr_t)argument);
    for (unsigned i = 0; i < 2 * keys_stored; i++) {
        const unsigned key = 1 + pick(i, keys_stored - 1);
        put(cache, key_of("k%u", key), key, session_length(key));
    }
    close_cache(cache);
}

/* If spare pages are few, a store also empties pages for the next ones after it has room for its value. In that time
 * other processes go on, before the value is stored. */
static void written_slowly(void) {
    struct cache *cache = open_keeping();
    keys_stored = fill_up(cache, session_length, 0);
    unsigned emptied = 0, missing = 0;
    for (uintptr_t i = 1; i <= 4; i++) {
        const pid_t others = start(rewrite_others, (void *)i);
        pid_t holders[SPARE_MAX];
        unsigned held = 0;
        for (; spare_count(cache) > 1; held++) {
            holders[held] = start(rewrite_and_stop, NULL);
            wait_stopped(holders[held]);
        }
        const uint64_t moved = info_of(cache).moved;
        const struct cache_key key = key_of("k0");
        struct cache_span span;
        EXPECT_EQUAL(cache_reserve(cache, &key, session_length(0), CACHE_SET, &span), CACHE_OK);
        emptied += info_of(cache).moved > moved;
        for (unsigned holder = 0; holder < held; holder++) {
            kill_and_wait(holders[holder]);
        }
        reached(0, (long)i);
        finish(others);
        fill_pattern(span.bytes, session_length(0), 0);
        EXPECT_EQUAL(cache_commit(cache, &key, KIND, 0, CACHE_SET, NULL), CACHE_OK);
        for (unsigned k = 0; k < keys_stored; k++) {
            missing += !has_copied(cache, key_of("k%u", k), k, session_length(k));
        }
        EXPECT_EQUAL(missing, 0);
    }
    EXPECT(emptied > 0);
    expect_sound(cache);
}

static void matches_only_its_kind(void) {
    close_cache(open_keeping());
    const struct cache_options evicts = options_of(8);
    expect_refused(&evicts, "sessions");
    remove(segment_file());
    close_cache(open_cache(8));
    struct cache_options keeps = options_of(8);
    keeps.keeps = true;
    expect_refused(&keeps, "sessions");
}

static void has_all_memory(void) {
    struct cache *cache = open_keeping();
    struct stat status;
    EXPECT_EQUAL(stat(segment_file(), &status), 0);
    EXPECT((size_t)status.st_blocks * 512 >= 8 * MIB);
    close_cache(cache);
}

/* The file is kept after more than a day, and removed after 30 days. */
static void stays_for_a_month(void) {
    for (unsigned days = 2; days <= 31; days += 29) {
        close_cache(open_keeping());
        const time_t then = time(NULL) - (time_t)days * 24 * 60 * 60;
        EXPECT_EQUAL(utime(segment_file(), &(struct utimbuf){then, then}), 0);
        struct cache_options other = options_of(8);
        other.segment = "other";
        close_cache(open_with(&other));
        remove(segment_file_of("other", 1));
        EXPECT_EQUAL(count_files(segment_file()), days < 30 ? 1 : 0);
    }
}

static const struct test tests[] = {
    {"a full segment refuses, and nothing is lost", refuses_when_full},
    {"a refused store keeps the old value", keeps_the_old_value},
    {"expired entries make room", has_room_after_expiry},
    {"expired entries make room among kept ones", has_room_among_kept},
    {"rewriting refuses nothing while there is room", rewrites},
    {"a full index displaces nothing", displaces_nothing},
    {"what is there can be rewritten when it is full", rewrites_when_full},
    {"so can values of very different lengths", rewrites_mixed_lengths},
    {"new keys leave a sixteenth at most", fills_most},
    {"several processes lose nothing, and none is refused", several_processes},
    {"processes that die while they compact take no room with them", deaths_take_no_room},
    {"room that several processes had made comes back when they die", deaths_at_once},
    {"what is written slowly while others compact stays where it is written", written_slowly},
    {"it is joined only as what it is", matches_only_its_kind},
    {"it has all its memory", has_all_memory},
    {"its file stays for a month", stays_for_a_month},
    {0},
};
const struct suite suite_keeping = {.name = "keeping", .tests = tests};
