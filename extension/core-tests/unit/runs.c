/* Values longer than half a page, which get pages for themselves. */
#include <signal.h>

#include "fixture.h"
#include "page.h"
#include "suites.h"

static unsigned pages_used(struct cache *cache) {
    const struct cache_info info = info_of(cache);
    return (unsigned)(info.pages - info.pages_free);
}

/* Pages of replaced runs are reused. */
static void replaced_runs(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 3000; i++) {
        EXPECT_EQUAL(put(cache, key_of("run"), i, 40 * KIB + i % 13 * 50 * KIB), CACHE_OK);
        EXPECT(has_copied(cache, key_of("run"), i, 40 * KIB + i % 13 * 50 * KIB));
    }
    expect_sound(cache);
    EXPECT_EQUAL(info_of(cache).entries, 1);
    expect_nothing_left(cache);
    EXPECT_EQUAL(pages_used(cache), 0);
}

/* Runs and small values share the memory, and no page is lost. */
static void mixed(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 20000; i++) {
        const size_t length = i % 10 ? 100 + i % 4000 : 40 * KIB + i % 260 * KIB;
        EXPECT_EQUAL(put(cache, key_of("%u", i % 700), i, length), CACHE_OK);
        EXPECT(has_copied(cache, key_of("%u", i % 700), i, length));
    }
    expect_nothing_left(cache);
}

/* Unused values stay while half of the pages are unused, whatever is stored and deleted besides. Each round leaves
 * one more dead run than the next store uses. */
static void unused_pages_first(void) {
    struct cache *cache = open_cache(16);
    for (unsigned i = 0; i < 50; i++) {
        EXPECT_EQUAL(put(cache, key_of("old %u", i), i, 100 * KIB), CACHE_OK);
    }
    for (unsigned round = 0; round < 300; round++) {
        const struct cache_key one = {"one", 3, 1}, other = {"other", 5, 2};
        cache_delete(cache, &one);
        cache_delete(cache, &other);
        EXPECT_EQUAL(put(cache, one, round, 100 * KIB), CACHE_OK);
        EXPECT_EQUAL(put(cache, other, round, 100 * KIB), CACHE_OK);
    }
    for (unsigned i = 0; i < 50; i++) {
        EXPECT(is_there(cache, key_of("old %u", i)));
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    expect_nothing_left(cache);
}

/* A search in vain is remembered, but not after much has died: nothing is evicted from a cache that was full and
 * then half emptied, by this process or by another. */
static void unused_pages_after_deletes(long by_another) {
    struct cache *cache = open_cache(16), *other = by_another ? open_cache(16) : cache;
    for (unsigned i = 0; i < 400; i++) {
        EXPECT_EQUAL(put(cache, key_of("old %u", i), i, 100 * KIB), CACHE_OK);
    }
    /* Two of three neighbours die, and the third is unused. */
    unsigned deleted = 0;
    for (unsigned i = 0; i < 400; i++) {
        const struct cache_key key = key_of("old %u", i);
        deleted += i % 3 && cache_delete(other, &key) == CACHE_OK;
    }
    EXPECT(deleted > 50);
    const uint64_t evicted = info_of(cache).evicted;
    for (unsigned i = 0; i < deleted / 2; i++) {
        EXPECT_EQUAL(put(cache, key_of("new %u", i), i, 100 * KIB), CACHE_OK);
    }
    EXPECT_EQUAL(info_of(cache).evicted, evicted);
    if (by_another) {
        close_cache(other);
    }
    expect_nothing_left(cache);
}

/* A run that was used since it was last examined is kept while others are evicted. */
static void used_stays(long length) {
    struct cache *cache = open_cache(16);
    EXPECT_EQUAL(put(cache, key_of("used"), 1, length), CACHE_OK);
    EXPECT_EQUAL(put(cache, key_of("unused"), 2, length), CACHE_OK);
    const unsigned thrice = 3 * (unsigned)(16 * MIB / length);
    for (unsigned i = 0; i < thrice; i++) {
        EXPECT_EQUAL(put(cache, key_of("%u", i), i, length), CACHE_OK);
        EXPECT(has_copied(cache, key_of("used"), 1, length));
    }
    EXPECT(!is_there(cache, key_of("unused")));
    expect_nothing_left(cache);
}

/* All runs are used, and still a store finds room, for a small value and for a long one. */
static void all_used(void) {
    struct cache *cache = open_cache(64);
    word_store(&cache->map.header->records_used, SPARE_MAX); /* so that more spare pages are wanted */
    unsigned runs = 0;
    while (info_of(cache).evicted == 0) {
        EXPECT_EQUAL(put(cache, key_of("run %u", runs), runs, 300 * KIB), CACHE_OK);
        runs++;
    }
    for (unsigned use = 0; use < 4; use++) {
        for (unsigned i = 0; i < runs; i++) {
            const struct cache_key key = key_of("run %u", i);
            struct cache_value value;
            cache_find(cache, &key, false, &value);
        }
    }
    EXPECT_EQUAL(put(cache, key_of("small"), 1, 100), CACHE_OK);
    for (unsigned use = 0; use < 4; use++) {
        for (unsigned i = 0; i < runs; i++) {
            const struct cache_key key = key_of("run %u", i);
            struct cache_value value;
            cache_find(cache, &key, false, &value);
        }
    }
    EXPECT_EQUAL(put(cache, key_of("long"), 1, 300 * KIB), CACHE_OK);
    EXPECT_EQUAL(info_of(cache).refused_room, 0);
    expect_nothing_left(cache);
}

/* A page that is hinted as empty may have become part of a run: the run stays. */
static void taken_by_a_run(void) {
    struct cache *cache = open_cache(16);
    EXPECT_EQUAL(put(cache, key_of("run"), 1, 100 * KIB), CACHE_OK);
    uint32_t page = 0;
    while (page < cache->map.page_count && page_head(&cache->map, page) == page) {
        page++;
    }
    EXPECT(page < cache->map.page_count);
    word_store(&cache->map.header->warm, page + 1);
    EXPECT_EQUAL(put(cache, key_of("small"), 2, 100), CACHE_OK);
    EXPECT(is_there(cache, key_of("run")));
    expect_nothing_left(cache);
}

/* Readers hold the older half of the log; runs find room in the other half. */
static void beside_held_pages(void) {
    struct cache *cache = open_cache(16);
    const size_t room = info_of(cache).pages * 15;
    put_many(cache, "", room * 9 / 10, 4000);
    cache->map.pin_limit = cache->map.page_count; /* one process may hold half of the limit */
    struct cache_value value = {0};
    for (size_t i = 0; info_of(cache).pages_held_by_me < cache->map.page_count * 4 / 10; i++) {
        EXPECT(i < room / 2);
        value = pinned(cache, key_of("%zu", i));
    }
    for (unsigned i = 0; i < 300; i++) {
        EXPECT_EQUAL(put(cache, key_of("run %u", i), i, 300 * KIB), CACHE_OK);
        EXPECT_EQUAL(put(cache, key_of("small %u", i), i, 30000), CACHE_OK);
    }
    EXPECT(value.bytes);
    EXPECT_EQUAL(info_of(cache).refused_room, 0);
    expect_nothing_left(cache);
}

static void held_run(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("run"), 1, 300 * KIB), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("run"));
    EXPECT_EQUAL(info_of(cache).pages_held_by_me, 5);
    EXPECT_EQUAL(info_of(cache).pages_pinned, 5);
    for (unsigned i = 0; i < 500; i++) {
        EXPECT_EQUAL(put(cache, key_of("run"), i, 300 * KIB), CACHE_OK);
        EXPECT_EQUAL(put(cache, key_of("small %u", i), i, 30000), CACHE_OK);
    }
    EXPECT(is_pattern(held.bytes, held.length, 1));
    expect_nothing_left(cache);
}

/* A writer that dies with half a run claimed, or with a complete unpublished run, blocks nothing. */
static void dead_writer_child(void *argument) {
    struct cache *cache = open_cache(8);
    const unsigned number = (unsigned)(uintptr_t)argument;
    static const char *const points[] = {
        "page_claimed",         "page_starts_cleared", "run_page_claimed", "run_claimed",
        "entry_header_written", "entry_start_set",     "entry_counted",    "index_tentative",
        "index_marked",         "index_alone",         "published"};
    enum { POINTS = sizeof points / sizeof *points };
    at_failpoint(points[number % POINTS], 1 + number / POINTS, die_here);
    put(cache, key_of("dead %u", number), number, 300 * KIB);
    die_here();
}
static void dead_writers(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 60; i++) {
        finish_killed(start(dead_writer_child, (void *)(uintptr_t)i));
        expect_sound(cache);
    }
    put_many(cache, "run ", 100, 300 * KIB);
    for (unsigned i = 80; i < 100; i++) {
        EXPECT(has_copied(cache, key_of("run %u", i), i, 300 * KIB));
    }
    expect_nothing_left(cache);
}

/* A writer is preempted between claiming its pages and storing its value, while other processes fill the memory. Its
 * value is then as young as any other, and not the next to go. */
static void late_writer(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint("run_claimed", 1, stop_here);
    EXPECT_EQUAL(put(cache, key_of("late"), 1, 100 * KIB), CACHE_OK);
    at_no_failpoint();
}
static void young_when_stored(void) {
    struct cache *cache = open_cache(8);
    const pid_t child = start(late_writer, NULL);
    wait_stopped(child);
    put_many(cache, "", 100, 100 * KIB);
    kill(child, SIGCONT);
    finish(child);
    const struct cache_value value = pinned(cache, key_of("late"));
    const uint64_t location = (value.base - cache->map.base) >> UNIT_SHIFT;
    EXPECT(page_is_new(cache, ref_page(&cache->map, location)));
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"a run's pages come back when it is replaced", replaced_runs},
    {"runs and small values share the memory", mixed},
    {"unused pages are taken before a run is evicted", unused_pages_first},
    {"unused pages are taken after deletes", .run_with = unused_pages_after_deletes, .argument = false},
    {"unused pages are taken after another process's deletes", .run_with = unused_pages_after_deletes,
     .argument = true},
    {"a run that is used stays", .run_with = used_stays, .argument = 300 * KIB},
    {"a used value just over half a page stays", .run_with = used_stays, .argument = 40 * KIB},
    {"with all runs used a store still finds room", all_used},
    {"a run stays whose page was said to be empty before", taken_by_a_run},
    {"runs find room beside held pages", beside_held_pages},
    {"a held run counts all its pages and keeps its bytes", held_run},
    {"writers that die inside a run block nothing", dead_writers},
    {"a value is as young as its store, however long ago its pages were taken", young_when_stored},
    {0},
};
const struct suite suite_runs = {.name = "runs", .tests = tests};
