/* The environment of a process: limits, time namespaces, suspended machines, file systems. */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "suites.h"

/* ---- Time ---- */

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

enum { HOUR = 3600, DAY = 24 * HOUR };

static void in_namespace(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT(has(cache, key_of("an hour"), 1, 100));
    EXPECT(!is_there(cache, key_of("over")));
    EXPECT_EQUAL(put_as(cache, key_of("of the namespace"), 3, 100, cache_expiry(HOUR), CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key_of("over there"), 4, 100, cache_expiry(0.05), CACHE_SET), CACHE_OK);
}

/* Enters a time namespace by a fork. Core was not used before, as in a new program. */
static void enter_namespace(void *argument) {
    const char *const offsets = argument;
    if (unshare(CLONE_NEWTIME) != 0) {
        reached(1, 1);
        return;
    }
    const int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    EXPECT(file >= 0 && write(file, offsets, strlen(offsets)) == (ssize_t)strlen(offsets));
    close(file);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const pid_t child = fork();
    if (child == 0) {
        clock_gettime(CLOCK_MONOTONIC, &after);
        EXPECT(strncmp(offsets, "monotonic 86400", 15) != 0 || after.tv_sec - before.tv_sec >= DAY);
        in_namespace(NULL);
        _exit(0);
    }
    finish(child);
}

static void write_and_read(void *argument) {
    struct cache *cache = open_cache(8);
    if (argument) {
        EXPECT_EQUAL(put_as(cache, key_of("an hour"), 1, 100, cache_expiry(HOUR), CACHE_SET), CACHE_OK);
        EXPECT_EQUAL(put_as(cache, key_of("over"), 2, 100, cache_expiry(0.02), CACHE_SET), CACHE_OK);
        sleep_ms(30);
    } else {
        sleep_ms(60);
        EXPECT(has(cache, key_of("an hour"), 1, 100));
        EXPECT(has(cache, key_of("of the namespace"), 3, 100));
        EXPECT(!is_there(cache, key_of("over there")));
    }
}

static void time_namespaces(void) {
    static char *const offsets[] = {"monotonic 86400 0\nboottime 86400 0\n", "monotonic 86400 500000000\n",
                                    "boottime 86400 0\n", "monotonic -1 0\nboottime -1 0\n"};
    static char yes[] = "yes";
    for (unsigned i = 0; i < 4; i++) {
        finish(start(write_and_read, yes));
        finish(start(enter_namespace, offsets[i]));
        if (atomic_load(&board->number[1])) {
            harness_skip("this process may not make a time namespace");
        }
        finish(start(write_and_read, NULL));
    }
}

/* Replaces the C library's function (see the Makefile): a machine that was suspended. */
static long suspended; /* seconds */
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    const int result = __real_clock_gettime(clock, time);
    time->tv_sec += clock == CLOCK_BOOTTIME ? suspended : 0;
    return result;
}

static void suspension(long long_lived) {
    struct cache_options options = options_of(8);
    options.long_lived = long_lived;
    struct cache *cache = open_with(&options);
    EXPECT_EQUAL(put_as(cache, key_of("an hour"), 1, 100, cache_expiry(HOUR), CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(put_as(cache, key_of("a day"), 2, 100, cache_expiry(DAY), CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(put(cache, key_of("forever"), 3, 100), CACHE_OK);
    cache_request_end(cache, false);
    suspended = 2 * HOUR;
    if (long_lived) {
        sleep_ms(1050);
        for (unsigned i = 0; i < 20; i++) {
            is_there(cache, key_of("anything"));
        }
    } else {
        EXPECT(cache_request_begin(cache));
    }
    EXPECT(!is_there(cache, key_of("an hour")));
    EXPECT(has(cache, key_of("a day"), 2, 100));
    EXPECT(has(cache, key_of("forever"), 3, 100));
    expect_nothing_left(cache);
}

/* ---- Files ---- */

static void limit_files(rlim_t bytes) {
    const struct rlimit limit = {bytes, bytes};
    EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void limited(void *argument) {
    const struct cache_options options = options_of(8);
    limit_files(*(rlim_t *)argument);
    expect_refused(&options, "ulimit -f");
    EXPECT_EQUAL(count_files(segment_file()), 0);
}
static void attach_limited(void *argument) {
    limit_files(*(rlim_t *)argument);
    struct cache *cache = open_cache(8);
    EXPECT(has(cache, key_of("a"), 1, 1000));
    churn(cache, 2);
}
static void file_size_limits(void) {
    static rlim_t limits[] = {0, 4096, 8 * MIB - 1};
    for (unsigned i = 0; i < 3; i++) {
        finish(start(limited, &limits[i]));
    }
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
        finish(start(attach_limited, &limits[i]));
    }
}

/* A segment of another size is not created either, and the present one stays. */
static void resize_limited(void *argument) {
    struct cache_options options = options_of(16);
    options.replaces = true;
    limit_files((rlim_t)(uintptr_t)argument);
    expect_refused(&options, "ulimit");
}
static void resize_needs_room(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    struct stat before, now;
    EXPECT(stat(segment_file(), &before) == 0);
    finish(start(resize_limited, (void *)(12 * (uintptr_t)MIB)));
    finish(start(resize_limited, (void *)0));
    EXPECT(stat(segment_file(), &now) == 0 && now.st_ino == before.st_ino);
    EXPECT(has(cache, key_of("a"), 1, 1000));
    EXPECT(cache_request_begin(cache));
    EXPECT(has(cache, key_of("a"), 1, 1000));
    expect_no_temporary_files();
    close_cache(cache);
    cache = open_cache(8);
    EXPECT(has(cache, key_of("a"), 1, 1000));
    /* A damaged segment is removed; that must not kill a process that may write no file. */
    static rlim_t none;
    close_cache(cache);
    EXPECT(truncate(segment_file(), 8 * MIB - 4096) == 0);
    finish(start(limited, &none));
}

static void on_a_disk(void) {
    struct cache_options options = options_of(8);
    static char path[] = "/var/tmp/larder-core.XXXXXX";
    EXPECT(mkdtemp(path));
    struct statfs system;
    EXPECT(statfs(path, &system) == 0);
    const bool in_memory = system.f_type == 0x01021994; /* TMPFS_MAGIC */
    options.directory = path;
    if (!in_memory) {
        expect_refused(&options, "is not in memory");
    }
    EXPECT(rmdir(path) == 0); /* nothing was created there */
    if (in_memory) {
        harness_skip("/var/tmp is in memory here");
    }
}

/* A daemon that has closed some or all of its input and output. Its output goes to the file that is opened next. */
static void without_output(void *argument) {
    const unsigned closed = (unsigned)(uintptr_t)argument;
    for (int fd = 0; fd <= 2; fd++) {
        if (closed >> fd & 1) {
            close(fd);
        }
    }
    struct cache *cache = open_cache(8);
    long owner;
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 100), CACHE_OK);
    EXPECT_EQUAL(cache_lock(cache, &(struct cache_key){"a", 1, 1}, 1, NULL, &owner), CACHE_OK);
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(has(cache, key_of("a"), 1, 100));
    }
    for (int fd = 0; fd <= 2; fd++) {
        EXPECT(!(closed >> fd & 1) || fcntl(fd, F_GETFD) == -1);
    }
    if (child == 0) {
        _exit(0);
    }
    finish(child);
    EXPECT(has(cache, key_of("a"), 1, 100));
}

static void closed_output(void) {
    for (unsigned closed = 1; closed < 8; closed++) {
        finish(start(without_output, (void *)(uintptr_t)closed)); /* joins; the first one creates */
        if (closed % 2) {
            EXPECT(unlink(segment_file()) == 0);
        }
    }
}

static const struct test tests[] = {
    {"a time namespace changes no expiry", time_namespaces},
    {"suspended time counts from the next request on", .run_with = suspension, .argument = false},
    {"suspended time counts within a second in a process without request ends", .run_with = suspension,
     .argument = true},
    {"a limit of file sizes is reported and kills no process", file_size_limits},
    {"a segment stays if the process that resizes it cannot make another", resize_needs_room},
    {"a folder on a disk is refused", on_a_disk},
    {"a process that has closed its output prints into no segment", closed_output},
    {0},
};
const struct suite suite_environment = {.name = "environment", .tests = tests, .seconds = 120};
