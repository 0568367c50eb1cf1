/* The pages that readers hold are bounded, whatever the readers do. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "failpoint.h"
#include "fixture.h"
#include "pin.h"
#include "suites.h"

enum { VALUES = 500, LENGTH = 14000 };

static void fill(struct cache *cache) {
    put_many(cache, "", VALUES, LENGTH);
}

/* Fetches all values. Returns the number of pinned ones. */
static unsigned fetch_all(struct cache *cache, unsigned first) {
    unsigned pinned_ones = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        const struct cache_key key = key_of("%u", (first + i) % VALUES);
        struct cache_value value;
        if (cache_find(cache, &key, true, &value)) {
            EXPECT(is_pattern(value.bytes, value.length, (first + i) % VALUES));
            pinned_ones += value.hold == CACHE_PINNED;
        }
    }
    return pinned_ones;
}

static void one_process(void) {
    struct cache *cache = open_cache(8);
    fill(cache);
    fetch_all(cache, 0);
    const struct cache_info info = info_of(cache);
    EXPECT(info.pin_limit <= info.pages / 2);
    EXPECT(info.pages_held_by_me <= info.pin_limit / 2);
    EXPECT(info.pages_held_by_me > info.pin_limit / 3);
    EXPECT(info.copies > 100);
    churn(cache, 3);
    expect_nothing_left(cache);
}

/* Each holder keeps what it fetched until it is told to end. */
enum { HOLDERS = 6 };
static void holder(void *argument) {
    const unsigned number = (unsigned)(uintptr_t)argument;
    struct cache_options options = options_of(8);
    options.long_lived = number >= 100;
    struct cache *cache = open_with(&options);
    fetch_all(cache, number % 100 * VALUES / HOLDERS);
    atomic_fetch_add(&board->number[0], 1);
    await(1, 1);
    fetch_all(cache, number % 100 * VALUES / HOLDERS);
    EXPECT(info_of(cache).pages_held_by_me <= cache->map.pin_limit / 2);
}

static void many(long long_lived) {
    struct cache *cache = open_cache(8);
    fill(cache);
    pid_t children[HOLDERS];
    for (unsigned i = 0; i < HOLDERS; i++) {
        children[i] = start(holder, (void *)(uintptr_t)(i + 100 * long_lived));
    }
    await(0, HOLDERS);
    const struct cache_info info = info_of(cache);
    EXPECT(info.pages_pinned + info.pages_pinned_long > 0);
    EXPECT(info.pages_pinned <= info.pin_limit + HOLDERS);
    EXPECT(info.pages_pinned_long <= info.pin_limit_long + HOLDERS);
    if (long_lived) {
        EXPECT(info.pages_pinned_long > info.pin_limit_long / 2);
        EXPECT(info.pin_limit_long <= info.pages / 8);
    } else {
        EXPECT(info.pages_pinned > info.pin_limit * 3 / 4);
    }
    struct cache_holder holders[HOLDERS];
    EXPECT(cache_read_holders(cache, holders, HOLDERS) >= 1);
    EXPECT_EQUAL(holders[0].long_lived, long_lived);
    churn(cache, 5);
    EXPECT_EQUAL(info_of(cache).refused_room, 0);
    expect_sound(cache);
    reached(1, 1);
    finish_all(children, HOLDERS);
    expect_nothing_left(cache);
}

/* Both kinds of processes together stay within the one share. */
static void both_kinds(void) {
    struct cache *cache = open_cache(8);
    fill(cache);
    pid_t children[2 * HOLDERS];
    for (unsigned i = 0; i < 2 * HOLDERS; i++) {
        children[i] = start(holder, (void *)(uintptr_t)(i / 2 + 100 * (i % 2)));
    }
    await(0, 2 * HOLDERS);
    const struct cache_info info = info_of(cache);
    EXPECT(info.pages_pinned <= info.pin_limit + 2 * HOLDERS);
    EXPECT(info.pages_pinned_long <= info.pin_limit_long + HOLDERS);
    churn(cache, 5);
    EXPECT_EQUAL(info_of(cache).refused_room, 0);
    reached(1, 1);
    finish_all(children, 2 * HOLDERS);
    expect_nothing_left(cache);
}

/* If other processes hold all pages that may be held, fetches from these pages are still not copied. */
static void pages_held_by_others(void) {
    struct cache *cache = open_cache(8);
    fill(cache);
    const pid_t first = start(holder, (void *)0);
    const pid_t second = start(holder, (void *)(HOLDERS / 2));
    const pid_t third = start(holder, (void *)(HOLDERS - 1));
    await(0, 3);
    EXPECT(fetch_all(cache, 0) > 20);
    EXPECT(info_of(cache).pages_pinned <= info_of(cache).pin_limit + 4);
    reached(1, 1);
    finish(first);
    finish(second);
    finish(third);
    expect_nothing_left(cache);
}

/* Other processes can hold the pages of a request within 100 ms after its end. */
static void recount_gives_back(void) {
    struct cache *cache = open_cache(8);
    fill(cache);
    for (unsigned round = 0; round < 5; round++) {
        const unsigned pinned_ones = fetch_all(cache, round * 100);
        EXPECT(pinned_ones > 50);
        cache_request_end(cache, false);
        sleep_ms(110);
        pin_recount(cache);
        EXPECT_EQUAL(info_of(cache).pages_pinned, 0);
    }
    expect_nothing_left(cache);
}

/* A worker that scans all the time, and so recounts its own kind. */
static void scanner(void *argument) {
    struct cache *cache = open_long_lived(8);
    /* At least some scans: a process that was not scheduled in this time would scan too little. */
    for (reached(0, 1); atomic_load(&board->number[1]) == 0 || info_of(cache).scans <= 10; sleep_ms(5)) {
        pinned(cache, key_of("%u", VALUES - 1));
        pin_drop_unused_now(cache, cache->identity->record);
    }
    close_cache(cache);
}
static void recounts_beside_scans(void) {
    struct cache *cache = open_cache(8);
    fill(cache);
    const pid_t child = start(scanner, NULL);
    await(0, 1);
    EXPECT(fetch_all(cache, 0) > 50);
    cache_request_end(cache, false);
    for (unsigned i = 0; i < 300; i++, sleep_ms(1)) {
        pin_recount(cache);
    }
    EXPECT(info_of(cache).pages_pinned <= 1); /* pinned by the scanner */
    reached(1, 1);
    finish(child);
    expect_nothing_left(cache);
}

/* The same after the death of a process. */
static void death_gives_back(void) {
    struct cache *cache = open_cache(8);
    fill(cache);
    const pid_t child = start(holder, NULL);
    await(0, 1);
    EXPECT(info_of(cache).pages_pinned > 0);
    kill_and_wait(child);
    sleep_ms(110);
    pin_recount(cache);
    EXPECT_EQUAL(info_of(cache).pages_pinned, 0);
    EXPECT_EQUAL(info_of(cache).processes, 1);
    expect_nothing_left(cache);
}

static void no_share(void) {
    struct cache_options options = options_of(8);
    options.pin_share = 0;
    struct cache *cache = open_with(&options);
    fill(cache);
    EXPECT_EQUAL(fetch_all(cache, 0), 0);
    EXPECT_EQUAL(info_of(cache).pages_held_by_me, 0);
    expect_nothing_left(cache);
}

/* A reader that loops on a key which is rewritten all the time. */
static void reader_of_a_hot_key(void *argument) {
    struct cache *cache = open_long_lived(8);
    const struct cache_key key = {"hot", 3, 3};
    while (atomic_load(&board->number[0]) == 0) {
        struct cache_value value;
        if (cache_find(cache, &key, true, &value)) {
            EXPECT(is_pattern(value.bytes, value.length, value.length));
        }
        EXPECT(cache->pages_held <= cache->map.pin_limit / 2);
    }
}
static void hot_key(void) {
    struct cache *cache = open_cache(8);
    const pid_t child = start(reader_of_a_hot_key, NULL);
    const struct cache_key key = {"hot", 3, 3};
    for (unsigned i = 0; i < 20000; i++) {
        const size_t length = 1000 + i % 500 * 8; /* the length is also the seed */
        EXPECT_EQUAL(put(cache, key, length, length), CACHE_OK);
    }
    EXPECT(info_of(cache).pages_pinned_long <= info_of(cache).pin_limit_long + 1);
    reached(0, 1);
    finish(child);
    expect_nothing_left(cache);
}

/* ---- What a fetch costs beyond the share ---- */

static unsigned counts;
static void count_counts(const char *name) {
    counts += strcmp(name, "populations_counted") == 0;
}

/* The cost must not depend on the number of pages, since counting them takes longer the more there are. */
static void beyond_the_share(long mebibytes) {
    enum { FETCHES = 20000 };
    struct cache *cache = open_long_lived(mebibytes);
    const unsigned limit = cache->map.pin_limit_long;
    put_many(cache, "", limit + 20, 40 * KIB);            /* each has a page of its own */
    const void **kept = calloc(limit + 20, sizeof *kept); /* or a scan would release them */
    EXPECT(kept != NULL);
    unsigned pinned_ones = 0;
    struct cache_value value;
    for (unsigned i = 0; i < limit + 20; i++) {
        const struct cache_key key = key_of("%u", i);
        pinned_ones += cache_find(cache, &key, true, &value) && value.hold == CACHE_PINNED;
        kept[i] = value.bytes;
    }
    EXPECT_EQUAL(pinned_ones, limit);
    const uint64_t start_at = cache_now();
    counts = 0;
    cache_failpoint_hook = count_counts;
    for (unsigned i = 0; i < FETCHES; i++) {
        const struct cache_key key = key_of("%u", limit + i % 20);
        EXPECT(cache_find(cache, &key, true, &value) && value.hold == CACHE_COPIED);
    }
    cache_failpoint_hook = NULL;
    /* At most one count after each recount. Each scan makes a recount, too. */
    EXPECT(counts <= 1 + (cache_now() - start_at) / 50 + info_of(cache).scans);
    EXPECT(info_of(cache).scans < 20);
    free(kept);
    close_cache(cache);
}

/* When there is room again, a process soon pins again, although it had noted that there was none. */
static void room_again(void) {
    struct cache *cache = open_long_lived(8);
    fill(cache);
    const pid_t child = start(holder, (void *)(uintptr_t)100); /* holds all that long-lived ones may */
    await(0, 1);
    const struct cache_key key = key_of("%u", VALUES - 1);
    struct cache_value value;
    for (unsigned i = 0; i < 100; i++) {
        EXPECT(cache_find(cache, &key, true, &value) && value.hold == CACHE_COPIED);
    }
    reached(1, 1);
    finish(child);
    sleep_ms(110);
    unsigned copies = 0;
    while (cache_find(cache, &key, true, &value) && value.hold == CACHE_COPIED) {
        EXPECT(++copies < 16);
    }
    close_cache(cache);
}

static const struct test tests[] = {
    {"one process holds half of the share at most, and copies beyond", one_process},
    {"many processes hold at most the share, and stores find room", .run_with = many, .argument = false},
    {"many long-lived processes hold at most an eighth", .run_with = many, .argument = true},
    {"both kinds together hold at most the share", both_kinds},
    {"pages that others hold are pinned without a copy when the share is full", pages_held_by_others},
    {"what a request held is free again within 100 ms", recount_gives_back},
    {"also while a worker scans more often than that", recounts_beside_scans},
    {"what a dead process held is free again within 100 ms", death_gives_back},
    {"with no share every value is copied", no_share},
    {"a copy beyond the share counts no pages in a small segment", .run_with = beyond_the_share, .argument = 8},
    {"a copy beyond the share counts no pages in a large segment", .run_with = beyond_the_share, .argument = 256},
    {"a process that noted a full share notices when it has room again", room_again},
    {"a reader of a key that is rewritten all the time holds a bounded share", hot_key},
    {0},
};
const struct suite suite_bound = {.name = "bound", .tests = tests};
