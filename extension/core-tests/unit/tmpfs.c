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

/* In a mount name space of its own, so that nothing stays mounted. */
static void mount_tmpfs(const char *size) {
    char option[32];
    snprintf(option, sizeof option, "size=%s", size);
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", test_folder, "tmpfs", 0, option) != 0) {
        harness_skip("mounting a tmpfs needs root");
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

/* What the defaults meet in a container. */
static void default_container(void) {
    mount_tmpfs("64m");
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(64, reason);
    EXPECT(info_of(cache).size > 56 * MIB);
    for (unsigned i = 0; i < 20000; i++) {
        EXPECT_EQUAL(put(cache, key_of("%u", i), i, 8000), CACHE_OK);
    }
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
    /* The next process with the same settings uses it as it is. */
    cache = open_smaller(64, reason);
    EXPECT(has(cache, key_of("a"), 1, 1000));
    EXPECT_EQUAL(info_of(cache).size, size);
    expect_nothing_left(cache);
}

static void too_little(void) {
    mount_tmpfs("8m");
    const struct cache_options options = options_of(64);
    char reason[CACHE_REASON_MAX] = "";
    EXPECT(!cache_attach(&options, reason));
    EXPECT(strstr(reason, "larder.path"));
    EXPECT(access(segment_file(), F_OK) != 0);
}

/* Every page of a full tmpfs can be written: its memory was taken at the beginning. */
static void no_fault_when_full(void) {
    mount_tmpfs("16m");
    char reason[CACHE_REASON_MAX], path[128];
    struct cache *cache = open_smaller(10, reason);
    snprintf(path, sizeof path, "%s/filler", test_folder);
    const int filler = open(path, O_RDWR | O_CREAT, 0600);
    static char block[65536];
    memset(block, 1, sizeof block);
    while (write(filler, block, sizeof block) > 0) {
    }
    churn(cache, 3);
    expect_nothing_left(cache);
}

/* An upgrade of PHP leaves a segment of another layout behind; it goes when its room is needed. */
static void outdated_goes(void) {
    mount_tmpfs("20m");
    struct cache_options options = options_of(16);
    options.value_layout = 99;
    close_cache(open_with(&options));
    struct cache *cache = open_cache(16);
    EXPECT_EQUAL(info_of(cache).size, 16 * MIB);
    char path[300];
    snprintf(path, sizeof path, "%s/larder-%u/test-%016llx", test_folder, (unsigned)geteuid(),
             (unsigned long long)geometry_layout(99));
    EXPECT(access(path, F_OK) != 0);
}

static void outdated_in_use_stays(void) {
    mount_tmpfs("20m");
    struct cache_options options = options_of(10);
    options.value_layout = 99;
    struct cache *old = open_with(&options);
    EXPECT_EQUAL(put(old, key_of("a"), 1, 1000), CACHE_OK);
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(16, reason);
    EXPECT(info_of(cache).size < 10 * MIB);
    EXPECT(has(old, key_of("a"), 1, 1000));
    EXPECT(cache_request_begin(old));
}

/* Other names and other files are nobody's business. */
static void strangers_stay(void) {
    mount_tmpfs("20m");
    struct cache_options options = options_of(10);
    options.segment = "test-of-another";
    close_cache(open_with(&options));
    char reason[CACHE_REASON_MAX];
    struct cache *cache = open_smaller(16, reason);
    EXPECT(info_of(cache).size < 10 * MIB);
    char path[300];
    snprintf(path, sizeof path, "%s/larder-%u/test-of-another-%016llx", test_folder, (unsigned)geteuid(),
             (unsigned long long)geometry_layout(1));
    EXPECT(access(path, F_OK) == 0);
}

static const struct test tests[] = {
    {"the default size works on a tmpfs of 64 MiB", default_container},
    {"a small tmpfs gives what is free, and a reason", takes_what_is_free},
    {"less than 8 MiB free is refused and leaves no file", too_little},
    {"a tmpfs that others fill does no harm", no_fault_when_full},
    {"a segment of another layout goes when its room is needed", outdated_goes},
    {"one that is in use stays", outdated_in_use_stays},
    {"segments of other names stay", strangers_stay},
    {0},
};
const struct suite suite_tmpfs = {.name = "tmpfs", .tests = tests};
