/*
 * A key that is always present is never missed, whatever its writers do. They store it again at every step of a
 * fetch: in another page, longer each time, or after it has expired.
 */
#include <stdio.h>
#include <string.h>

#include "failpoint.h"
#include "fixture.h"
#include "pin.h"
#include "suites.h"

static struct cache *writer;
static unsigned stores_left, steps;
static size_t next_length, longer_by;

static struct cache_key hot(void) {
    return (struct cache_key){"hot", 3, 3};
}

/* The seed of each value is its length. */
static void store_next(void) {
    EXPECT_EQUAL(put(writer, hot(), next_length, next_length), CACHE_OK);
    next_length += longer_by;
}

/* Stores between any two looks of a reader at the index word. */
static void store_at_each_step(const char *name) {
    if (strcmp(name, "pin_counted") != 0 && strcmp(name, "copy_announced") != 0 &&
        strcmp(name, "find_announced") != 0 && strcmp(name, "read_again") != 0) {
        return;
    }
    steps++;
    if (stores_left > 0) {
        stores_left--;
        cache_failpoint_hook = NULL;
        store_next();
        cache_failpoint_hook = store_at_each_step;
    }
}

static struct cache *open_sharing_with_writer(double pin_share, size_t first, size_t by, unsigned stores) {
    struct cache_options options = options_of(8);
    options.pin_share = pin_share;
    struct cache *reader = open_with(&options);
    writer = open_with(&options);
    next_length = first;
    longer_by = by;
    store_next();
    stores_left = stores;
    steps = 0;
    cache_failpoint_hook = store_at_each_step;
    return reader;
}

static struct cache *open_with_writer(size_t first, size_t by, unsigned stores) {
    return open_sharing_with_writer(options_of(8).pin_share, first, by, stores);
}

static void close_with_writer(struct cache *reader) {
    cache_failpoint_hook = NULL;
    close_cache(writer);
    expect_nothing_left(reader);
    close_cache(reader);
}

static void expect_found(struct cache *reader, bool zero_copy) {
    const struct cache_key key = hot();
    struct cache_value value;
    uint64_t token;
    EXPECT(cache_find_token(reader, &key, zero_copy, &value, &token));
    cache_failpoint_hook = NULL;
    EXPECT(is_pattern(value.bytes, value.length, value.length));
}

enum { STORES = 100, OWN_PAGE = 40 * KIB };

/* Values of more than half a page have a page of their own: each store is a restart. */
static void another_page_each_time(void) {
    for (unsigned zero_copy = 0; zero_copy < 2; zero_copy++) {
        struct cache *reader = open_with_writer(OWN_PAGE, 0, STORES);
        expect_found(reader, zero_copy);
        EXPECT_EQUAL(stores_left, 0);
        EXPECT(steps <= 2 * STORES + 2);
        close_with_writer(reader);
    }
}

/* Beyond its limit a reader copies. */
static void beyond_the_share(void) {
    struct cache *reader = open_sharing_with_writer(0, OWN_PAGE, 0, STORES);
    expect_found(reader, true);
    EXPECT_EQUAL(stores_left, 0);
    EXPECT(steps <= 2 * STORES + 2);
    close_with_writer(reader);
}

/* The value is again too long for the scratch memory each time: that soon ends. */
static void longer_each_time(void) {
    struct cache *reader = open_with_writer(OWN_PAGE, 8 * KIB, STORES / 2);
    expect_found(reader, false);
    EXPECT_EQUAL(stores_left, 0);
    close_with_writer(reader);
}

/* Short values are in one page, which the first look protects: stores without end do not matter. */
static void one_page(void) {
    for (unsigned zero_copy = 0; zero_copy < 2; zero_copy++) {
        struct cache *reader = open_with_writer(64, 0, UINT32_MAX);
        EXPECT(has_copied(reader, hot(), 64, 64)); /* the scratch memory is large enough from now on */
        cache_failpoint_hook = store_at_each_step;
        steps = 0;
        expect_found(reader, zero_copy);
        EXPECT(steps <= 2);
        close_with_writer(reader);
    }
}

static void existence(void) {
    struct cache *reader = open_with_writer(OWN_PAGE, 0, STORES);
    EXPECT(is_there(reader, hot()));
    EXPECT_EQUAL(stores_left, 0);
    close_with_writer(reader);
}

/* ---- An entry expires during a look, but was touched or replaced before that ---- */

static void store_when_expired(const char *name) {
    if (strcmp(name, "read_expired") == 0 || strcmp(name, "exists_looked") == 0) {
        cache_failpoint_hook = NULL;
        store_next();
    }
}

static void renewed_before_it_expired(void) {
    for (unsigned way = 0; way < 3; way++) {
        struct cache *reader = open_with_writer(1000, 0, 0);
        EXPECT_EQUAL(put_as(writer, hot(), 1000, 1000, cache_now() + 1, CACHE_SET), CACHE_OK);
        sleep_ms(20);
        cache_failpoint_hook = store_when_expired;
        if (way == 2) {
            const struct cache_key key = hot();
            EXPECT(cache_exists(reader, &key));
        } else {
            expect_found(reader, way);
        }
        EXPECT(!cache_failpoint_hook); /* or this would show nothing */
        close_with_writer(reader);
    }
}

/* ---- Processes ---- */

enum { WRITERS = 2, READERS = 4, DONE = 0, READ = 1, MISSED = 2, STORED = 3, RESTARTS = 16, MOST = 16 };

/* Replaces values: a refused replace removes nothing. */
static void write_without_end(void *argument) {
    struct cache *cache = open_cache(64);
    const size_t length = (uintptr_t)argument;
    long stored = 0;
    while (atomic_load_explicit(&board->number[DONE], memory_order_relaxed) == 0) {
        stored += put_as(cache, hot(), length, length, 0, CACHE_REPLACE) == CACHE_OK;
    }
    atomic_fetch_add(&board->number[STORED], stored);
}

static unsigned looks;
static void count_looks(const char *name) {
    looks += strcmp(name, "pin_set") == 0 || strcmp(name, "copy_announced") == 0;
}

enum { FILLERS = 1000 };
static const void *volatile kept[FILLERS]; /* kept, or a scan would release their pages */

/* Way 0 copies, 1 pins within requests, 2 has pinned all that it may, 3 asks if the key exists. */
static void read_without_end(void *argument) {
    const uintptr_t way = (uintptr_t)argument;
    struct cache_options options = options_of(64);
    options.long_lived = way == 2;
    struct cache *cache = open_with(&options);
    const struct cache_key key = hot();
    long read = 0, missed = 0, restarts[MOST + 1] = {0};
    struct cache_value value;
    for (unsigned i = 0; way == 2 && cache->pages_held < cache->map.pin_limit_long; i++) {
        const struct cache_key filler = key_of("filler %u", i);
        EXPECT(cache_find(cache, &filler, true, &value));
        kept[i] = value.bytes;
    }
    cache_failpoint_hook = count_looks;
    for (; atomic_load_explicit(&board->number[DONE], memory_order_relaxed) == 0; read++) {
        looks = 0;
        if (way == 3) {
            missed += !cache_exists(cache, &key);
        } else if (!cache_find(cache, &key, way != 0, &value)) {
            missed++;
        } else {
            EXPECT(is_pattern(value.bytes, value.length, value.length));
        }
        const unsigned again = looks > 0 ? looks - 1 : 0;
        restarts[again < MOST ? again : MOST]++;
        if (way == 1 && read % 100 == 0) {
            cache_request_end(cache, false);
        }
    }
    cache_failpoint_hook = NULL;
    atomic_fetch_add(&board->number[READ], read);
    atomic_fetch_add(&board->number[MISSED], missed);
    for (unsigned i = 0; i <= MOST; i++) {
        atomic_fetch_add(&board->number[RESTARTS + i], restarts[i]);
    }
}

static void beside_writers_that_never_stop(void) {
    static const size_t lengths[] = {40, 1000, 20000, 100000};
    struct cache *cache = open_cache(64);
    put_many(cache, "filler ", FILLERS, 15000);
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQUAL(put(cache, hot(), lengths[i], lengths[i]), CACHE_OK);
        pid_t children[WRITERS + READERS];
        reached(DONE, 0);
        for (unsigned c = 0; c < WRITERS; c++) {
            children[c] = start(write_without_end, (void *)(uintptr_t)(lengths[i] + c * 8));
        }
        for (unsigned c = 0; c < READERS; c++) {
            children[WRITERS + c] = start(read_without_end, (void *)(uintptr_t)c);
        }
        sleep_ms(proof_is_long() ? 10000 : 500);
        reached(DONE, 1);
        finish_all(children, WRITERS + READERS);
    }
    proof_figure("stores of the key meanwhile", "%ld", atomic_load(&board->number[STORED]));
    char figure[512] = "";
    for (unsigned i = 0; i <= MOST; i++) {
        const long fetches = atomic_load(&board->number[RESTARTS + i]);
        if (i < 3 || fetches > 0) {
            snprintf(figure + strlen(figure), sizeof figure - strlen(figure), "%s%u%s: %ld", i ? ", " : "", i,
                     i == MOST ? " or more" : "", fetches);
        }
    }
    proof_figure("fetches by how often they started over", "%s", figure);
    proof_record("reading.hot-key", (proof_count)atomic_load(&board->number[READ]),
                 "fetches of a key beside two processes that never stop storing it",
                 (proof_count)atomic_load(&board->number[MISSED]), 0);
    end_request(cache);
    expect_sound(cache);
}

static const struct test tests[] = {
    {"a key that moves to another page at each look is found", another_page_each_time},
    {"such a key is found by a reader that may pin no more", beyond_the_share},
    {"such a key is found if its value grows at each look", longer_each_time},
    {"a key replaced within its page costs no second look", one_page},
    {"such a key exists", existence},
    {"an entry replaced while it was found expired is not what is read", renewed_before_it_expired},
    {"no key is missed beside writers that never stop", beside_writers_that_never_stop},
    {0},
};
const struct suite suite_readers = {.name = "readers", .tests = tests, .seconds = 120};
