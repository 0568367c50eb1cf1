/*
 * Every call of the C library and the system that can fail is made to fail, one after the other: once, and from then
 * on forever. Then there is no cache, or a smaller one. Nothing crashes, and no memory or descriptor is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fixture.h"
#include "proof.h"
#include "suites.h"

static long until_failure; /* calls that still succeed; 0: not counting */
static long calls;
static bool forever;
static const char *failed; /* the function that failed last */

/* A function that always fails, as under a filter of system calls, and its error. */
static const char *refused;
static int refused_error;

static bool shall_fail(const char *name, int error) {
    if (refused && strcmp(refused, name) == 0) {
        errno = refused_error;
        return true;
    }
    if (until_failure == 0) {
        return false;
    }
    calls++;
    if (calls == until_failure || (forever && calls > until_failure)) {
        errno = error;
        return true;
    }
    return false;
}

/* The linker replaces each function by its __wrap_ (Makefile: FAILING). */
#define FAILING(type, name, parameters, arguments, error, failure)                             \
    type __real_##name parameters;                                                             \
    type __wrap_##name parameters;                                                             \
    type __wrap_##name parameters {                                                            \
        return shall_fail(#name, error) ? (failed = #name, failure) : __real_##name arguments; \
    }

FAILING(void *, calloc, (size_t count, size_t size), (count, size), ENOMEM, NULL)
FAILING(void *, realloc, (void *old, size_t size), (old, size), ENOMEM, NULL)
FAILING(char *, strdup, (const char *text), (text), ENOMEM, NULL)
FAILING(void *, mmap, (void *at, size_t size, int protection, int flags, int file, off_t offset),
        (at, size, protection, flags, file, offset), ENOMEM, MAP_FAILED)
FAILING(int, madvise, (void *at, size_t size, int advice), (at, size, advice), EINVAL, -1)
FAILING(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), EMFILE, -1)
FAILING(int, openat, (int folder, const char *path, int flags, mode_t mode), (folder, path, flags, mode), EMFILE,
        -1)
FAILING(int, fcntl, (int file, int command, void *argument), (file, command, argument), ENOLCK, -1)
FAILING(int, fstat, (int file, struct stat *status), (file, status), EIO, -1)
FAILING(int, lstat, (const char *path, struct stat *status), (path, status), EIO, -1)
FAILING(int, fstatvfs, (int file, struct statvfs *status), (file, status), EIO, -1)
FAILING(int, posix_fallocate, (int file, off_t offset, off_t length), (file, offset, length), ENOSPC, ENOSPC)
FAILING(ssize_t, pread, (int file, void *bytes, size_t length, off_t offset), (file, bytes, length, offset), EIO,
        -1)
FAILING(ssize_t, pwrite, (int file, const void *bytes, size_t length, off_t offset), (file, bytes, length, offset),
        EIO, -1)
FAILING(int, fallocate, (int file, int mode, off_t offset, off_t length), (file, mode, offset, length), EOPNOTSUPP,
        -1)
FAILING(int, ftruncate, (int file, off_t length), (file, length), EIO, -1)
FAILING(int, os_rename_new, (int directory, const char *from, const char *to), (directory, from, to), EIO, EIO)
FAILING(int, mkdir, (const char *path, mode_t mode), (path, mode), EIO, -1)
FAILING(int, fchmod, (int file, mode_t mode), (file, mode), EIO, -1)
FAILING(ssize_t, getrandom, (void *bytes, size_t length, unsigned flags), (bytes, length, flags), ENOSYS, -1)

/* ---- The calls that are tried ---- */

static void use(struct cache *cache) {
    const struct cache_key key = key_of("a"), number = key_of("n");
    struct cache_value value;
    int64_t result;
    put(cache, key, 1, 1000);
    put(cache, key_of("long"), 2, 200 * KIB);
    cache_find(cache, &key, true, &value);
    const struct cache_key long_key = key_of("long");
    if (cache_find(cache, &long_key, false, &value)) {
        EXPECT(is_pattern(value.bytes, value.length, 2));
    }
    cache_count(cache, &number, 1, 0, &result);
    cache_touch(cache, &key, 0);
    struct cache_walk *walk = cache_walk_begin("", 0);
    struct cache_entry entry;
    while (walk && cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        EXPECT(entry.key_length > 0);
    }
    if (walk) {
        cache_walk_end(walk);
    }
    info_of(cache);
    cache_release(cache);
}

/* Creates, uses, forks, loses the segment, attaches again. */
static void everything(void) {
    const struct cache_options options = options_of(8);
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    if (!cache) {
        if (!*reason) {
            harness_fail(__FILE__, __LINE__, "no reason is given when %s fails as call %ld", failed,
                         until_failure);
        }
        return;
    }
    use(cache);
    cache->identity->record = NULL; /* as a fork leaves it */
    use(cache);
    cache_request_end(cache, false);
    const long kept = until_failure;
    until_failure = 0;
    unlink(segment_file());
    until_failure = kept;
    cache->looked_at = 0;
    if (cache_request_begin(cache)) {
        use(cache);
    }
    cache_detach(cache);
}

static unsigned descriptors(void) {
    unsigned open_ones = 0;
    for (int i = 0; i < 100; i++) {
        open_ones += __real_fcntl(i, F_GETFD, NULL) >= 0;
    }
    return open_ones;
}

/* A release scans the memory of the process, and AddressSanitizer's own memory is large: its short run tries a
 * fifth. */
static long step(void) {
#ifdef __SANITIZE_ADDRESS__
    return proof_is_long() ? 1 : 5;
#else
    return 1;
#endif
}

static void nth_call_fails(long ever) {
    const unsigned before = descriptors();
    forever = ever;
    long n = 1 + ever * step() / 2; /* other calls than those that fail once */
    for (bool happened = true; happened; n += step()) {
        unlink(segment_file());
        calls = 0;
        until_failure = n;
        everything();
        until_failure = 0;
        happened = calls >= n;
        if (descriptors() != before) {
            harness_fail(__FILE__, __LINE__, "a descriptor is lost when %s fails", failed);
        }
    }
    EXPECT(n > 40);
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    expect_nothing_left(cache);
    expect_no_temporary_files();
}

static void expect_named(const char *name, int error, const char *word) {
    const struct cache_options options = options_of(8);
    refused = name;
    refused_error = error;
    expect_refused(&options, word);
    refused = NULL;
}
static void refused_calls_are_named(void) {
    close_cache(open_cache(8));
    expect_named("madvise", EPERM, "MADV_WIPEONFORK");
    expect_named("madvise", EINVAL, "MADV_WIPEONFORK");
    expect_named("fcntl", EINVAL, "F_OFD_SETLK");
    expect_named("fcntl", EPERM, "F_OFD_SETLK");
    expect_named("mmap", ENOMEM, "memory");
}

static const struct test tests[] = {
    {"what the system refuses is named", refused_calls_are_named},
    {"each system call that can fail fails once", .run_with = nth_call_fails, .argument = false},
    {"each system call that can fail fails, and all later ones", .run_with = nth_call_fails, .argument = true},
    {0},
};
const struct suite suite_failures = {.name = "failures", .tests = tests, .seconds = 600};
