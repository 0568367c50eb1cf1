/* The options of cache_attach(), and its refusals. */
#include <string.h>

#include "fixture.h"
#include "suites.h"

/* Expects a refusal in one sentence with this word in it. */
static void sizes(void) {
    struct cache_options options = options_of(8);
    options.size = 8 * MIB - 1;
    expect_refused(&options, "larder.size");
    options.size = (UINT64_C(64) << 30) + 1;
    expect_refused(&options, "larder.size");
    options.size = 0;
    expect_refused(&options, "larder.size");
}

static void processes(void) {
    struct cache_options options = options_of(8);
    options.processes = 0;
    expect_refused(&options, "larder.processes");
    options.processes = 4096;
    expect_refused(&options, "larder.processes");
    options.processes = 4095;
    struct cache *cache = open_with(&options);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 100), CACHE_OK);
    expect_nothing_left(cache);
}

static void shares(void) {
    struct cache_options options = options_of(8);
    const double bad[] = {-0.1, 0.91, 2.0, __builtin_nan("")};
    for (unsigned i = 0; i < 4; i++) {
        options.pin_share = bad[i];
        expect_refused(&options, "larder.pin_share");
    }
}

static void names(void) {
    struct cache_options options = options_of(8);
    char long_name[66];
    memset(long_name, 'a', 65);
    long_name[65] = '\0';
    const char *const bad[] = {"", ".", "..", ".hidden", "a/b", "../up", "a b", "a\n", "\xc3\xa4", long_name};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.segment = bad[i];
        expect_refused(&options, "larder.segment");
    }
    long_name[64] = '\0';
    options.segment = long_name;
    close_cache(open_with(&options));
    options.segment = "A-z.0_9";
    close_cache(open_with(&options));
}

static void folders(void) {
    struct cache_options options = options_of(8);
    options.directory = "";
    expect_refused(&options, "larder.path");
    options.directory = "/dev/shm/there-is-no-such-folder";
    expect_refused(&options, "larder.path");
    char long_path[600];
    memset(long_path, 'a', 599);
    long_path[599] = '\0';
    options.directory = long_path;
    expect_refused(&options, "larder.path");
    options.directory = "/proc/version";
    expect_refused(&options, "larder.path");
}

/* Large segments are used only sparsely: a GiB is taken at once. */
static void real_sizes(void) {
    static const size_t mebibytes[] = {8, 9, 13, 100, 1024};
    for (unsigned i = 0; i < sizeof mebibytes / sizeof *mebibytes; i++) {
        struct cache_options options = options_of(mebibytes[i]);
        char name[16] = {(char)('a' + i), '\0'};
        options.segment = name;
        struct cache *cache = open_with(&options);
        EXPECT_EQUAL(info_of(cache).size, mebibytes[i] * MIB);
        EXPECT_EQUAL(put(cache, key_of("k"), 7, cache_value_max(cache)), CACHE_OK);
        EXPECT(has(cache, key_of("k"), 7, cache_value_max(cache)));
        expect_nothing_left(cache);
        close_cache(cache);
    }
}

static const struct test tests[] = {
    {"a size below 8 MiB or above 64 GiB is refused", sizes},
    {"processes below 1 or above 4095 are refused", processes},
    {"a pin share outside 0 to 0.9 is refused", shares},
    {"a segment's name cannot leave its folder", names},
    {"a path that is no folder is refused", folders},
    {"sizes of 8 MiB to 1 GiB work", real_sizes},
    {0},
};
const struct suite suite_options = {.name = "options", .tests = tests};
