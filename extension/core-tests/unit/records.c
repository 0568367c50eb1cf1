/* Process records: claiming, releasing, sweeping. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "os.h"
#include "suites.h"

static struct cache_options few(unsigned processes) {
    struct cache_options options = options_of(8);
    options.processes = processes;
    return options;
}

static void stay(void *argument) {
    const struct cache_options options = few((unsigned)(uintptr_t)argument);
    struct cache *cache = open_with(&options);
    EXPECT_EQUAL(put(cache, key_of("%d", (int)getpid()), 1, 1000), CACHE_OK);
    pinned(cache, key_of("%d", (int)getpid()));
    const shared_word *pins = cache->identity->record->pins;
    const uint64_t mine = word_load(&pins[0]);
    EXPECT(mine != 0);
    atomic_fetch_add(&board->number[0], 1);
    await(1, 1);
    EXPECT_EQUAL(word_load(&pins[0]), mine);
}

static void exhaustion(void) {
    enum { LIMIT = 4 };
    pid_t children[LIMIT];
    for (unsigned i = 0; i < LIMIT; i++) {
        children[i] = start(stay, (void *)LIMIT);
        await(0, (long)i + 1);
    }
    const struct cache_options options = few(LIMIT);
    expect_refused(&options, "larder.processes");
    kill_and_wait(children[2]);
    struct cache *cache = open_with(&options);
    EXPECT_EQUAL(info_of(cache).record, 2);
    EXPECT_EQUAL(info_of(cache).processes, LIMIT);
    reached(1, 1);
    for (unsigned i = 0; i < LIMIT; i++) {
        if (i != 2) {
            finish(children[i]);
        }
    }
    EXPECT_EQUAL(info_of(cache).processes, 1);
    expect_nothing_left(cache);
}

static void given_back(void) {
    const struct cache_options options = few(2);
    for (unsigned i = 0; i < 100; i++) {
        struct cache *cache = open_with(&options);
        EXPECT(info_of(cache).record < 2);
        EXPECT_EQUAL(put(cache, key_of("a"), i, 1000), CACHE_OK);
        pinned(cache, key_of("a"));
        close_cache(cache);
    }
    struct cache *cache = open_with(&options);
    expect_nothing_left(cache);
}

/* A new process takes a dead process's record rather than a new one, so scans stay short. */
static void die_at_once(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    has(cache, key_of("a"), 1, 1000);
    if (argument) {
        close_cache(cache);
    } else {
        die_here();
    }
}
static void reused(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 300; i++) {
        finish_killed(start(die_at_once, NULL));
    }
    EXPECT(word_load(&cache->map.header->records_used) <= 16);
    const struct cache_info info = info_of(cache);
    EXPECT_EQUAL(info.processes, 1);
    EXPECT_EQUAL(info.stores, 300); /* the figures of dead processes are kept */
    EXPECT_EQUAL(info.hits, 300);
    expect_nothing_left(cache);
}

static void swept(void) {
    struct cache *cache = open_cache(8);
    const pid_t child = start(stay, (void *)RECORDS);
    await(0, 1);
    EXPECT_EQUAL(info_of(cache).processes, 2);
    kill_and_wait(child);
    churn(cache, 3);
    EXPECT(info_of(cache).swept >= 1);
    EXPECT_EQUAL(info_of(cache).processes, 1);
    EXPECT_EQUAL(cache_read_holders(cache, NULL, 0), 0);
    expect_nothing_left(cache);
}

static void stopped_is_not_swept(void) {
    struct cache *cache = open_cache(8);
    const pid_t child = start(stay, (void *)RECORDS);
    await(0, 1);
    kill(child, SIGSTOP);
    wait_stopped(child);
    churn(cache, 3);
    struct cache_holder holder;
    EXPECT_EQUAL(cache_read_holders(cache, &holder, 1), 1);
    EXPECT_EQUAL(holder.pages, 1);
    EXPECT(!holder.me);
    EXPECT_EQUAL(info_of(cache).processes, 2);
    kill_and_wait(child);
    expect_nothing_left(cache);
}

/* Other code of the process may open and close the file. That would release classic locks. */
static void unrelated_close(void) {
    const pid_t child = start(stay, (void *)RECORDS);
    await(0, 1);
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    const unsigned record = info_of(cache).record;
    const struct cache_value held = pinned(cache, key_of("a"));
    const int file = open(segment_file(), O_RDWR);
    EXPECT(file >= 0);
    close(file);
    close(dup(cache->fd));
    EXPECT(is_pattern(held.bytes, held.length, 1));
    struct cache_info info = info_of(cache);
    EXPECT_EQUAL(info.processes, 2);
    EXPECT_EQUAL(info.swept, 0);
    reached(1, 1);
    finish(child); /* it saw us alive all the time, or it would have swept our record */
    info = info_of(cache);
    EXPECT_EQUAL(info.processes, 1);
    EXPECT_EQUAL(info.record, record);
    expect_nothing_left(cache);
}

/* A script that closes all descriptors, as daemons do, may then open another file under their numbers. */
static void reuse_number(int fd) {
    char path[128], page[4096];
    snprintf(path, sizeof path, "%s/other", test_folder);
    const int other = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    memset(page, 'x', sizeof page);
    for (unsigned i = 0; i < 8 * MIB / sizeof page; i++) {
        EXPECT(write(other, page, sizeof page) == (ssize_t)sizeof page);
    }
    EXPECT(dup2(other, fd) == fd);
    close(other);
}
static void expect_untouched(int fd) {
    char page[4096], expected[4096];
    struct stat status;
    memset(expected, 'x', sizeof expected);
    EXPECT(fstat(fd, &status) == 0);
    EXPECT_EQUAL(status.st_size, 8 * MIB);
    EXPECT_EQUAL(status.st_blocks, 8 * MIB / 512);
    EXPECT_EQUAL(status.st_mtime, 1000);
    for (unsigned i = 0; i < 8 * MIB / sizeof page; i++) {
        EXPECT(pread(fd, page, sizeof page, (off_t)(i * sizeof page)) == (ssize_t)sizeof page);
        EXPECT(memcmp(page, expected, sizeof page) == 0);
    }
    for (unsigned byte = 0; byte < RECORDS; byte++) {
        EXPECT(!os_locked(fd, (off_t)byte));
    }
}
static void does_nothing(void *none) {
}
static void fills_twice(void *none) {
    struct cache *cache = open_cache(8);
    churn(cache, 2);
}
static void descriptor_of_another_file(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("lock");
    long owner;
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    EXPECT_EQUAL(cache_lock(cache, &key, 1, NULL, &owner), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("a"));
    const int fds[] = {cache->fd, cache->lock_fd};
    for (unsigned i = 0; i < 2; i++) {
        reuse_number(fds[i]);
        const struct timespec then[2] = {{1000, 0}, {1000, 0}};
        EXPECT(futimens(fds[i], then) == 0);
    }
    EXPECT(!cache_is_locked(cache, &key)); /* the key's lock is gone, and its owner knows */
    finish(start(fills_twice, NULL));
    EXPECT(is_pattern(held.bytes, held.length, 1)); /* the record's lock is not gone */
    const pid_t child = start(stay, (void *)RECORDS);
    await(0, 1);
    kill_and_wait(child); /* its record is left to be swept */
    churn(cache, 2);
    cache_unlock(cache);
    EXPECT_EQUAL(cache_lock(cache, &key, 1, NULL, &owner), CACHE_OK);
    EXPECT(cache_is_locked(cache, &key));
    EXPECT(cache_clear(cache));
    EXPECT(cache_release(cache) > 0);
    EXPECT(is_pattern(held.bytes, held.length, 1));
    expect_nothing_left(cache);
    close_cache(cache);
    expect_untouched(fds[0]);
    expect_untouched(fds[1]);
}

/* The number may even become that of our own next descriptor of the same file. */
static void own_number_again(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("lock");
    long owner;
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 100), CACHE_OK);
    const int fd = cache->fd;
    while (dup(fd) < fd) { /* so that it becomes the first free number */
    }
    close(fd);
    EXPECT_EQUAL(cache_lock(cache, &key, 1, NULL, &owner), CACHE_OK);
    EXPECT_EQUAL(cache->lock_fd, fd); /* or this would show nothing */
    finish(start_fork(does_nothing, NULL));
    EXPECT(has(cache, key_of("a"), 1, 100)); /* claims another record, and so opens another descriptor */
    EXPECT(cache_is_locked(cache, &key));
    struct cache *third = open_cache(8), *other = open_cache(8);
    EXPECT_EQUAL(cache_lock(third, &key, 0, NULL, &owner), CACHE_EXISTS);

    close(cache->lock_fd);
    EXPECT_EQUAL(cache_lock(other, &key, 1, NULL, &owner), CACHE_OK);
    EXPECT_EQUAL(other->lock_fd, fd);
    cache_request_end(cache, false);
    close_cache(cache);
    EXPECT(cache_is_locked(other, &key));
    EXPECT_EQUAL(cache_lock(third, &key, 0, NULL, &owner), CACHE_EXISTS);
}

/* Opening a device or a pipe may have effects. */
static void foreign_file_is_not_opened(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 100), CACHE_OK);
    char path[128], events[4096];
    snprintf(path, sizeof path, "%s/foreign", test_folder);
    const int foreign = open(path, O_RDWR | O_CREAT, 0600);
    EXPECT(dup2(foreign, cache->fd) == cache->fd);
    const int watch = inotify_init1(IN_NONBLOCK);
    EXPECT(inotify_add_watch(watch, path, IN_OPEN) >= 0);
    finish(start_fork(does_nothing, NULL));
    EXPECT(has(cache, key_of("a"), 1, 100));
    EXPECT(read(watch, events, sizeof events) == -1 && errno == EAGAIN);
    close(open(path, O_RDONLY));
    EXPECT(read(watch, events, sizeof events) > 0); /* or this would show nothing */
}

/* If the record is lost nevertheless, its new owner is not disturbed, and the script's next request notices. */
static void stay_later(void *argument) {
    await(2, 1);
    stay(argument);
}
static void lost(void) {
    const pid_t child = start(stay_later, (void *)RECORDS);
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    pinned(cache, key_of("a"));
    const unsigned number = cache->number;
    const struct record_shared *record = ref_record(&cache->map, number);
    os_forget_lock(cache->lock);
    reached(2, 1);
    await(0, 1);
    const uint64_t pins = word_load(&record->pins[0]);
    EXPECT(pins != 0);
    EXPECT(!cache_request_begin(cache));
    EXPECT_EQUAL(word_load(&record->pins[0]), pins);
    close_cache(cache);
    reached(1, 1);
    finish(child);
}

/* A process that takes over a dead record may die during that, at any failpoint. */
static void sweeper(void *argument) {
    at_failpoint(argument, 1, die_here);
    struct cache *cache = open_cache(8);
    churn(cache, 2);
}
static void dead_sweepers(void) {
    static const char *const points[] = {"record_incarnation_raised", "record_copying_cleared"};
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 10000), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("a"));
    for (unsigned i = 0; i < 20; i++) {
        finish_killed(start(die_at_once, NULL));
        finish_killed(start(sweeper, (void *)(uintptr_t)points[i % 2]));
    }
    churn(cache, 3);
    EXPECT(is_pattern(held.bytes, held.length, 1));
    EXPECT_EQUAL(info_of(cache).processes, 1);
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"no more processes than records attach, and a dead one's record is free at once", exhaustion},
    {"a detached process's record is free at once", given_back},
    {"records of dead processes are reused, and their figures kept", reused},
    {"a killed process's record is cleared by the process that needs its pages", swept},
    {"a stopped process's record is not cleared", stopped_is_not_swept},
    {"opening and closing the file elsewhere loses nothing", unrelated_close},
    {"a descriptor that other code closed and opened for another file is left alone", descriptor_of_another_file},
    {"a number that becomes that of another of our own descriptors keeps its lock", own_number_again},
    {"a file that other code opened under a descriptor's number is not opened again", foreign_file_is_not_opened},
    {"a record that became another's is not written", lost},
    {"a process that dies while clearing a record does no harm", dead_sweepers},
    {0},
};
const struct suite suite_records = {.name = "records", .tests = tests};
