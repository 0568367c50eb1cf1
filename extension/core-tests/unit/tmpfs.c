/* Segments on a small tmpfs, such as a container's /dev/shm. Only root can mount one to try. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "fixture.h"
#include "geometry.h"
#include "suites.h"

/* Uses a separate mount namespace, so that nothing stays mounted. */
static void mount_tmpfs(const char *size) {
    char option[32];
    snprintf(option, sizeof option, "size=%s", size);
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", test_folder, "tmpfs", 0, option) != 0) {
        harness_skip("mounting a tmpfs needs root");
    }
}

/* For tests that need memory to be refused beforehand, when none is left. */
static void needs_memory_beforehand(void) {
    if (EMULATED) {
        harness_skip("QEMU ignores MADV_POPULATE_WRITE");
    }
}

static struct cache *open_smaller(size_t asked, char reason[CACHE_REASON_MAX]) {
    const struct cache_options options = options_of(asked);
    struct cache *cache = cache_attach(&options, reason);
    if (!cache) {
        harness_fail(__FILE__, __LINE__, "attach: %s", reason);
    }
    return cache;
}

/* The default settings in a container. */
static void default_container(void) {
    mount_tmpfs("64m");
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(64, reason);
    EXPECT(info_of(cache).size > 56 * MIB);
    put_many(cache, "", 20000, 8000);
    expect_nothing_left(cache);
}

static void takes_what_is_free(void) {
    mount_tmpfs("20m");
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(64, reason);
    EXPECT(strstr(reason, "larder.size"));
    const size_t size = info_of(cache).size;
    EXPECT(size > 16 * MIB && size < 20 * MIB);
    EXPECT_EQUAL(info_of(cache).size_asked, 64 * MIB);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    close_cache(cache);
    /* The next process with the same settings uses the segment as it is. */
    cache = open_smaller(64, reason);
    EXPECT(has(cache, key_of("a"), 1, 1000));
    EXPECT_EQUAL(info_of(cache).size, size);
    expect_nothing_left(cache);
}

static void too_little(void) {
    mount_tmpfs("8m");
    const struct cache_options options = options_of(64);
    expect_refused(&options, "larder.path");
    EXPECT(access(segment_file(), F_OK) != 0);
}

/* Takes all free memory of the tmpfs. */
static int fill_tmpfs(void) {
    char path[160];
    snprintf(path, sizeof path, "%s/filler", test_folder);
    const int filler = open(path, O_RDWR | O_CREAT, 0600);
    static char block[4096];
    memset(block, 1, sizeof block);
    while (write(filler, block, sizeof block) > 0) {
    }
    return filler;
}

/* Makes every kind of call that touches memory, in all of the index and many pages. Returns the number of refused
 * stores. */
static unsigned use_everything(struct cache *cache) {
    unsigned refused = 0;
    for (unsigned i = 0; i < 3000; i++) {
        const struct cache_key key = key_of("key %u", i);
        const enum cache_result result = put(cache, key, i, i % 97 == 0 ? 200 * KIB : 2 * KIB);
        EXPECT(result == CACHE_OK || result == CACHE_NO_ROOM);
        refused += result != CACHE_OK;
        EXPECT(has(cache, key, i, i % 97 == 0 ? 200 * KIB : 2 * KIB) == (result == CACHE_OK) || i % 97 == 0);
        is_there(cache, key_of("absent %u", i));
        const struct cache_key number = key_of("number %u", i % 10);
        int64_t count;
        cache_count(cache, &number, 1, 0, &count);
        if (i % 7 == 0) {
            cache_delete(cache, &key);
        }
        if (i % 500 == 0) {
            end_request(cache);
            cache_release(cache);
        }
    }
    end_request(cache);
    info_of(cache);
    expect_sound(cache);
    cache_clear(cache);
    return refused;
}

/* Other programs take all free memory after `entries` entries were stored. */
static unsigned fill_after(unsigned entries) {
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(10, reason);
    put_many(cache, "before ", entries, 2 * KIB);
    const int filler = fill_tmpfs();
    const unsigned refused = use_everything(cache);
    EXPECT(ftruncate(filler, 0) == 0);
    close(filler);
    sleep_ms(150);
    /* Now that there is room, the segment takes it again. */
    EXPECT_EQUAL(put(cache, key_of("after"), 1, 2 * KIB), CACHE_OK);
    EXPECT_EQUAL(use_everything(cache), 0);
    expect_nothing_left(cache);
    close_cache(cache);
    EXPECT(unlink(segment_file()) == 0);
    return refused;
}

static void no_fault_when_full(void) {
    needs_memory_beforehand();
    mount_tmpfs("16m");
    EXPECT(fill_after(0) > 0);
    for (unsigned entries = 1; entries < 3000; entries += entries < 10 ? 1 : entries) {
        fill_after(entries);
    }
    /* If the index has its memory, nothing is refused any more: the cache works with the pages that it has. */
    EXPECT_EQUAL(fill_after(2000), 0);
    proof_record_all("neighbours.filled-tmpfs", 14 * 6000,
                     "stores into a segment whose tmpfs others fill at any moment", 0);
}

/* The control: a process that touches memory before it was given is killed. */
static void hole_child(void *argument) {
    const struct map *map = &((struct cache *)argument)->map;
    volatile char *last = map->writable + map->size - 1;
    *last = 1;
}
static void holes_fault(void) {
    mount_tmpfs("16m");
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(10, reason);
    fill_tmpfs();
    EXPECT(was_killed_by_fault(start_fork(hole_child, cache)));
}

/* A step's bit that is set by damage is ignored: nothing is touched, and the segment is recreated. */
static void damaged_steps(void) {
    needs_memory_beforehand();
    mount_tmpfs("16m");
    for (unsigned bit = 0; bit < 64; bit++) {
        char reason[CACHE_REASON_MAX];
        struct cache *cache = open_smaller(10, reason);
        EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
        const int filler = fill_tmpfs();
        const struct map *map = &cache->map;
        for (unsigned word = 0; word <= map->first_page_step / STEPS_A_WORD; word++) {
            word_poke(&map->steps[word], word_load(&map->steps[word]) ^ UINT64_C(1) << bit);
        }
        for (unsigned i = 0; i < 2000; i++) {
            is_there(cache, key_of("%u", i));
            put(cache, key_of("%u", i), i, 2 * KIB);
        }
        info_of(cache);
        cache_check(cache, NULL);
        cache_clear(cache);
        cache_release(cache);
        EXPECT(word_load(&cache->map.header->retired));
        close_cache(cache);
        EXPECT(ftruncate(filler, 0) == 0);
        close(filler);
        cache = open_smaller(10, reason);
        EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
        close_cache(cache);
    }
    proof_record_all("damage.steps", 64,
                     "bits changed in what tells which part of the file has its memory, on a full tmpfs", 0);
}

/* Index words that name a page without memory, or its last units, beyond which an entry's header would extend. */
static void damaged_words(void) {
    needs_memory_beforehand();
    mount_tmpfs("16m");
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(10, reason);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    has(cache, key_of("a"), 1, 1000);
    fill_tmpfs();
    const struct map *map = &cache->map;
    shared_word *slot = NULL;
    for (uint32_t b = 0; b < map->bucket_count; b++) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            shared_word *candidate = &ref_bucket(map, b)->slots[i];
            slot = word_load(candidate) ? candidate : slot;
        }
    }
    const uint64_t word = word_load(slot);
    for (uint32_t page = 0; page < map->page_count; page++) {
        const uint64_t units[] = {0, 1, page_units(map) / 2, page_units(map) - 3, page_units(map) - 1};
        for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
            if (slot_location(word) == ref_location(map, page, units[i])) {
                continue;
            }
            word_store(slot, (word & ~LOCATION_MASK) | ref_location(map, page, units[i]));
            const struct cache_key key = key_of("a");
            struct cache_value value;
            EXPECT(!cache_find(cache, &key, true, &value) && !cache_find(cache, &key, false, &value));
            EXPECT(!cache_exists(cache, &key));
            EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_ABSENT);
            EXPECT_EQUAL(cache_swap(cache, &key, 1, 2), CACHE_ABSENT);
            EXPECT_EQUAL(cache_delete(cache, &key), CACHE_ABSENT);
            EXPECT(cache_check(cache, NULL) > 0);
            /* A page table in which the page is full. */
            struct page_shared *row = &map->pages[page];
            const uint64_t state = word_load(&row->state);
            if (state_of(state) == PAGE_FREE) {
                word_poke(&row->state, state_change(state, PAGE_CLOSED));
                word_poke(&row->live, 5);
                cache_sweep(cache);
            }
        }
    }
    word_store(slot, word);
    EXPECT(has(cache, key_of("a"), 1, 1000));
}

/* An upgrade of PHP leaves a segment of another layout behind. It is removed when its room is needed. */
static void outdated_goes(void) {
    mount_tmpfs("20m");
    struct cache_options options = options_of(16);
    options.value_layout = 99;
    struct cache *old = open_with(&options);
    churn(old, 1);
    close_cache(old);
    struct cache *cache = open_cache(16);
    EXPECT_EQUAL(info_of(cache).size, 16 * MIB);
    EXPECT(access(segment_file_of("test", 99), F_OK) != 0);
}

static void outdated_in_use_stays(void) {
    mount_tmpfs("20m");
    struct cache_options options = options_of(10);
    options.value_layout = 99;
    struct cache *old = open_with(&options);
    EXPECT_EQUAL(put(old, key_of("a"), 1, 1000), CACHE_OK);
    char reason[CACHE_REASON_MAX];
    churn(old, 1);
    EXPECT_EQUAL(put(old, key_of("a"), 1, 1000), CACHE_OK);
    struct cache *cache = open_smaller(16, reason);
    EXPECT_EQUAL(put(cache, key_of("b"), 1, 1000), CACHE_OK);
    EXPECT(has(old, key_of("a"), 1, 1000));
    EXPECT(cache_request_begin(old));
}

/* Files with other names, and other kinds of files, are left alone. */
static void strangers_stay(void) {
    mount_tmpfs("20m");
    struct cache_options options = options_of(10);
    options.segment = "test-of-another";
    struct cache *old = open_with(&options);
    churn(old, 1);
    close_cache(old);
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(16, reason);
    EXPECT_EQUAL(put(cache, key_of("b"), 1, 1000), CACHE_OK);
    EXPECT(access(segment_file_of("test-of-another", 1), F_OK) == 0);
}

static const struct test tests[] = {
    {"the default size works on a tmpfs of 64 MiB", default_container},
    {"a small tmpfs gives what it has but a sixteenth, and a reason", takes_what_is_free},
    {"less than 8 MiB free is refused and leaves no file", too_little},
    {"a tmpfs that others fill at any moment does no harm", no_fault_when_full},
    {"control: touching a hole kills the process there", holes_fault},
    {"damaged steps give no fault but a fresh segment", damaged_steps},
    {"a damaged index or page table gives no fault", damaged_words},
    {"an unused segment of another layout is removed when memory is short", outdated_goes},
    {"a segment of another layout in use stays", outdated_in_use_stays},
    {"segments of other names stay", strangers_stay},
    {0},
};
const struct suite suite_tmpfs = {.name = "tmpfs", .tests = tests};
