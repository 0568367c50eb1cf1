/* When a segment is made anew, and how those who are attached notice. */
#include <fcntl.h>
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

/* A segment with a value, which nobody is attached to. */
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
        offsetof(struct header_shared, boot_id),      offsetof(struct header_shared, size),
        offsetof(struct header_shared, page_count),   offsetof(struct header_shared, bucket_count),
        offsetof(struct header_shared, record_count), offsetof(struct header_shared, view),
        offsetof(struct header_shared, seed),         offsetof(struct header_shared, checksum)};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        const ino_t before = make_segment();
        write_at((off_t)places[i], "damage!", 7);
        expect_replaced(before);
    }
}

static void other_boot(void) {
    const ino_t before = make_segment();
    struct header_shared header;
    const int file = open(segment_file(), O_RDWR);
    EXPECT(pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header);
    close(file);
    EXPECT(strlen(header.boot_id) == 36 || strlen(header.boot_id) == 37);
    header.boot_id[0] = header.boot_id[0] == 'a' ? 'b' : 'a';
    geometry_sign(&header);
    write_at(0, &header, sizeof header);
    expect_replaced(before);
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

static void size_when_unattached(void) {
    const ino_t before = make_segment();
    struct cache *cache = open_cache(9);
    EXPECT(inode_of(segment_file()) != before);
    EXPECT_EQUAL(info_of(cache).size, 9 * MIB);
    EXPECT(!is_there(cache, key_of("a")));
    EXPECT(info_of(cache).view != 0);
    close_cache(cache);
}

static void size_when_attached_child(void *argument) {
    (void)argument;
    const struct cache_options options = options_of(9);
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache);
    EXPECT(strstr(reason, "larder.size"));
    EXPECT_EQUAL(info_of(cache).size, 8 * MIB);
    EXPECT_EQUAL(info_of(cache).size_asked, 9 * MIB);
    EXPECT(has(cache, key_of("a"), 1, 1000));
}
static void size_when_attached(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    const ino_t before = inode_of(segment_file());
    finish(start(size_when_attached_child, NULL));
    EXPECT_EQUAL(inode_of(segment_file()), before);
    close_cache(cache);
    cache = open_cache(9);
    EXPECT_EQUAL(info_of(cache).size, 9 * MIB);
}

/* The new segment lies elsewhere, so that processes which keep the old view can map it. */
static void another_address(void) {
    for (unsigned i = 0; i < 20; i++) {
        struct cache *cache = open_cache(8 + i % 2);
        const uintptr_t before = info_of(cache).view;
        close_cache(cache);
        cache = open_cache(9 - i % 2);
        EXPECT(info_of(cache).view != before);
        close_cache(cache);
    }
}

/* ---- Noticed by those who are attached ---- */

/* What another process stored into the segment that the path names. */
static void put_elsewhere_child(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("%s", (const char *)argument), 3, 1000), CACHE_OK);
}

static void removed_by_others(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    EXPECT(unlink(segment_file()) == 0);
    EXPECT(cache_request_begin(cache));
    EXPECT(has(cache, key_of("a"), 1, 1000)); /* looked at once a second at most */
    cache_request_end(cache, false);
    sleep_ms(1100);
    EXPECT(cache_request_begin(cache));
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
    struct cache_options options = options_of(8);
    options.long_lived = true;
    struct cache *cache = open_with(&options);
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
    EXPECT(is_pattern(held.bytes, held.length, 1)); /* of the old view, which stays */
    expect_sound(cache);
}

/* ---- The creation lock ---- */

static int hold_creation_lock(void) {
    char path[300];
    snprintf(path, sizeof path, "%s.lock", segment_file());
    const int lock = open(path, O_RDWR);
    EXPECT(lock >= 0);
    EXPECT(os_lock(lock, 0, 1));
    return lock;
}

static void locked_by_another(void) {
    make_segment();
    EXPECT(unlink(segment_file()) == 0);
    const int lock = hold_creation_lock();
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX] = "";
    const uint64_t begun = nanoseconds();
    EXPECT(!cache_attach(&options, reason));
    EXPECT(nanoseconds() - begun < 100 * 1000 * 1000);
    EXPECT(strstr(reason, "another process"));
    EXPECT(access(segment_file(), F_OK) != 0);
    close(lock);
    make_segment();
}

/* Who uses a whole segment needs no creation lock. */
static void locked_but_whole(void) {
    const ino_t before = make_segment();
    hold_creation_lock();
    expect_kept(before);
}

static void creator_dies_child(void *argument) {
    at_point(argument, 1, die_here);
    open_cache(8);
}
static void creator_dies(void) {
    static const char *const points[] = {"segment_temporary_made", "segment_filled", "segment_renamed",
                                         "record_incarnation_raised", "record_copying_cleared"};
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        finish_killed(start(creator_dies_child, (void *)(uintptr_t)points[i]));
        struct cache *cache = open_cache(8);
        char pattern[300];
        snprintf(pattern, sizeof pattern, "%s.new.", segment_file());
        EXPECT_EQUAL(count_files(pattern), 0);
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

/* Many at a cold start: exactly one segment comes out of it, and nobody waits for long. */
static void cold_start_child(void *argument) {
    (void)argument;
    await(0, 1);
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX];
    struct cache *cache = NULL;
    for (unsigned i = 0; i < 1000 && !cache; i++) {
        cache = cache_attach(&options, reason);
        if (!cache) {
            EXPECT(strstr(reason, "another process"));
            sleep_ms(2);
        }
    }
    EXPECT(cache);
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
    for (unsigned i = 0; i < PROCESSES; i++) {
        finish(children[i]);
    }
    struct cache *cache = open_cache(8);
    int64_t result;
    const struct cache_key key = key_of("count");
    EXPECT_EQUAL(cache_count(cache, &key, 0, 0, &result), CACHE_OK);
    EXPECT_EQUAL(result, PROCESSES);
}

static const struct test tests[] = {
    {"a whole segment is used again", whole_segments},
    {"a damaged header gives a fresh segment", damaged_headers},
    {"the segment of another boot gives a fresh one", other_boot},
    {"a file of another length gives a fresh segment", other_lengths},
    {"a retired segment gives a fresh one", retired},
    {"another size is obeyed when nobody is attached", size_when_unattached},
    {"another size is told, not obeyed, while somebody is attached", size_when_attached},
    {"a new segment lies at another address than the one it replaces", another_address},
    {"a removed file is noticed at a request's beginning within a second", removed_by_others},
    {"a replaced file is noticed at a request's beginning", replaced_by_others},
    {"a process without request ends notices too, and keeps what it holds", long_lived_notices},
    {"while another process creates there is no cache and no waiting", locked_by_another},
    {"attaching to a whole segment needs no creation lock", locked_but_whole},
    {"a creator that dies at any point leaves nothing behind", creator_dies},
    {"one that dies while it replaces leaves nothing behind", retirer_dies},
    {"24 processes at a cold start share one segment", cold_start},
    {0},
};
const struct suite suite_replacement = {.name = "replacement", .tests = tests};
