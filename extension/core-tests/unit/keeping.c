/* A segment that keeps its entries. */
#include "fixture.h"
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

/* Lengths as of sessions: most are short, some fill a page, some a run. */
static size_t length_of(unsigned number) {
    return number % 97 == 0 ? 100 * KIB : number % 31 == 0 ? 40 * KIB : 200 + number * 37 % 1500;
}

/* Stores as many new keys as fit, each of this life; how many. */
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

/* Also where in each page an entry stays: every ninth is forever. */
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

/* What is rewritten forever in a segment that is two thirds full. */
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

/* Keys that fill the index long before the pages. */
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

struct writer {
    unsigned number;
};

enum { WRITERS = 4, WRITER_KEYS = 900, WRITER_TURNS = 20 };

/* Rewrites its own keys; each must be what this process stored last. */
static void write_own(void *argument) {
    const struct writer *writer = argument;
    struct cache *cache = open_keeping();
    for (unsigned turn = 0; turn < WRITER_TURNS; turn++) {
        for (unsigned i = 0; i < WRITER_KEYS; i++) {
            const struct cache_key key = key_of("w%u-%u", writer->number, i);
            if (turn > 0 && !has_copied(cache, key, turn - 1, 1000)) {
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
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i].number = i;
        children[i] = start(write_own, &writers[i]);
    }
    finish_all(children, WRITERS);
    EXPECT_EQUAL(info_of(cache).evicted, 0);
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

/* A day is too short, 30 are not. */
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
    {"several processes lose nothing", several_processes},
    {"it is joined only as what it is", matches_only_its_kind},
    {"it has all its memory", has_all_memory},
    {"its file stays for a month", stays_for_a_month},
    {0},
};
const struct suite suite_keeping = {.name = "keeping", .tests = tests};
