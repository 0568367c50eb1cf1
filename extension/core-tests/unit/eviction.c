/* A full cache. */
#include "fixture.h"
#include "page.h"
#include "reclaim.h"
#include "suites.h"

/* Fills the memory ten times, while a hot set is used all the time. */
static void fill_over(size_t length, double expected) {
    struct cache *cache = open_cache(8);
    const struct cache_info info = info_of(cache);
    const size_t room = info.pages * info.page_size / (length + 64);
    const size_t hot = room / 20 ? room / 20 : 1;
    size_t kept = 0, asked = 0;
    for (size_t i = 0; i < 10 * room; i++) {
        EXPECT_EQUAL(put(cache, key_of("cold %zu", i), i, length), CACHE_OK);
        EXPECT(has_copied(cache, key_of("cold %zu", i), i, length));
        const size_t wanted = i * 7 % hot;
        const bool there = has_copied(cache, key_of("hot %zu", wanted), wanted, length);
        if (!there) {
            EXPECT_EQUAL(put(cache, key_of("hot %zu", wanted), wanted, length), CACHE_OK);
        }
        kept += i > room && there;
        asked += i > room;
    }
    expect_sound(cache);
    if ((double)kept < expected * (double)asked) {
        harness_fail(__FILE__, __LINE__, "of the hot ones %zu of %zu were there", kept, asked);
    }
    EXPECT(info_of(cache).evicted > 8 * room);
    EXPECT_EQUAL(info_of(cache).refused_room, 0);
    /* The cache is never wiped: the last stored values are present, as many as the probation log holds. */
    size_t last = 0;
    for (size_t i = 10 * room - room / 10; i < 10 * room; i++) {
        last += has_copied(cache, key_of("cold %zu", i), i, length);
    }
    EXPECT((double)last > 0.9 * (double)(room / 10));
    expect_nothing_left(cache);
}

static void small_values(void) {
    fill_over(200, 0.99);
}
static void middle_values(void) {
    fill_over(5000, 0.99);
}
static void large_values(void) {
    fill_over(30000, 0.98);
}
static void long_values(void) {
    fill_over(150 * KIB, 0.9);
}

/* The page of short values is open while many runs are taken. Its last stored value is young nevertheless. */
static void young_beside_runs(void) {
    struct cache *cache = open_cache(8);
    size_t lost = 0;
    for (size_t i = 0; i < 4000; i++) {
        for (size_t j = 0; j < 5; j++) {
            EXPECT_EQUAL(put(cache, key_of("short %zu %zu", i, j), i, 400), CACHE_OK);
        }
        EXPECT_EQUAL(put(cache, key_of("long %zu", i), i, 50 * KIB + i % 20 * KIB), CACHE_OK);
        for (size_t j = 0; j < 5; j++) {
            lost += !is_there(cache, key_of("short %zu %zu", i, j));
        }
    }
    EXPECT_EQUAL(lost, 0);
    expect_nothing_left(cache);
}

/* Each evicted entry is counted under its age, and as unread if it was read once at most, just after it was stored. */
static void told_ages(void) {
    struct cache *cache = open_cache(8);
    enum { LENGTH = 5000, ENTRIES = 8000 };
    const unsigned old = (unsigned)(8 * MIB / LENGTH / 2);
    for (unsigned i = 0; i < ENTRIES; i++) {
        EXPECT_EQUAL(put(cache, key_of("unread %u", i), i, LENGTH), CACHE_OK);
        if (i == old) {
            sleep_ms(2100);
        }
    }
    const struct cache_info unread = info_of(cache);
    uint64_t sum = 0, old_ones = 0;
    for (unsigned i = 0; i < 16; i++) {
        sum += unread.evicted_ages[i];
        old_ones += i >= 2 ? unread.evicted_ages[i] : 0;
    }
    EXPECT_EQUAL(sum, unread.evicted);
    EXPECT(old_ones >= old / 2 && unread.evicted_seconds >= old_ones * 2);
    EXPECT(unread.evicted_unread > unread.evicted / 2); /* of the sample in the main log it cannot be said */
    for (unsigned i = 0; i < ENTRIES; i++) {
        EXPECT_EQUAL(put(cache, key_of("read %u", i), i, LENGTH), CACHE_OK);
        EXPECT(has_copied(cache, key_of("read %u", i), i, LENGTH) &&
               has_copied(cache, key_of("read %u", i), i, LENGTH));
    }
    const struct cache_info read = info_of(cache);
    EXPECT(read.evicted > unread.evicted + ENTRIES / 2);
    EXPECT(read.evicted_unread - unread.evicted_unread <= 8 * MIB / LENGTH); /* those from before */
    for (unsigned i = 0; i < 2 * ENTRIES; i++) {
        EXPECT_EQUAL(put(cache, key_of("once %u", i), i, LENGTH), CACHE_OK);
        EXPECT(has_copied(cache, key_of("once %u", i), i, LENGTH));
    }
    EXPECT(info_of(cache).evicted_unread - read.evicted_unread > ENTRIES);
    expect_nothing_left(cache);
}

static void oversized(void) {
    struct cache *cache = open_cache(8);
    put_many(cache, "", 1000, 5000);
    const struct cache_info before = info_of(cache);
    const size_t max = cache_value_max(cache);
    for (unsigned i = 0; i < 1000; i++) {
        EXPECT_EQUAL(put(cache, key_of("big"), i, max + 1 + i * (size_t)MIB), CACHE_TOO_LARGE);
        EXPECT_EQUAL(put(cache, key_of("big"), i, SIZE_MAX - i), CACHE_TOO_LARGE);
    }
    const struct cache_info after = info_of(cache);
    EXPECT_EQUAL(after.entries, before.entries);
    EXPECT_EQUAL(after.evicted, before.evicted);
    EXPECT_EQUAL(after.pages_free, before.pages_free);
    EXPECT_EQUAL(after.refused_size, 2000);
    expect_nothing_left(cache);
}

/* A refused set leaves no outdated value; a refused add or replace leaves the old one. */
static void refused_stores(void) {
    struct cache *cache = open_cache(8);
    const size_t too_much = cache_value_max(cache) + 1;
    const struct cache_key key = {"key", 3, 3};
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key, 2, too_much, 0, CACHE_ADD), CACHE_TOO_LARGE);
    EXPECT(has(cache, key, 1, 100));
    EXPECT_EQUAL(put_as(cache, key, 2, too_much, 0, CACHE_REPLACE), CACHE_TOO_LARGE);
    EXPECT(has(cache, key, 1, 100));
    EXPECT_EQUAL(put(cache, key, 2, too_much), CACHE_TOO_LARGE);
    EXPECT(!is_there(cache, key));
    expect_nothing_left(cache);
}

/* One pass over many keys that are not requested again does not evict the ones in use. */
static void scan(void) {
    struct cache *cache = open_cache(16);
    enum { USED = 300, UNUSED = 300, SCANNED = 6000 };
    for (unsigned i = 0; i < USED; i++) {
        EXPECT_EQUAL(put(cache, key_of("used %u", i), i, 4000), CACHE_OK);
        EXPECT_EQUAL(put(cache, key_of("unused %u", i), i, 4000), CACHE_OK);
    }
    for (unsigned i = 0; i < SCANNED; i++) {
        if (i % 1000 == 0) {
            for (unsigned k = 0; k < USED; k++) {
                has_copied(cache, key_of("used %u", k), k, 4000);
            }
        }
        EXPECT_EQUAL(put(cache, key_of("scan %u", i), i, 4000), CACHE_OK);
    }
    unsigned used = 0, unused = 0;
    for (unsigned i = 0; i < USED; i++) {
        used += has_copied(cache, key_of("used %u", i), i, 4000);
        unused += has_copied(cache, key_of("unused %u", i), i, 4000);
    }
    EXPECT(used > USED * 95 / 100);
    EXPECT_EQUAL(unused, 0);
    EXPECT(info_of(cache).moved > USED / 2);
    expect_nothing_left(cache);
}

/* The hot values were stored since the last lap, so they are still in probation. */
static void filled_by_a_script(void) {
    struct cache *cache = open_cache(32); /* with more pages than one store tries */
    const struct cache_info info = info_of(cache);
    const size_t room = info.pages * info.page_size / (2000 + 64), hot = room / 2;
    put_many(cache, "old ", room * 3 / 2, 2000);
    put_many(cache, "hot ", hot, 2000);
    for (size_t i = 0; i < 4 * hot; i++) {
        EXPECT(has_copied(cache, key_of("hot %zu", i % hot), i % hot, 2000));
    }
    put_many(cache, "script ", room, 2000);
    size_t kept = 0;
    for (size_t i = 0; i < hot; i++) {
        kept += is_there(cache, key_of("hot %zu", i));
    }
    EXPECT(kept >= hot * 99 / 100);
    expect_nothing_left(cache);
}

/* A page whose entries all died is reused, whatever its age, before a live entry is evicted. */
static void dead_pages(void) {
    struct cache *cache = open_cache(8);
    const size_t room = info_of(cache).pages * 15;
    put_many(cache, "keep ", room * 2 / 3, 4000);
    for (size_t i = 0; i < room * 20; i++) {
        EXPECT_EQUAL(put(cache, key_of("replaced"), i, 4000), CACHE_OK);
    }
    for (size_t i = 0; i < room * 2 / 3; i++) {
        EXPECT(has_copied(cache, key_of("keep %zu", i), i, 4000));
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    EXPECT(cache_clear(cache));
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        EXPECT_EQUAL((uint32_t)word_load(&cache->map.pages[page].live), 0);
    }
    expect_nothing_left(cache);
}

/* Space that is reserved and not published, as by an add to a present key, is dead from the start: its page is
 * reused before live entries are evicted. */
static void refused_adds(void) {
    struct cache *cache = open_cache(8);
    const size_t kept = info_of(cache).pages * page_bytes(&cache->map) / 6 / 1000;
    for (size_t i = 0; i < kept; i++) {
        EXPECT_EQUAL(put(cache, key_of("%zu", i), i, 1000), CACHE_OK);
        for (unsigned j = 0; j < 20; j++) {
            EXPECT_EQUAL(put_as(cache, key_of("%zu", i), j, 1000, 0, CACHE_ADD), CACHE_EXISTS);
        }
    }
    for (size_t i = 0; i < kept; i++) {
        EXPECT(has_copied(cache, key_of("%zu", i), i, 1000));
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    expect_nothing_left(cache);
}

/* ---- Several processes rewrite data that fits, so all of them compact at once ---- */

enum { REWRITERS = 6, REWRITTEN = 1000, KEYS_OF_EACH = 0, REWRITES_OF_EACH = 1, MISSING = 2 };

/* Replaces values: only a reclaim can remove the old value. */
static void rewrite(void *argument) {
    const unsigned number = (unsigned)(uintptr_t)argument;
    struct cache *cache = open_cache(16);
    const unsigned keys = (unsigned)atomic_load(&board->number[KEYS_OF_EACH]);
    unsigned missing = 0;
    uint64_t random = number + 1;
    for (long i = 0; i < atomic_load_explicit(&board->number[REWRITES_OF_EACH], memory_order_relaxed); i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const unsigned key = (unsigned)(random >> 33) % keys;
        const enum cache_result result =
            put_as(cache, key_of("%u of %u", key, number), key, REWRITTEN, 0, CACHE_REPLACE);
        missing += result != CACHE_OK;
    }
    for (unsigned key = 0; key < keys; key++) {
        missing += !has_copied(cache, key_of("%u of %u", key, number), key, REWRITTEN);
    }
    atomic_fetch_add(&board->number[MISSING], missing);
}

/* Returns the number of evicted entries. */
static uint64_t rewritten(unsigned percent, unsigned rewrites) {
    struct cache *cache = open_cache(16);
    EXPECT(cache_clear(cache));
    const struct cache_info before = info_of(cache);
    const unsigned keys =
        (unsigned)(before.pages * before.page_size * percent / 100 / (REWRITTEN + 48) / REWRITERS);
    for (unsigned number = 0; number < REWRITERS; number++) {
        for (unsigned key = 0; key < keys; key++) {
            EXPECT_EQUAL(put(cache, key_of("%u of %u", key, number), key, REWRITTEN), CACHE_OK);
        }
    }
    reached(KEYS_OF_EACH, keys);
    reached(REWRITES_OF_EACH, rewrites / REWRITERS);
    pid_t children[REWRITERS];
    for (unsigned number = 0; number < REWRITERS; number++) {
        children[number] = start(rewrite, (void *)(uintptr_t)number);
    }
    finish_all(children, REWRITERS);
    expect_sound(cache);
    const struct cache_info after = info_of(cache);
    EXPECT(after.moved - before.moved > (percent > 50 ? rewrites / 10 : 0)); /* or this would show nothing */
    close_cache(cache);
    return after.evicted - before.evicted;
}

static void rewritten_by_several(void) {
    static const unsigned percents[] = {33, 50, 67};
    const unsigned rewrites = (proof_is_long() ? 3000 : 300) * 1000;
    uint64_t evicted = 0;
    for (unsigned i = 0; i < 3; i++) {
        /* A process that is stopped, or gets no processor for a tenth of a second, may cost the others some entries. */
        uint64_t lost = UINT64_MAX;
        for (unsigned tries = 0; lost > 0 && tries < 3; tries++) {
            atomic_store(&board->number[MISSING], 0);
            lost = rewritten(percents[i], rewrites);
            EXPECT(lost > 0 || atomic_load(&board->number[MISSING]) == 0);
        }
        evicted += lost;
    }
    proof_record(
        "fullness.rewrites", 3 * (proof_count)rewrites,
        "rewrites of values of 1 KB by six processes at once, which fill a third to two thirds of the memory",
        evicted, 0);
}

/* Other processes, which may be stopped, have all places for moved entries: live entries of a page that is to be
 * compacted stay, and the page with them. */
static void no_place_to_compact(void) {
    struct cache *cache = open_cache(8);
    struct record_shared *record = cache->identity->record;
    enum { KEYS = 200 };
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < KEYS; i += 1 + round) { /* half of the entries in the first pages are dead */
            EXPECT_EQUAL(put(cache, key_of("%u", i), i, 1000), CACHE_OK);
        }
    }
    struct cache_value value = pinned(cache, key_of("1"));
    const uint32_t page = ref_page(&cache->map, (value.base - cache->map.base) >> UNIT_SHIFT);
    end_request(cache);
    EXPECT(page_is_fragmented(&cache->map, page_row(cache, page)));
    use_up_pages(cache);
    EXPECT(!reclaim_page(cache, record, page, RECLAIM_GENTLY));
    EXPECT_EQUAL(state_of(word_load(&page_row(cache, page)->state)), PAGE_CLOSED);
    for (unsigned i = 0; i < KEYS; i++) {
        EXPECT(has_copied(cache, key_of("%u", i), i, 1000));
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    expect_sound(cache);
    EXPECT(reclaim_page(cache, record, page, RECLAIM_FIRMLY)); /* a process without another page takes this one */
    expect_nothing_left(cache);
}

/* ---- Everything held ---- */

static void everything_held(void) {
    struct cache_options options = options_of(8);
    options.pin_share = 0.9;
    struct cache *cache = open_with(&options);
    /* More than the bound allows. One process does here what several can do together. */
    cache->map.pin_limit = 2 * cache->map.page_count;
    cache->map.pin_limit_long = cache->map.pin_limit;
    for (unsigned i = 0; i < 2000; i++) {
        if (put(cache, key_of("%u", i), i, 4000) == CACHE_NO_ROOM) {
            EXPECT(i > 1000);
            break;
        }
        EXPECT(i < 1999);
        const struct cache_value value = pinned(cache, key_of("%u", i));
        EXPECT(is_pattern(value.bytes, value.length, i));
    }
    const struct cache_key key = {"key", 3, 3};
    EXPECT_EQUAL(put(cache, key, 1, 4000), CACHE_NO_ROOM);
    EXPECT_EQUAL(put(cache, key, 1, 100 * KIB), CACHE_NO_ROOM);
    for (unsigned i = 0; i < 1000; i++) {
        EXPECT(has(cache, key_of("%u", i), i, 4000));
    }
    expect_sound(cache);
    end_request(cache);
    EXPECT_EQUAL(put(cache, key, 1, 4000), CACHE_OK);
    EXPECT(has(cache, key, 1, 4000));
    end_request(cache);
    EXPECT_EQUAL(put(cache, key, 2, 100 * KIB), CACHE_OK);
    EXPECT(has(cache, key, 2, 100 * KIB));
    expect_nothing_left(cache);
}

/* Without room a set leaves no outdated value. The other modes leave the value; each refusal is counted. */
static void no_room_no_stale(void) {
    struct cache *cache = open_cache(8);
    cache->map.pin_limit = cache->map.pin_limit_long = 2 * cache->map.page_count;
    const struct cache_key key = {"key", 3, 3};
    EXPECT_EQUAL(put(cache, key, 1, 4000), CACHE_OK);
    for (unsigned i = 0; put(cache, key_of("%u", i), i, 4000) == CACHE_OK; i++) {
        pinned(cache, key_of("%u", i));
    }
    EXPECT_EQUAL(put_as(cache, key, 2, 30000, 0, CACHE_REPLACE), CACHE_NO_ROOM);
    EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_NO_ROOM);
    EXPECT(has_copied(cache, key, 1, 4000));
    EXPECT_EQUAL(put(cache, key, 3, 30000), CACHE_NO_ROOM);
    EXPECT(!is_there(cache, key));
    EXPECT(info_of(cache).refused_room >= 3);
    expect_nothing_left(cache);
}

/* Both logs have unused pages, more than a survey looks for: no entry is evicted before these pages are taken. */
static void unused_pages_of_both_logs(void) {
    enum { VALUES = 800, USED = 200, KEPT_ONE_OF = 4 };
    struct cache *cache = open_cache(16);
    for (unsigned i = 0; i < VALUES; i++) {
        EXPECT_EQUAL(put(cache, key_of("%u", i), i, 40 * KIB), CACHE_OK);
        for (unsigned used = 0; used < USED; used += 3) {
            has_copied(cache, key_of("%u", used), used, 40 * KIB); /* moves to the main log */
        }
    }
    /* One entry in each step of memory stays, or the step would be given back to the system. */
    for (unsigned i = 0, there = 0; i < VALUES; i++) {
        const struct cache_key key = key_of("%u", i);
        if (is_there(cache, key) && there++ % KEPT_ONE_OF) {
            EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
        }
    }
    cache_request_end(cache, false);
    cache_release(cache);
    const struct cache_info before = info_of(cache);
    unsigned unused[LOGS] = {0};
    for (uint32_t page = 0; page < before.pages; page++) {
        const struct page_shared *row = page_row(cache, page);
        unused[page_log(row)] +=
            state_of(word_load(&row->state)) == PAGE_FREE && ref_page_has_memory(&cache->map, page);
    }
    EXPECT(unused[LOG_PROBATION] > VICTIMS_MAX && unused[LOG_MAIN] > VICTIMS_MAX);
    const size_t bytes = before.pages_free * before.page_size;
    put_many(cache, "short", bytes * 3 / 4 / 4096, 4000);
    EXPECT_EQUAL(info_of(cache).evicted, before.evicted);
    expect_nothing_left(cache);
}

/* Values of 5 KB under new keys. */
static void put_new(struct cache *cache, unsigned count) {
    static unsigned number;
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQUAL(put(cache, key_of("new %u", number++), i, 5000), CACHE_OK);
    }
}

static void says_when_full(void) {
    struct cache *cache = open_cache(8);
    const unsigned fit = (unsigned)(8 * MIB / 5200);
    put_new(cache, fit / 2);
    EXPECT(!cache_is_full(cache));
    for (unsigned i = 0; i < 4 * fit; i++) { /* what is stored again takes no room */
        EXPECT_EQUAL(put(cache, key_of("again %u", i % (fit / 4)), i, 5000), CACHE_OK);
    }
    EXPECT_EQUAL(info_of(cache).evicted, 0);
    EXPECT(!cache_is_full(cache));
    put_new(cache, 2 * fit);
    EXPECT(info_of(cache).evicted > 0 && cache_is_full(cache));
    cache_delete_prefix(cache, "", 0);
    put_new(cache, 30);
    EXPECT(!cache_is_full(cache));
    put_new(cache, 2 * fit);
    EXPECT(cache_is_full(cache));
    cache_clear(cache);
    EXPECT(!cache_is_full(cache));
    for (unsigned i = 0; i < 8 * fit; i++) {
        EXPECT_EQUAL(put(cache, key_of("again %u", i % (fit / 4)), i, 5000), CACHE_OK);
    }
    EXPECT(!cache_is_full(cache));
    expect_sound(cache);
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"storing ten times the memory in small values succeeds", small_values},
    {"storing ten times the memory in values of 5 KB succeeds", middle_values},
    {"storing ten times the memory in values of 30 KB succeeds", large_values},
    {"storing ten times the memory in values of 150 KiB succeeds", long_values},
    {"the last stored value stays while runs are taken", young_beside_runs},
    {"what is evicted is counted by its age, and by whether it was read", told_ages},
    {"an oversized value is refused and nothing is evicted", oversized},
    {"a refused set leaves no stale value, a refused add or replace the old one", refused_stores},
    {"a scan does not evict values in use", scan},
    {"what is in use stays when a script fills the memory", filled_by_a_script},
    {"a cache says whether it is full", says_when_full},
    {"dead pages are reused before anything is evicted", dead_pages},
    {"unused pages of both logs are taken before anything is evicted", unused_pages_of_both_logs},
    {"refused adds evict nothing", refused_adds},
    {"values that fit stay, however many processes rewrite them", rewritten_by_several},
    {"live entries stay if compaction finds no space", no_place_to_compact},
    {"with all pages held a store is refused, and works once they are free", everything_held},
    {"without room no stale value stays", no_room_no_stale},
    {0},
};
const struct suite suite_eviction = {.name = "eviction", .tests = tests};
