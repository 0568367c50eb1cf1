/* Storing only over the entry that a token names. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "page.h"
#include "reclaim.h"
#include "suites.h"

static uint64_t token_by(struct cache *cache, struct cache_key key, bool zero_copy) {
    struct cache_value value;
    uint64_t token = 0;
    EXPECT(cache_find_token(cache, &key, zero_copy, &value, &token));
    return token;
}

static uint64_t token_of_key(struct cache *cache, struct cache_key key) {
    return token_by(cache, key, true);
}

static enum cache_result put_over(struct cache *cache, struct cache_key key, uint64_t seed, size_t length,
                                  uint64_t token) {
    struct cache_span span;
    const enum cache_result result = cache_reserve(cache, &key, length, CACHE_REPLACE, &span);
    if (result != CACHE_OK) {
        return result;
    }
    fill_pattern(span.bytes, span.length, seed);
    return cache_commit(cache, &key, KIND, 0, CACHE_REPLACE, &token);
}

static void stores_once(void) {
    struct cache *cache = open_cache(8);
    static const size_t lengths[] = {0, 8, 100, 40 * KIB, 200 * KIB};
    uint64_t unknown;
    struct cache_value value;
    const struct cache_key missing = key_of("missing");
    EXPECT(!cache_find_token(cache, &missing, true, &value, &unknown));
    EXPECT_EQUAL(put_over(cache, missing, 1, 8, 4711), CACHE_ABSENT);
    EXPECT(!is_there(cache, missing));
    for (unsigned i = 0; i < 5; i++) {
        const struct cache_key key = key_of("%u", i);
        EXPECT_EQUAL(put(cache, key, 1, lengths[i]), CACHE_OK);
        const uint64_t token = token_of_key(cache, key);
        EXPECT(token_of_key(cache, key) == token);
        EXPECT(token_by(cache, key, false) == token);
        EXPECT_EQUAL(put_over(cache, key, 2, lengths[i], ~token), CACHE_DIFFERENT);
        EXPECT(has(cache, key, 1, lengths[i]));
        EXPECT_EQUAL(put_over(cache, key, 3, lengths[i], token), CACHE_OK);
        EXPECT(has(cache, key, 3, lengths[i]));
        EXPECT_EQUAL(put_over(cache, key, 4, lengths[i], token), CACHE_DIFFERENT);
        EXPECT(has(cache, key, 3, lengths[i]));
    }
    expect_nothing_left(cache);
}

static enum cache_result put_beside(struct cache *cache, struct cache_key key, uint64_t seed, size_t length,
                                    uint64_t expires, uint64_t stored, uint64_t token) {
    struct cache_span span;
    const enum cache_result result = cache_reserve_beside(cache, &key, length, 0, &span);
    if (result != CACHE_OK) {
        return result;
    }
    fill_pattern(span.bytes, span.length, seed);
    return cache_commit_beside(cache, &key, KIND, expires, stored, token);
}

/* Another form of a value takes its place, unless the value has changed. */
static void another_form(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_entry entry;
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    const uint64_t token = token_of_key(cache, key), later = cache_now() + 60000, stored = cache_now() - 3000;
    EXPECT_EQUAL(put_beside(cache, key, 2, 300, later, stored, ~token), CACHE_DIFFERENT);
    EXPECT(has(cache, key, 1, 100));
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_OK); /* who computes stores over the token that it began with */
    EXPECT_EQUAL(put_beside(cache, key, 2, 300, later, stored, token), CACHE_NO_ROOM);
    cache_end_claim(cache, &key);
    EXPECT_EQUAL(put_beside(cache, key, 2, 300, later, stored, token), CACHE_OK);
    EXPECT(has(cache, key, 2, 300));
    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_OK);
    EXPECT_EQUAL(entry.expires, later);
    EXPECT(entry.age >= 3 && entry.age < 60);
    EXPECT_EQUAL(info_of(cache).stores, 1);
    EXPECT_EQUAL(put_beside(cache, key, 3, 300, 0, stored, token), CACHE_DIFFERENT);
    EXPECT(has(cache, key, 2, 300));
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    EXPECT_EQUAL(put_beside(cache, key, 3, 300, 0, stored, token), CACHE_ABSENT);
    EXPECT(!is_there(cache, key));
    expect_sound(cache);
    expect_nothing_left(cache);
}

/* It evicts nothing: what does not fit into the open page is refused. */
static void another_form_takes_no_page(void) {
    struct cache *cache = open_cache(8);
    const size_t length = info_of(cache).page_size / 30;
    unsigned refused = 0;
    for (unsigned i = 0; i < 2000; i++) {
        const struct cache_key key = key_of("%u", i);
        EXPECT_EQUAL(put(cache, key, i, 200), CACHE_OK);
        const uint64_t evicted = info_of(cache).evicted, pages = info_of(cache).pages_free;
        const enum cache_result result =
            put_beside(cache, key, i, length, 0, cache_now(), token_by(cache, key, false));
        refused += result == CACHE_NO_ROOM;
        EXPECT(result == CACHE_OK || result == CACHE_NO_ROOM);
        EXPECT(has_copied(cache, key, i, result == CACHE_OK ? length : 200));
        EXPECT_EQUAL(info_of(cache).evicted, evicted);
        EXPECT_EQUAL(info_of(cache).pages_free, pages);
    }
    EXPECT(refused > 100 && refused < 1900);
    const struct cache_key key = key_of("long");
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    EXPECT_EQUAL(put_beside(cache, key, 1, 20 * length, 0, cache_now(), token_by(cache, key, false)),
                 CACHE_NO_ROOM);
    expect_sound(cache);
    expect_nothing_left(cache);
}

static void after_changes(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    uint64_t token = token_of_key(cache, key);

    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK); /* the same bytes */
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_DIFFERENT);
    token = token_of_key(cache, key);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_ABSENT);
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_DIFFERENT);
    token = token_of_key(cache, key);
    EXPECT_EQUAL(cache_touch(cache, &key, cache_now() + 60000), CACHE_OK);
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_DIFFERENT);
    EXPECT(has(cache, key, 1, 100));
    token = token_of_key(cache, key);
    EXPECT(cache_clear(cache));
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_ABSENT);

    EXPECT_EQUAL(put_as(cache, key, 1, 100, cache_now() + 50, CACHE_SET), CACHE_OK);
    token = token_of_key(cache, key);
    sleep_ms(80);
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_ABSENT);
    EXPECT(!is_there(cache, key));

    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    token = token_of_key(cache, key);
    end_request(cache);
    churn(cache, 4);
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_ABSENT); /* evicted */
    expect_nothing_left(cache);
}

/* The same key at the same place of a reused page: only the generation differs. */
static void reused_page(void) {
    enum { MOST = 100000, LENGTH = 3000 };
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put(cache, key, 0, LENGTH), CACHE_OK);
    struct cache_value value = {0};
    uint64_t first;
    EXPECT(cache_find_token(cache, &key, false, &value, &first));
    const uintptr_t place = value.base;
    for (unsigned i = 1;; i++) {
        EXPECT(i < MOST);
        EXPECT_EQUAL(put(cache, key, i, LENGTH), CACHE_OK);
        uint64_t token;
        EXPECT(cache_find_token(cache, &key, false, &value, &token));
        EXPECT(token != first);
        if (value.base == place) {
            EXPECT_EQUAL(put_over(cache, key, MOST, LENGTH, first), CACHE_DIFFERENT);
            EXPECT(has_copied(cache, key, i, LENGTH));
            break;
        }
    }
    expect_nothing_left(cache);
}

static void moved(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"a", 1, 1}; /* key_of() is valid during seven calls only */
    struct cache_value value = {0};
    uint64_t token = 0;
    uintptr_t place = 0;
    for (unsigned i = 0; value.base == place; i++) {
        EXPECT(i < 100000);
        EXPECT_EQUAL(put(cache, key_of("filler %u", i), i, 4 * KIB), CACHE_OK);
        /* A used entry is moved, but not always: a reclaim may find no room. */
        if (!cache_find(cache, &key, false, &value)) {
            EXPECT_EQUAL(put(cache, key, 1, 3000), CACHE_OK);
            EXPECT(cache_find_token(cache, &key, false, &value, &token));
            place = value.base;
        }
    }
    EXPECT_EQUAL(put_over(cache, key, 2, 3000, token), CACHE_DIFFERENT);
    EXPECT(has(cache, key, 1, 3000));
    EXPECT_EQUAL(put_over(cache, key, 2, 3000, token_of_key(cache, key)), CACHE_OK);
    EXPECT(has(cache, key, 2, 3000));
    expect_nothing_left(cache);
}

static void integers(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("n");
    int64_t result;
    EXPECT_EQUAL(cache_count(cache, &key, 5, 0, &result), CACHE_OK);
    const uint64_t five = token_of_key(cache, key);
    EXPECT(token_by(cache, key, false) == five);
    for (int64_t i = 6; i < 1000; i++) {
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
        EXPECT(token_of_key(cache, key) != five);
        EXPECT_EQUAL(put_over(cache, key, 1, 100, five), CACHE_DIFFERENT);
    }
    EXPECT_EQUAL(cache_swap(cache, &key, 999, 7), CACHE_OK);
    EXPECT_EQUAL(put_over(cache, key, 1, 100, five), CACHE_DIFFERENT);
    EXPECT_EQUAL(cache_count(cache, &key, -2, 0, &result), CACHE_OK);
    EXPECT_EQUAL(put_over(cache, key, 1, 100, five), CACHE_OK); /* the value is five again */
    EXPECT(has(cache, key, 1, 100));
    expect_nothing_left(cache);
}

static void other_segment(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    struct cache_value value;
    uint64_t token;
    EXPECT(cache_find_token(cache, &key, false, &value, &token));
    const uintptr_t place = value.base - cache->map.base;
    close_cache(cache);
    EXPECT_EQUAL(unlink(segment_file()), 0);
    cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    EXPECT(cache_find(cache, &key, false, &value));
    EXPECT_EQUAL(value.base - cache->map.base, place); /* the same page in its first generation, the same place */
    EXPECT_EQUAL(put_over(cache, key, 2, 100, token), CACHE_DIFFERENT);
    expect_nothing_left(cache);
}

/* ---- Another process comes between ---- */

static void late_writer(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"raced", 5, 5};
    const uint64_t token = token_by(cache, key, false);
    at_failpoint("token_compared", 1, stop_here);
    EXPECT_EQUAL(put_over(cache, key, 2, 3000, token), CACHE_ABSENT);
}

/* The writer has found that the entry is the same. Then the entry is deleted, and all pages but the announced one
 * are reused. */
static void changed_after_comparing(void) {
    const struct cache_key key = {"raced", 5, 5};
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key, 1, 3000), CACHE_OK);
    const pid_t child = start(late_writer, NULL);
    wait_stopped(child);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    churn(cache, 3);
    kill(child, SIGCONT);
    finish(child);
    EXPECT(!is_there(cache, key));
    expect_nothing_left(cache);
}

/* ---- Many add to one value ---- */

enum { ADDERS = 4, GENERATIONS = 1 << 14, LASTING_MS = 1500 };

/* A value is a generation, which begins when the key is absent, and the number of its additions. */
static struct sums {
    atomic_bool stop;
    atomic_long generations;
    struct {
        atomic_long told, largest; /* additions that succeeded; the largest stored number */
    } of[GENERATIONS];
} * sums;

static void add_one(struct cache *cache, const struct cache_key *key, bool over) {
    struct cache_value value;
    uint64_t token;
    if (!cache_find_token(cache, key, atomic_load(&board->number[1]) % 2, &value, &token)) {
        const long generation = atomic_fetch_add(&sums->generations, 1) + 1;
        EXPECT(generation < GENERATIONS);
        const enum cache_result added = put_as(cache, *key, (uint64_t)generation << 32, 64, 0, CACHE_ADD);
        EXPECT(added == CACHE_OK || added == CACHE_EXISTS);
        return;
    }
    uint64_t seed;
    memcpy(&seed, value.bytes, sizeof seed);
    EXPECT(is_pattern(value.bytes, value.length, seed));
    const enum cache_result result =
        over ? put_over(cache, *key, seed + 1, 64, token) : put(cache, *key, seed + 1, 64);
    if (result == CACHE_OK) {
        const long count = (long)(seed & UINT32_MAX) + 1;
        atomic_long *largest = &sums->of[seed >> 32].largest;
        long known = atomic_load(largest);
        while (known < count && !atomic_compare_exchange_weak(largest, &known, count)) {
        }
        atomic_fetch_add(&sums->of[seed >> 32].told, 1);
    } else {
        EXPECT(result == CACHE_DIFFERENT || result == CACHE_ABSENT);
    }
}

static void adder(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"sum", 3, 3};
    for (unsigned i = 0; !atomic_load(&sums->stop); i++) {
        add_one(cache, &key, *(bool *)argument);
        if (i % 50 == 0) {
            cache_request_end(cache, false);
        }
    }
}

static void filler(void *argument) {
    struct cache *cache = open_cache(8);
    while (!atomic_load(&sums->stop)) {
        churn(cache, 1);
        end_request(cache);
        atomic_fetch_add(&board->number[1], 1);
    }
}

/* Returns the additions that were reported to have succeeded, and in `lost` how many of them are not in the sums. */
static long add_together(bool over, long *lost) {
    sums = mmap(NULL, sizeof *sums, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(sums != MAP_FAILED);
    struct cache *cache = open_cache(8);
    pid_t children[ADDERS + 1];
    for (unsigned i = 0; i < ADDERS; i++) {
        children[i] = start(adder, &over);
    }
    children[ADDERS] = start(filler, NULL);
    sleep_ms(LASTING_MS);
    atomic_store(&sums->stop, true);
    finish_all(children, ADDERS + 1);
    long told = 0;
    *lost = 0;
    for (long i = 1; i <= atomic_load(&sums->generations); i++) {
        told += atomic_load(&sums->of[i].told);
        *lost += atomic_load(&sums->of[i].told) - atomic_load(&sums->of[i].largest);
    }
    expect_nothing_left(cache);
    munmap(sums, sizeof *sums);
    return told;
}

static void added_together(void) {
    long lost;
    EXPECT(add_together(true, &lost) > 1000);
    EXPECT_EQUAL(lost, 0);
}
static void added_carelessly(void) {
    long lost;
    EXPECT(add_together(false, &lost) > 1000);
    EXPECT(lost > 0);
}

static const struct test tests[] = {
    {"a token serves for one store", stores_once},
    {"a token does not match what was stored, deleted, touched, cleared, expired or evicted since", after_changes},
    {"a token does not match the same place in a reused page", reused_page},
    {"a token does not match an entry that moved to another page", moved},
    {"an integer's token names its value", integers},
    {"another form takes the place of a value that has not changed", another_form},
    {"another form takes no page and evicts nothing", another_form_takes_no_page},
    {"a token of another segment does not match", other_segment},
    {"a change after the comparison of tokens is noticed", changed_after_comparing},
    {"four processes add to one value while it is reclaimed, and nothing is lost", added_together},
    {"without tokens additions are lost (control)", added_carelessly},
    {0},
};
const struct suite suite_tokens = {.name = "tokens", .tests = tests};
