/* Files that are accepted as a segment, and files that are refused with a reason. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "os.h"
#include "suites.h"

static struct stat status_of(const char *path) {
    struct stat status;
    EXPECT(lstat(path, &status) == 0);
    return status;
}

static void expect_refused_file(const char *word) {
    const struct cache_options options = options_of(8);
    expect_refused(&options, word);
}

/* Leaves an intact segment behind. */
static void make_segment(void) {
    close_cache(open_cache(8));
}

static void private_modes(void) {
    static const mode_t masks[] = {0, 022, 077, 0777};
    for (unsigned i = 0; i < 4; i++) {
        umask(masks[i]);
        struct cache *cache = open_cache(8);
        EXPECT_EQUAL(status_of(segment_folder()).st_mode & 07777, 0700);
        EXPECT_EQUAL(status_of(segment_file()).st_mode & 07777, 0600);
        close_cache(cache);
        EXPECT(unlink(segment_file()) == 0);
    }
}

static void shared_between_processes_child(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT(has(cache, key_of("from the parent"), 1, 1000));
    EXPECT_EQUAL(put(cache, key_of("from the child"), 2, 1000), CACHE_OK);
}
static void shared_between_processes(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("from the parent"), 1, 1000), CACHE_OK);
    close_cache(cache);
    finish(start(shared_between_processes_child, NULL));
    cache = open_cache(8);
    EXPECT(has(cache, key_of("from the child"), 2, 1000));
    expect_nothing_left(cache);
}

static void symlinks(void) {
    make_segment();
    char other[256];
    snprintf(other, sizeof other, "%s/elsewhere", test_folder);
    EXPECT(rename(segment_file(), other) == 0);
    EXPECT(symlink(other, segment_file()) == 0);
    expect_refused_file("remove it");
    EXPECT(S_ISLNK(status_of(segment_file()).st_mode));
}

static void dangling_symlink(void) {
    make_segment();
    char other[256];
    snprintf(other, sizeof other, "%s/nowhere", test_folder);
    EXPECT(unlink(segment_file()) == 0);
    EXPECT(symlink(other, segment_file()) == 0);
    expect_refused_file("remove it");
    EXPECT(access(other, F_OK) != 0);
}

static void hard_links(void) {
    make_segment();
    char other[256];
    snprintf(other, sizeof other, "%s/twin", test_folder);
    EXPECT(link(segment_file(), other) == 0);
    expect_refused_file("one link");
}

static void fifos(void) {
    make_segment();
    EXPECT(unlink(segment_file()) == 0);
    EXPECT(mkfifo(segment_file(), 0600) == 0);
    expect_refused_file("remove it");
}

static void directories(void) {
    make_segment();
    EXPECT(unlink(segment_file()) == 0);
    EXPECT(mkdir(segment_file(), 0700) == 0);
    expect_refused_file("remove it");
}

static void open_modes(void) {
    static const mode_t modes[] = {0644, 0620, 0601, 0660};
    make_segment();
    for (unsigned i = 0; i < 4; i++) {
        EXPECT(chmod(segment_file(), modes[i]) == 0);
        expect_refused_file("mode 0600");
    }
    EXPECT(chmod(segment_file(), 0600) == 0);
    make_segment();
}

static void foreign_files(void) {
    if (geteuid() != 0) {
        harness_skip("only root can give files away");
    }
    make_segment();
    EXPECT(chown(segment_file(), 12345, (gid_t)-1) == 0);
    expect_refused_file("private file");
}

static void folder_kinds(void) {
    make_segment();
    EXPECT(chmod(segment_folder(), 0755) == 0);
    expect_refused_file("chmod 700");
    EXPECT(chmod(segment_folder(), 0700) == 0);
    char other[256];
    snprintf(other, sizeof other, "%s/elsewhere", test_folder);
    EXPECT(rename(segment_folder(), other) == 0);
    EXPECT(symlink(other, segment_folder()) == 0);
    expect_refused_file("remove it");
    EXPECT(unlink(segment_folder()) == 0);
    EXPECT(mkfifo(segment_folder(), 0700) == 0);
    expect_refused_file("remove it");
}

static void foreign_folder(void) {
    if (geteuid() != 0) {
        harness_skip("only root can give files away");
    }
    make_segment();
    EXPECT(chown(segment_folder(), 12345, (gid_t)-1) == 0);
    expect_refused_file("belongs to user 12345");
}

/* The child of an exec has no descriptors of the segment, and no descriptor is lost. */
static unsigned descriptors(void) {
    unsigned open_ones = 0;
    for (int i = 0; i < 256; i++) {
        open_ones += fcntl(i, F_GETFD) >= 0;
        EXPECT(i < 3 || fcntl(i, F_GETFD) < 0 || (fcntl(i, F_GETFD) & FD_CLOEXEC));
    }
    return open_ones;
}
static void no_descriptor_is_lost(void) {
    for (int i = 3; i < 256; i++) {
        close(i);
    }
    const unsigned before = descriptors();
    for (unsigned i = 0; i < 5; i++) {
        struct cache *cache = open_cache(8);
        EXPECT_EQUAL(descriptors(), before + 1);
        close_cache(cache);
        EXPECT_EQUAL(descriptors(), before);
        EXPECT(unlink(segment_file()) == 0);
    }
    EXPECT(mkfifo(segment_file(), 0600) == 0);
    expect_refused_file("remove it");
    EXPECT_EQUAL(descriptors(), before);
}

static void without_descriptors(void) {
    make_segment();
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    int used = open("/dev/null", O_RDONLY);
    for (int i = 0; i < 5; i++) {
        limit.rlim_cur = (rlim_t)(used + i);
        EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        const struct cache_options options = options_of(8);
        char reason[CACHE_REASON_MAX] = "";
        struct cache *cache = cache_attach(&options, reason);
        EXPECT(cache || strstr(reason, "raise ulimit -n"));
        if (cache) {
            close_cache(cache);
        }
    }
    limit.rlim_cur = 256;
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    make_segment();
}

/* The read-only mapping cannot be written to, nor made writable. */
static void read_only_child(void *argument) {
    *(char *)(uintptr_t)((struct cache_value *)argument)->bytes = 'x';
}
static void read_only_view(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    struct cache_value value = pinned(cache, key_of("a"));
    char *page = (char *)((uintptr_t)value.bytes & ~(uintptr_t)4095);
    EXPECT(mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0);
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(freopen("/dev/null", "w", stderr));
        read_only_child(&value);
        _exit(0);
    }
    EXPECT(was_killed_by_fault(child));
    EXPECT(is_pattern(value.bytes, value.length, 1));
}

static void address_taken(void) {
    struct cache *cache = open_cache(8);
    EXPECT(info_of(cache).fixed);
    const uintptr_t address = info_of(cache).address;
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    close_cache(cache);
    EXPECT(mmap((void *)address, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
           (void *)address);
    cache = open_cache(8);
    EXPECT(!info_of(cache).fixed);
    EXPECT(info_of(cache).address != address);
    struct cache_value value;
    const struct cache_key key = key_of("a");
    EXPECT(cache_find(cache, &key, true, &value));
    EXPECT_EQUAL(value.hold, CACHE_COPIED);
    EXPECT(value.base >= address && value.base < address + 8 * MIB);
    EXPECT(is_pattern(value.bytes, value.length, 1));
    /* Pointers written by this process assume the common address. */
    struct cache_span span;
    EXPECT_EQUAL(cache_reserve(cache, &key, 64, CACHE_SET, &span), CACHE_OK);
    EXPECT(span.base >= address && span.base < address + 8 * MIB);
    fill_pattern(span.bytes, 64, 2);
    EXPECT_EQUAL(cache_commit(cache, &key, KIND, 0, CACHE_SET, NULL), CACHE_OK);
    EXPECT(has(cache, key, 2, 64));
    churn(cache, 2);
    expect_nothing_left(cache);
}

static void views_are_known(void) {
    struct cache *cache = open_cache(8);
    const char *readonly = cache->map.readonly, *end = readonly + cache->map.header->size;
    EXPECT(cache_is_mapped(readonly) && cache_is_mapped(end - 1));
    EXPECT(!cache_is_mapped(readonly - 1) && !cache_is_mapped(end) && !cache_is_mapped(cache->map.writable) &&
           !cache_is_mapped(NULL));
    close_cache(cache);
    EXPECT(!cache_is_mapped(readonly));
}

static const struct test tests[] = {
    {"files are private whatever the umask is", private_modes},
    {"processes share one cache, one after the other", shared_between_processes},
    {"a symbolic link is refused", symlinks},
    {"a symbolic link to nothing is refused and creates nothing", dangling_symlink},
    {"a file with two links is refused", hard_links},
    {"a fifo is refused without waiting", fifos},
    {"a folder in the place of the file is refused", directories},
    {"a file open to other users is refused", open_modes},
    {"a file of another user is refused", foreign_files},
    {"a folder open to others, a link or a file in its place is refused", folder_kinds},
    {"a folder of another user is refused", foreign_folder},
    {"no descriptor is lost or inherited by exec", no_descriptor_is_lost},
    {"without descriptors attaching fails with a reason", without_descriptors},
    {"the read-only mapping cannot be written to or made writable", read_only_view},
    {"cache_is_mapped() knows the addresses of read-only mappings", views_are_known},
    {"where the address is taken, values are copied", address_taken},
    {0},
};
const struct suite suite_attach = {.name = "attach", .tests = tests};
