/*
 * A process that makes room is preempted between choosing a page and taking it back. Meanwhile another one fills that
 * page with what is newest: that stays, there is more than enough other memory.
 */
#include <string.h>

#include "failpoint.h"
#include "fixture.h"
#include "page.h"
#include "suites.h"

enum { HALF = 30 * KIB };

static struct cache *maker, *other;
static struct cache_span span;
static uint32_t late_page;

static struct cache_key hot(void) {
    return (struct cache_key){"hot", 3, 3};
}

static uint32_t page_of(struct cache *cache, struct cache_key key) {
    const uint64_t location = (pinned(cache, key).base - cache->map.base) >> UNIT_SHIFT;
    end_request(cache);
    return ref_page(&cache->map, location);
}

static void open_both(void) {
    maker = open_cache(8);
    other = open_cache(8);
}

static void expect_hot(size_t length) {
    EXPECT(!cache_failpoint_hook); /* or this would show nothing */
    EXPECT(has_copied(maker, hot(), 1, length));
    EXPECT_EQUAL(info_of(maker).evicted, 0);
    close_cache(other);
    expect_nothing_left(maker);
}

/* ---- It was free ---- */

/* Until the hot value lies in the page that the maker chose, and it is closed. */
static void fill_the_chosen(const char *name) {
    if (strcmp(name, "victim_chosen") != 0) {
        return;
    }
    cache_failpoint_hook = NULL;
    uint32_t chosen = maker->map.page_count;
    for (unsigned log = 0; log < LOGS; log++) {
        const struct victims *victims = &maker->victims[log];
        chosen = victims->next > 0 ? victims->list[victims->next - 1].page : chosen;
    }
    EXPECT(chosen < maker->map.page_count);
    EXPECT_EQUAL(state_of(word_load(&page_row(maker, chosen)->state)), PAGE_FREE);
    for (unsigned i = 0; i < 100; i++) {
        EXPECT_EQUAL(put(other, key_of("filler %u", i), i, HALF), CACHE_OK);
        EXPECT_EQUAL(put(other, hot(), 1, HALF), CACHE_OK);
        if (page_of(other, hot()) == chosen) {
            EXPECT_EQUAL(put(other, key_of("filler"), i, HALF), CACHE_OK);
            EXPECT_EQUAL(state_of(word_load(&page_row(maker, chosen)->state)), PAGE_CLOSED);
            return;
        }
    }
    harness_fail(__FILE__, __LINE__, "the page was never taken");
}

static void filled_meanwhile(void) {
    open_both();
    put_many(maker, "", 2, HALF); /* a page */
    cache_failpoint_hook = fill_the_chosen;
    EXPECT_EQUAL(put(maker, key_of("2"), 2, HALF), CACHE_OK);
    expect_hot(HALF);
}

/* ---- It was to become part of a run ---- */

static uint64_t run_cursor;

/* Searching from the same page on: else it would take the run beside. */
static void take_the_same_run(const char *name) {
    if (strcmp(name, "run_page_chosen") == 0) {
        cache_failpoint_hook = NULL;
        word_store(&other->map.header->run_cursor, run_cursor);
        EXPECT_EQUAL(put(other, hot(), 1, 100 * KIB), CACHE_OK);
    }
}

static void run_meanwhile(void) {
    open_both();
    run_cursor = word_load(&maker->map.header->run_cursor);
    cache_failpoint_hook = take_the_same_run;
    EXPECT_EQUAL(put(maker, key_of("a"), 1, 100 * KIB), CACHE_OK);
    expect_hot(100 * KIB);
}

enum { LOST = 20 };

static unsigned lost;

/* Again and again: the cursor lies behind the run that was chosen. */
static void always_be_faster(const char *name) {
    if (strcmp(name, "run_page_chosen") != 0 || lost == LOST) {
        return;
    }
    cache_failpoint_hook = NULL;
    word_store(&other->map.header->run_cursor, word_load(&other->map.header->run_cursor) - 2);
    EXPECT_EQUAL(put(other, key_of("%u", lost), lost, 100 * KIB), CACHE_OK);
    lost++;
    cache_failpoint_hook = always_be_faster;
}

/* A run lost to another is no try: it goes on where unused pages are, and does not look for some to evict. */
static void always_too_late(void) {
    open_both();
    lost = 0;
    cache_failpoint_hook = always_be_faster;
    EXPECT_EQUAL(put(maker, key_of("a"), 1, 100 * KIB), CACHE_OK);
    cache_failpoint_hook = NULL;
    EXPECT_EQUAL(lost, LOST);
    for (unsigned i = 0; i < LOST; i++) {
        EXPECT(has_copied(maker, key_of("%u", i), i, 100 * KIB));
    }
    EXPECT_EQUAL(info_of(maker).evicted, 0);
    close_cache(other);
    expect_nothing_left(maker);
}

/* ---- It was closed, and all in it dead ---- */

static void begin_late(void) {
    const struct cache_key key = hot();
    EXPECT_EQUAL(cache_reserve(other, &key, HALF, CACHE_SET, &span), CACHE_OK);
    late_page = other->reservation.page;
}

static void finish_late(void) {
    const struct cache_key key = hot();
    fill_pattern(span.bytes, HALF, 1);
    EXPECT_EQUAL(cache_commit(other, &key, KIND, 0, CACHE_SET, NULL), CACHE_OK);
}

/* Who had begun to write when others closed the page goes on just now. */
static void write_into_the_dead(const char *name) {
    const bool victim = strcmp(name, "victim_chosen") == 0;
    if ((!victim && strcmp(name, "dead_page_chosen") != 0) ||
        state_of(word_load(&page_row(maker, late_page)->state)) != PAGE_CLOSED) {
        return;
    }
    bool chosen = !victim;
    for (unsigned log = 0; log < LOGS; log++) {
        const struct victims *victims = &maker->victims[log];
        chosen = chosen || (victims->next > 0 && victims->list[victims->next - 1].page == late_page);
    }
    if (chosen) {
        cache_failpoint_hook = NULL;
        finish_late();
    }
}

/* The page is closed, and what is dead in it is too little to make it a wasted one, whose entries would move. */
static void close_late_page(void) {
    const struct cache_key key = key_of("small");
    EXPECT_EQUAL(put(maker, key, 1, 4000), CACHE_OK);
    EXPECT_EQUAL(put(maker, key_of("large"), 1, HALF), CACHE_OK);
    EXPECT_EQUAL(state_of(word_load(&page_row(maker, late_page)->state)), PAGE_CLOSED);
    EXPECT_EQUAL(cache_delete(maker, &key), CACHE_OK);
    EXPECT(page_is_dead(page_row(maker, late_page)) &&
           !page_is_fragmented(&maker->map, page_row(maker, late_page)));
}

static void written_meanwhile(void) {
    open_both();
    begin_late();
    close_late_page();
    cache_failpoint_hook = write_into_the_dead;
    for (unsigned i = 0; i < 200 && cache_failpoint_hook; i++) {
        EXPECT_EQUAL(put(maker, key_of("%u", i), i, HALF), CACHE_OK);
    }
    expect_hot(HALF);
}

static void written_while_given_back(void) {
    open_both();
    begin_late();
    close_late_page();
    cache_failpoint_hook = write_into_the_dead;
    cache_release(maker);
    expect_hot(HALF);
}

/* ---- Long ago ---- */

/* What is stored into a page that others closed long ago is as young as any value. */
static void closed_long_ago(void) {
    open_both();
    begin_late();
    churn(maker, 1);
    finish_late();
    EXPECT(page_is_new(maker, late_page));
    EXPECT(has_copied(maker, hot(), 1, HALF));
    close_cache(other);
    expect_nothing_left(maker);
}

/* ---- All that is free is in the hands of one who is preempted ---- */

static void take_all_free(void *argument) {
    struct cache *cache = open_cache(8);
    use_up_pages(cache);
    bool held[PAGES_MAX] = {false};
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        held[page] = page_hold(cache, page);
    }
    reached(0, 1);
    sleep_ms(50);
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        if (held[page]) {
            page_unclaim(cache, page);
        }
    }
}

static void waits_for_others(void) {
    struct cache *cache = open_cache(8);
    const unsigned keys = (unsigned)info_of(cache).pages * 50; /* some 60 fit a page */
    put_many(cache, "", keys, 1000);
    for (unsigned i = 0; i < keys; i += 3) {
        const struct cache_key key = key_of("%u", i);
        EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    }
    const pid_t child = start(take_all_free, NULL);
    await(0, 1);
    EXPECT_EQUAL(put(cache, key_of("0"), 0, 1000), CACHE_OK);
    finish(child);
    for (unsigned i = 1; i < keys; i++) {
        EXPECT(i % 3 == 0 || has_copied(cache, key_of("%u", i), i, 1000));
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"a page that was free and was filled meanwhile stays", filled_meanwhile},
    {"a run that took the place of another meanwhile stays", run_meanwhile},
    {"a run that others were faster to take twenty times is stored behind them", always_too_late},
    {"a page that was dead and was written to meanwhile stays", written_meanwhile},
    {"a dead page that was written to meanwhile stays when memory is given back", written_while_given_back},
    {"a value is as young as its store, however long ago its page was closed", closed_long_ago},
    {"a store waits for a process that holds all pages before it evicts", waits_for_others},
    {0},
};
const struct suite suite_preempted = {.name = "preempted", .tests = tests};
