/*
 * A process that makes room is preempted between choosing a page and reclaiming it. In between, another process
 * fills that page with the newest values. These stay, since there is more than enough other memory.
 */
#include <string.h>

#include "failpoint.h"
#include "fixture.h"
#include "page.h"
#include "spare.h"
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

/* ---- The page was free ---- */

/* Stores until the hot value is in the page that the maker chose, and that page is closed. */
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

/* ---- The page was to become part of a run ---- */

static uint64_t run_cursor;

/* Searches from the same page on; otherwise it would take the run next to it. */
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

/* Again and again: the cursor is behind the run that was chosen. */
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

/* A run lost to another process does not count as a try. The search goes on where unused pages are, and does not
 * evict others. */
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

/* ---- The page was closed, and all its entries dead ---- */

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

/* A process that had begun to write when another one closed the page goes on at this moment. */
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

/* Closes the page. It has too few dead entries to count as fragmented, so its entries would not move. */
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

/* A value stored into a page that other processes closed long ago is as young as any value. */
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

/* ---- A preempted process has all free pages ---- */

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

/* ---- Several processes compact at once, and have a single page to move to ---- */

enum { COMPACTING = 3, MOVED_FIRST = 20, TOGETHER_MS = 10, BEGUN = 1, MIDDLE = 2 };

static unsigned begun_here, moved_here;

static void meet(unsigned index) {
    atomic_fetch_add(&board->number[index], 1);
    for (unsigned i = 0; i < TOGETHER_MS && atomic_load(&board->number[index]) < COMPACTING; i++) {
        sleep_ms(1);
    }
}

/* Waits until all have begun, and again in the middle of a page, which all reach only if they fill the same one. */
static void wait_for_the_rest(const char *name) {
    if (strcmp(name, "reclaim_begun") == 0 && ++begun_here == 1) {
        meet(BEGUN);
    } else if (strcmp(name, "move_published") == 0 && ++moved_here == MOVED_FIRST) {
        meet(MIDDLE);
    }
}

static void die_in_the_middle(const char *name) {
    if (strcmp(name, "move_published") == 0 && ++moved_here == MOVED_FIRST) {
        die_here();
    }
}

static void store_again(void *argument) {
    await(0, 1);
    struct cache *cache = open_cache(8);
    cache_failpoint_hook = argument;
    EXPECT_EQUAL(put(cache, key_of("1"), 1, 1000), CACHE_OK);
}

/* Makes a third of each page dead, with one spare page and no other free page. Returns the number of keys. */
static unsigned fragment(struct cache *cache, bool held[PAGES_MAX]) {
    const unsigned keys = (unsigned)info_of(cache).pages * 50; /* some 60 fit a page */
    put_many(cache, "", keys, 1000);
    for (unsigned i = 0; i < keys; i += 3) {
        const struct cache_key key = key_of("%u", i);
        EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    }
    use_up_pages(cache);
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        const bool free = state_of(word_load(&page_row(cache, page)->state)) == PAGE_FREE;
        held[page] = free && (spare_count(cache) > 0 || !spare_keep(cache, page)) && page_hold(cache, page);
    }
    EXPECT_EQUAL(spare_count(cache), 1);
    return keys;
}

static void expect_all_fragments(struct cache *cache, unsigned keys, const bool held[PAGES_MAX]) {
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        if (held[page]) {
            page_unclaim(cache, page);
        }
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    for (unsigned i = 1; i < keys; i++) {
        EXPECT(i % 3 == 0 || has_copied(cache, key_of("%u", i), i, 1000));
    }
    expect_nothing_left(cache);
}

static void compact_together(void) {
    static bool held[PAGES_MAX];
    pid_t children[COMPACTING];
    for (unsigned i = 0; i < COMPACTING; i++) {
        children[i] = start(store_again, (void *)wait_for_the_rest);
    }
    struct cache *cache = open_cache(8); /* opened only now: a fork would lose the held pages */
    const unsigned keys = fragment(cache, held);
    reached(0, 1);
    finish_all(children, COMPACTING);
    EXPECT(atomic_load(&board->number[MIDDLE]) > 0); /* or this would show nothing */
    expect_all_fragments(cache, keys, held);
}

static void die_compacting(void) {
    static bool held[PAGES_MAX];
    const pid_t child = start(store_again, (void *)die_in_the_middle);
    struct cache *cache = open_cache(8);
    const unsigned keys = fragment(cache, held);
    reached(0, 1);
    finish_killed(child);
    EXPECT_EQUAL(put(cache, key_of("1"), 1, 1000), CACHE_OK);
    expect_all_fragments(cache, keys, held);
}

/* Another process chose the reserve while it was free, and takes it without changing its word: the next free page
 * replaces it. */
static void reserve_is_taken(void) {
    static bool held[PAGES_MAX];
    struct cache *cache = open_cache(8);
    const unsigned keys = fragment(cache, held);
    uint32_t free = 0;
    while (!held[free]) {
        free++;
    }
    const uint32_t reserve = (uint32_t)word_load(&cache->map.header->spare[0]) - 1;
    held[reserve] = page_hold(cache, reserve);
    EXPECT(held[reserve]);
    page_unclaim(cache, free);
    held[free] = false;
    for (unsigned i = 1; i < 300; i += 3) {
        EXPECT_EQUAL(put(cache, key_of("%u", i), i, 1000), CACHE_OK);
    }
    expect_all_fragments(cache, keys, held);
}

static uint32_t kept_for_others;

/* Another process opens a page, so the destination will be closed. */
static void open_another(const char *name) {
    if (strcmp(name, "move_published") == 0 && ++moved_here == MOVED_FIRST) {
        const struct page_shared *row = page_row(maker, maker->destination - 1);
        const uint64_t seen = word_load(&maker->map.header->current[page_log(row)]);
        page_unclaim(maker, kept_for_others);
        EXPECT(page_open(maker, kept_for_others, page_log(row), seen));
    }
}

static void closed_with_room(void) {
    static bool held[PAGES_MAX];
    maker = open_cache(8);
    const unsigned keys = fragment(maker, held);
    while (!held[kept_for_others]) {
        kept_for_others++;
    }
    held[kept_for_others] = false;
    cache_failpoint_hook = open_another;
    EXPECT_EQUAL(put(maker, key_of("1"), 1, 1000), CACHE_OK);
    cache_failpoint_hook = NULL;
    EXPECT(moved_here > MOVED_FIRST);
    for (uint32_t page = 0; page < maker->map.page_count; page++) {
        const struct page_shared *row = page_row(maker, page);
        const bool closed = state_of(word_load(&row->state)) == PAGE_CLOSED;
        EXPECT(!closed || page_is_fragmented(&maker->map, row) || page_tail(&maker->map, row) < 200);
    }
    expect_all_fragments(maker, keys, held);
}

static const struct test tests[] = {
    {"a page that was free and was filled meanwhile stays", filled_meanwhile},
    {"a run that took the place of another meanwhile stays", run_meanwhile},
    {"a run that others were faster to take twenty times is stored behind them", always_too_late},
    {"a page that was dead and was written to meanwhile stays", written_meanwhile},
    {"a dead page that was written to meanwhile stays when memory is given back", written_while_given_back},
    {"a value is as young as its store, however long ago its page was closed", closed_long_ago},
    {"a store waits for a process that holds all pages before it evicts", waits_for_others},
    {"processes that compact at once do not fill each other's last page", compact_together},
    {"a process that is killed while it compacts takes no room with it", die_compacting},
    {"a reserve that another process takes is replaced", reserve_is_taken},
    {"what is left of a page that compacting closes is compacted", closed_with_room},
    {0},
};
const struct suite suite_preempted = {.name = "preempted", .tests = tests};
