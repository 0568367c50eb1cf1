/* When a segment is recreated, and how attached processes notice. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "geometry.h"
#include "os.h"
#include "suites.h"

static ino_t inode_of(const char *path) {
    struct stat status;
    EXPECT(stat(path, &status) == 0);
    return status.st_ino;
}

/* Creates a segment with a value, to which no process is attached. */
static ino_t make_segment(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    close_cache(cache);
    return inode_of(segment_file());
}

static void write_at(off_t offset, const void *bytes, size_t length) {
    const int file = open(segment_file(), O_RDWR);
    EXPECT(file >= 0);
    EXPECT(pwrite(file, bytes, length, offset) == (ssize_t)length);
    close(file);
}

static void expect_replaced(ino_t before) {
    const int old = open(segment_file(), O_RDONLY); /* so that its inode is not used again */
    struct cache *cache = open_cache(8);
    EXPECT(inode_of(segment_file()) != before);
    EXPECT(!is_there(cache, key_of("a")));
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    expect_nothing_left(cache);
    close_cache(cache);
    close(old);
}

static void expect_kept(ino_t before) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(inode_of(segment_file()), before);
    EXPECT(has(cache, key_of("a"), 1, 1000));
    close_cache(cache);
}

static void whole_segments(void) {
    expect_kept(make_segment());
}

static void damaged_headers(void) {
    static const size_t places[] = {
        offsetof(struct header_shared, magic),        offsetof(struct header_shared, layout),
        offsetof(struct header_shared, size),         offsetof(struct header_shared, page_shift),
        offsetof(struct header_shared, page_count),   offsetof(struct header_shared, bucket_count),
        offsetof(struct header_shared, record_count), offsetof(struct header_shared, base),
        offsetof(struct header_shared, seed),         offsetof(struct header_shared, checksum)};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        const ino_t before = make_segment();
        write_at((off_t)places[i], "damage!", 7);
        expect_replaced(before);
    }
}

static void other_lengths(void) {
    static const off_t lengths[] = {0, 1, 100, 4096, 8 * MIB - 4096, 8 * MIB + 4096};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const ino_t before = make_segment();
        EXPECT(truncate(segment_file(), lengths[i]) == 0);
        expect_replaced(before);
    }
}

static void retired(void) {
    const ino_t before = make_segment();
    const uint64_t one = 1;
    write_at(offsetof(struct header_shared, retired), &one, sizeof one);
    expect_replaced(before);
}

/* ---- Another size ---- */

/* A segment is joined also with other settings than those that it was created with. The reason says which differ. */
static void join_with(struct cache_options options, const char *differs) {
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache);
    EXPECT(strstr(reason, differs) && strstr(reason, "larder resize"));
    EXPECT(has(cache, key_of("a"), 1, 1000));
    EXPECT_EQUAL(info_of(cache).size, 8 * MIB);
    EXPECT_EQUAL(info_of(cache).size_asked, options.size);
    EXPECT_EQUAL(info_of(cache).size_made_for, 8 * MIB);
    cache_detach(cache);
}

static void other_settings(void) {
    const ino_t before = make_segment(); /* no process is attached, as to the cache of an idle pool */
    struct cache_options options = options_of(9);
    join_with(options, "larder.size=8M (here 9M)");
    options = options_of(8);
    options.processes = RECORDS - 1;
    join_with(options, "larder.processes=64 (here 63)");
    options = options_of(8);
    options.pin_share = 0.25;
    join_with(options, "larder.pin_share=0.5 (here 0.25)");
    expect_kept(before);
}

/* An explicit command recreates the segment; attached processes move to the new one. */
static void resized(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    struct cache_options options = options_of(9);
    options.replaces = true;
    struct cache *other = open_with(&options);
    EXPECT_EQUAL(info_of(other).size, 9 * MIB);
    EXPECT(!is_there(other, key_of("a")));
    const ino_t now = inode_of(segment_file());
    struct cache *again = open_with(&options); /* the segment has these settings now */
    EXPECT_EQUAL(inode_of(segment_file()), now);
    close_cache(again);
    sleep_ms(1100);
    EXPECT(cache_request_begin(cache));
    EXPECT_EQUAL(info_of(cache).size, 9 * MIB);
}

/* The new segment has another address, so that processes which keep the old mapping can map it. */
static void another_address(void) {
    close_cache(open_cache(8));
    for (unsigned i = 0; i < 20; i++) {
        struct cache_options options = options_of(8 + i % 2);
        struct cache *cache = open_with(&options);
        const uintptr_t before = info_of(cache).address;
        close_cache(cache);
        options.size = (9 - i % 2) * MIB;
        options.replaces = true;
        cache = open_with(&options);
        EXPECT(info_of(cache).address != before);
        close_cache(cache);
    }
}

/* ---- Noticed by attached processes ---- */

/* Another process stores into the segment that the path names. */
static void put_elsewhere_child(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("%s", (const char *)argument), 3, 1000), CACHE_OK);
}

static void removed_by_others(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    EXPECT(unlink(segment_file()) == 0);
    EXPECT(cache_request_begin(cache));
    EXPECT(has(cache, key_of("a"), 1, 1000)); /* checked once a second at most */
    cache_request_end(cache, false);
    sleep_ms(1100);
    EXPECT(!cache_request_begin(cache)); /* a request that only reads creates no segment */
    close_cache(cache);
    cache = open_cache(8);
    EXPECT(!is_there(cache, key_of("a")));
    EXPECT_EQUAL(put(cache, key_of("b"), 2, 1000), CACHE_OK);
    finish(start(put_elsewhere_child, "c"));
    EXPECT(has(cache, key_of("c"), 3, 1000));
}

static void replaced_by_others(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    write_at(offsetof(struct header_shared, seed), "damage!", 7);
    finish(start(put_elsewhere_child, "b"));
    EXPECT_EQUAL(word_load(&cache->map.header->retired), 1);
    sleep_ms(1100);
    EXPECT(cache_request_begin(cache));
    EXPECT(!is_there(cache, key_of("a")));
    EXPECT(has(cache, key_of("b"), 3, 1000));
}

static void long_lived_notices(void) {
    struct cache *cache = open_long_lived(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("a"));
    EXPECT(unlink(segment_file()) == 0);
    finish(start(put_elsewhere_child, "b"));
    sleep_ms(1100);
    const struct cache_key key = key_of("b");
    for (unsigned i = 0; i < 16; i++) {
        cache_exists(cache, &key);
    }
    EXPECT(has(cache, key_of("b"), 3, 1000));
    EXPECT(!is_there(cache, key_of("a")));
    churn(cache, 2);
    EXPECT(is_pattern(held.bytes, held.length, 1)); /* in the old mapping, which stays */
    expect_sound(cache);
}

/* ---- Creating ---- */

/* A creator that is stopped at any failpoint blocks no other process. */
static void creator_stops_child(void *argument) {
    at_failpoint(argument, 1, stop_here);
    struct cache *cache = open_cache(8);
    EXPECT(has(cache, key_of("b"), 1, 1000)); /* from the segment that is in place now */
    EXPECT_EQUAL(put(cache, key_of("late"), 2, 1000), CACHE_OK);
}
static void creator_stops(void) {
    static const char *const points[] = {"segment_temporary_made", "segment_filled", "segment_renamed",
                                         "segment_retired"};
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        if (i == 3) {
            struct cache *retired = open_cache(8);
            word_poke(&retired->map.header->retired, 1);
            close_cache(retired);
        }
        const pid_t creator = start(creator_stops_child, (void *)(uintptr_t)points[i]);
        wait_stopped(creator);
        struct cache *cache = open_cache(8);
        const ino_t before = inode_of(segment_file());
        EXPECT_EQUAL(put(cache, key_of("b"), 1, 1000), CACHE_OK);
        kill(creator, SIGCONT);
        finish(creator);
        EXPECT(inode_of(segment_file()) == before);
        EXPECT(has(cache, key_of("b"), 1, 1000));
        EXPECT(has(cache, key_of("late"), 2, 1000)); /* the late creator has joined */
        expect_no_temporary_files();
        expect_nothing_left(cache);
        close_cache(cache);
        EXPECT(unlink(segment_file()) == 0);
    }
}

/* A process is stopped while it removes a damaged segment. Others wait for some milliseconds, and then do it
 * themselves. When the process goes on, it finds another segment and leaves that in place. */
static void replacer_stops(void) {
    static const char *const points[] = {"segment_looked_at", "segment_moved_aside", "segment_retired"};
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        make_segment();
        write_at(offsetof(struct header_shared, seed), "damage!", 7);
        const pid_t creator = start(creator_stops_child, (void *)(uintptr_t)points[i]);
        wait_stopped(creator);
        const uint64_t begun = nanoseconds();
        struct cache *cache = open_cache(8);
        EXPECT(nanoseconds() - begun < UINT64_C(1000) * 1000 * 1000);
        EXPECT_EQUAL(put(cache, key_of("b"), 1, 1000), CACHE_OK);
        kill(creator, SIGCONT);
        finish(creator);
        EXPECT(!word_load(&cache->map.header->retired));
        EXPECT(has(cache, key_of("b"), 1, 1000));
        EXPECT(has(cache, key_of("late"), 2, 1000));
        close_cache(cache);
        EXPECT(unlink(segment_file()) == 0);
    }
}

static void creator_dies_child(void *argument) {
    at_failpoint(argument, 1, die_here);
    open_cache(8);
}
static void creator_dies(void) {
    static const char *const points[] = {"segment_temporary_made", "segment_filled", "segment_renamed",
                                         "record_incarnation_raised", "record_copying_cleared"};
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        finish_killed(start(creator_dies_child, (void *)(uintptr_t)points[i]));
        struct cache *cache = open_cache(8);
        expect_no_temporary_files();
        EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
        expect_nothing_left(cache);
        close_cache(cache);
        EXPECT(unlink(segment_file()) == 0);
    }
}

static void retirer_dies(void) {
    const ino_t before = make_segment();
    write_at(offsetof(struct header_shared, seed), "damage!", 7);
    finish_killed(start(creator_dies_child, "segment_retired"));
    expect_replaced(before);
}

/* Many processes at a cold start: exactly one segment is created, and no process is refused. */
static void cold_start_child(void *argument) {
    await(0, 1);
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX];
    struct cache *cache = cache_attach(&options, reason);
    if (!cache) {
        harness_fail(__FILE__, __LINE__, "attach: %s", reason);
    }
    int64_t result;
    const struct cache_key key = key_of("count");
    EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
}
static void cold_start(void) {
    enum { PROCESSES = 24 };
    pid_t children[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = start(cold_start_child, NULL);
    }
    reached(0, 1);
    finish_all(children, PROCESSES);
    struct cache *cache = open_cache(8);
    int64_t result;
    const struct cache_key key = key_of("count");
    EXPECT_EQUAL(cache_count(cache, &key, 0, 0, &result), CACHE_OK);
    EXPECT_EQUAL(result, PROCESSES);
}

static const struct test tests[] = {
    {"an intact segment is used again", whole_segments},
    {"a damaged header gives a fresh segment", damaged_headers},
    {"a file of another length gives a fresh segment", other_lengths},
    {"a retired segment gives a fresh one", retired},
    {"a segment with other settings is joined and reported, not replaced", other_settings},
    {"a segment is replaced on command, and attached processes follow", resized},
    {"a new segment lies at another address than the one it replaces", another_address},
    {"a removed file is noticed at a request's beginning within a second", removed_by_others},
    {"a replaced file is noticed at a request's beginning", replaced_by_others},
    {"a process without request ends notices a replacement and keeps its values", long_lived_notices},
    {"a stopped creator is in nobody's way", creator_stops},
    {"a stopped replacer is in nobody's way", replacer_stops},
    {"a creator that dies at any point leaves nothing behind", creator_dies},
    {"a replacer that dies leaves nothing behind", retirer_dies},
    {"24 processes at a cold start share one segment", cold_start},
    {0},
};
const struct suite suite_replacement = {.name = "replacement", .tests = tests};
