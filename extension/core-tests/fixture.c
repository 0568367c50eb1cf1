#include "fixture.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "failpoint.h"
#include "geometry.h"
#include "page.h"
#include "spare.h"

/* ---- A cache ---- */

struct cache_options options_of(size_t mebibytes) {
    return (struct cache_options){
        .directory = test_folder,
        .segment = "test",
        .size = mebibytes * MIB,
        .processes = RECORDS,
        .pin_share = 0.5,
        .value_layout = 1,
    };
}

static struct cache *opened[16]; /* caches opened by this process */

struct cache *open_with(const struct cache_options *options) {
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(options, reason);
    if (!cache || *reason) {
        harness_fail(__FILE__, __LINE__, "attach: %s", reason);
    }
    for (unsigned i = 0; i < 16; i++) {
        if (!opened[i]) {
            opened[i] = cache;
            break;
        }
    }
    return cache;
}

void close_cache(struct cache *cache) {
    for (unsigned i = 0; i < 16; i++) {
        opened[i] = opened[i] == cache ? NULL : opened[i];
    }
    cache_detach(cache);
}

struct cache *open_cache(size_t mebibytes) {
    const struct cache_options options = options_of(mebibytes);
    return open_with(&options);
}

struct cache *open_long_lived(size_t mebibytes) {
    struct cache_options options = options_of(mebibytes);
    options.long_lived = true;
    return open_with(&options);
}

const char *segment_folder(void) {
    static char path[128];
    snprintf(path, sizeof path, "%s/larder-%u", test_folder, (unsigned)geteuid());
    return path;
}

const char *segment_file_of(const char *name, unsigned layout) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s-%016llx", segment_folder(), name,
             (unsigned long long)geometry_layout(layout));
    return path;
}

const char *segment_file(void) {
    return segment_file_of("test", 1);
}

unsigned count_files(const char *prefix) {
    char pattern[320];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s*", prefix);
    const int result = glob(pattern, GLOB_NOSORT, NULL, &found);
    const unsigned files = result == 0 ? (unsigned)found.gl_pathc : 0;
    if (result == 0) {
        globfree(&found);
    }
    return files;
}

void expect_no_temporary_files(void) {
    char prefix[310];
    snprintf(prefix, sizeof prefix, "%s.new.", segment_file());
    EXPECT_EQUAL(count_files(prefix), 0);
}

void expect_refused(const struct cache_options *options, const char *word) {
    char reason[CACHE_REASON_MAX] = "";
    EXPECT(!cache_attach(options, reason));
    if (!strstr(reason, word)) {
        harness_fail(__FILE__, __LINE__, "no word of %s in: %s", word, reason);
    }
}

void expect_sound(struct cache *cache) {
    const size_t faults = cache_check(cache, stderr);
    EXPECT_EQUAL(faults, 0);
}

void expect_nothing_left(struct cache *cache) {
    expect_sound(cache);
    end_request(cache);
    expect_sound(cache);
    EXPECT(cache_clear(cache));
    EXPECT_EQUAL(cache_sweep(cache), 0);
    expect_sound(cache);
    EXPECT_EQUAL(info_of(cache).entries, 0);
}

/* ---- Keys and values ---- */

struct cache_key key_of(const char *format, ...) {
    static _Thread_local char texts[8][256];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 8];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof texts[0], format, arguments);
    va_end(arguments);
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (int i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return (struct cache_key){text, (uint32_t)length, hash};
}

static uint64_t word_of(uint64_t seed, size_t number) {
    if (number == 0) {
        return seed;
    }
    uint64_t word = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(0xd1342543de82ef95);
    return word ^ word >> 29;
}

void fill_pattern(void *bytes, size_t length, uint64_t seed) {
    for (size_t i = 0; i < length / 8; i++) {
        ((uint64_t *)bytes)[i] = word_of(seed, i);
    }
}

bool is_pattern(const void *bytes, size_t length, uint64_t seed) {
    for (size_t i = 0; i < length / 8; i++) {
        if (((const uint64_t *)bytes)[i] != word_of(seed, i)) {
            return false;
        }
    }
    return true;
}

enum cache_result put_as(struct cache *cache, struct cache_key key, uint64_t seed, size_t length, uint64_t expires,
                         enum cache_mode mode) {
    struct cache_span span;
    const enum cache_result result = cache_reserve(cache, &key, length, mode, &span);
    if (result != CACHE_OK) {
        return result;
    }
    EXPECT_EQUAL(span.length, (length + 7) / 8 * 8);
    EXPECT_EQUAL((uintptr_t)span.bytes % 8, 0);
    fill_pattern(span.bytes, span.length, seed);
    return cache_commit(cache, &key, KIND, expires, mode, NULL);
}

enum cache_result put(struct cache *cache, struct cache_key key, uint64_t seed, size_t length) {
    return put_as(cache, key, seed, length, 0, CACHE_SET);
}

void put_many(struct cache *cache, const char *prefix, size_t number, size_t length) {
    for (size_t i = 0; i < number; i++) {
        EXPECT_EQUAL(put(cache, key_of("%s%zu", prefix, i), i, length), CACHE_OK);
    }
}

static bool has_value(struct cache *cache, struct cache_key key, uint64_t seed, size_t length, bool zero_copy) {
    struct cache_value value;
    if (!cache_find(cache, &key, zero_copy, &value)) {
        return false;
    }
    EXPECT_EQUAL(value.kind, KIND);
    EXPECT_EQUAL(value.length, (length + 7) / 8 * 8);
    EXPECT_EQUAL((uintptr_t)value.bytes % 8, 0);
    EXPECT(is_pattern(value.bytes, value.length, seed));
    if (!zero_copy) {
        EXPECT_EQUAL(value.hold, CACHE_COPIED);
    }
    if (value.hold == CACHE_PINNED) {
        EXPECT(value.base == (uintptr_t)value.bytes);
    }
    return true;
}

bool has(struct cache *cache, struct cache_key key, uint64_t seed, size_t length) {
    return has_value(cache, key, seed, length, true);
}

bool has_copied(struct cache *cache, struct cache_key key, uint64_t seed, size_t length) {
    return has_value(cache, key, seed, length, false);
}

bool is_there(struct cache *cache, struct cache_key key) {
    struct cache_value value;
    const bool found = cache_find(cache, &key, true, &value);
    EXPECT_EQUAL(cache_exists(cache, &key), found);
    return found;
}

struct cache_value pinned(struct cache *cache, struct cache_key key) {
    struct cache_value value;
    EXPECT(cache_find(cache, &key, true, &value));
    EXPECT_EQUAL(value.hold, CACHE_PINNED);
    return value;
}

struct cache_info info_of(struct cache *cache) {
    struct cache_info info;
    cache_read_info(cache, &info); /* all zeros if there is nothing */
    return info;
}

void end_request(struct cache *cache) {
    cache_request_end(cache, false);
    word_poke(&cache->map.header->recounted, 0);
}

void churn(struct cache *cache, unsigned times) {
    const struct cache_info info = info_of(cache);
    const size_t stores = info.pages * info.page_size / (4 * KIB) * times;
    for (size_t i = 0; i < stores; i++) {
        EXPECT_EQUAL(put(cache, key_of("churn:%zu", i), i, 4 * KIB), CACHE_OK);
    }
}

void use_up_pages(struct cache *cache) {
    spare_forget_all(cache);
    for (unsigned log = 0; log < LOGS; log++) {
        const uint32_t open = current_page(cache, word_load(&cache->map.header->current[log]));
        if (open < cache->map.page_count) {
            uint64_t state = word_load(&page_row(cache, open)->state);
            EXPECT(word_swap(&page_row(cache, open)->state, &state, state_change(state, PAGE_CLOSED)));
        }
    }
}

/* ---- Processes ---- */

static pid_t start_process(void (*run)(void *), void *argument, bool related) {
    fflush(NULL);
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (unsigned i = 0; i < 16 && !related; i++) {
            if (opened[i]) {
                close_cache(opened[i]);
            }
        }
        run(argument);
        exit(0);
    }
    return child;
}

pid_t start(void (*run)(void *), void *argument) {
    return start_process(run, argument, false);
}

pid_t start_fork(void (*run)(void *), void *argument) {
    return start_process(run, argument, true);
}

static int wait_for(pid_t child, int options) {
    int status;
    while (waitpid(child, &status, options) < 0) {
        EXPECT(errno == EINTR);
    }
    return status;
}

void finish(pid_t child) {
    const int status = wait_for(child, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void finish_all(const pid_t *children, unsigned number) {
    for (unsigned i = 0; i < number; i++) {
        finish(children[i]);
    }
}

void finish_killed(pid_t child) {
    const int status = wait_for(child, 0);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

void wait_stopped(pid_t child) {
    const int status = wait_for(child, WUNTRACED);
    EXPECT(WIFSTOPPED(status));
}

void kill_and_wait(pid_t child) {
    kill(child, SIGKILL);
    finish_killed(child);
}

/* AddressSanitizer reports a fault and exits. */
bool was_killed_by_fault(pid_t child) {
    const int status = wait_for(child, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS
                               : SLOWNESS > 1 && WEXITSTATUS(status) == 1;
}

void await(unsigned index, long value) {
    while (atomic_load(&board->number[index]) < value) {
        usleep(200);
    }
}

void reached(unsigned index, long value) {
    atomic_store(&board->number[index], value);
}

uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void sleep_ms(unsigned milliseconds) {
    usleep(milliseconds * 1000);
}

enum { PAUSE = 63 };

pid_t start_clock(void) {
    const pid_t parent = getpid(), child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(0); /* its parent died before the call above */
        }
        for (uint64_t before = nanoseconds(), now;; before = now) {
            now = nanoseconds();
            if ((long)(now - before) > atomic_load(&board->number[PAUSE])) {
                reached(PAUSE, (long)(now - before));
            }
        }
    }
    setpgid(child, child);
    return child;
}

uint64_t longest_pause(void) {
    return (uint64_t)atomic_load(&board->number[PAUSE]);
}

/* ---- Failpoints ---- */

static const char *wanted_point;
static unsigned wanted_left;
static void (*wanted_action)(void);

static void passing(const char *name) {
    if (wanted_left > 0 && strcmp(name, wanted_point) == 0 && --wanted_left == 0) {
        wanted_action();
    }
}

void at_failpoint(const char *name, unsigned nth, void (*action)(void)) {
    wanted_point = name;
    wanted_left = nth;
    wanted_action = action;
    cache_failpoint_hook = passing;
}

void at_no_failpoint(void) {
    cache_failpoint_hook = NULL;
}

void die_here(void) {
    raise(SIGKILL);
}

void stop_here(void) {
    raise(SIGSTOP);
}
