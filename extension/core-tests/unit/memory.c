/* The memory of a segment: growth on demand, limits of cgroups, giving memory back, and files that are no longer
 * needed. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commit.h"
#include "fixture.h"
#include "geometry.h"
#include "limit.h"
#include "os.h"
#include "suites.h"

/* ---- On demand ---- */

/* A segment takes little memory at first: its records, the rows of its pages, and 0.04 % of its size. */
static void little_at_first(void) {
    static const size_t sizes[] = {8, 64, 512, 4096};
    struct statvfs room;
    EXPECT(statvfs(test_folder, &room) == 0);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] * MIB > room.f_bavail * room.f_frsize / 2) {
            EXPECT(i >= 2);
            break; /* refused: the tmpfs of a container is small */
        }
        struct cache_options options = options_of(sizes[i]);
        options.processes = 512;
        struct cache *cache = open_with(&options);
        const size_t little = 2500 * KIB + sizes[i] * MIB / 2500;
        EXPECT(info_of(cache).memory < little);
        EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
        EXPECT(has(cache, key_of("a"), 1, 1000));
        EXPECT(info_of(cache).memory < little + 500 * KIB);
        proof_figure("of the file, KiB", "%zu MiB: %zu", sizes[i], info_of(cache).memory >> 10);
        expect_nothing_left(cache);
        close_cache(cache);
        EXPECT(unlink(segment_file()) == 0);
    }
}

/* A process that only reads, looks or counts what is present creates neither a segment nor a folder. The first store
 * does. */
static void reading_makes_none(void) {
    struct cache_options options = options_of(8);
    options.joins_only = true;
    expect_refused(&options, "first store");
    EXPECT(access(segment_file(), F_OK) != 0);
    EXPECT(access(segment_folder(), F_OK) != 0);
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    struct cache *reader = open_with(&options);
    EXPECT(has(reader, key_of("a"), 1, 1000));
    close_cache(reader);
    close_cache(cache);
}

/* The same for a process whose segment was removed: it creates none until it stores. */
static void removed_under_a_reader(void) {
    struct cache *cache = open_long_lived(8);
    EXPECT(unlink(segment_file()) == 0);
    sleep_ms(1100);
    for (unsigned i = 0; i < 40; i++) {
        EXPECT(!is_there(cache, key_of("a")));
    }
    EXPECT(access(segment_file(), F_OK) != 0);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    EXPECT(has(cache, key_of("a"), 1, 1000));
    EXPECT(access(segment_file(), F_OK) == 0);
}

/* ---- Giving back ---- */

static void gives_back(void) {
    struct cache *cache = open_cache(64);
    churn(cache, 1);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 20000), CACHE_OK);
    const struct cache_value held = pinned(cache, key_of("a"));
    const size_t full = info_of(cache).memory;
    EXPECT(full > 60 * MIB);
    EXPECT_EQUAL(cache_release(cache) / MIB, 0); /* nothing is lost that could be fetched */
    EXPECT(has(cache, key_of("a"), 1, 20000));
    EXPECT(cache_clear(cache));
    const size_t released = cache_release(cache);
    EXPECT(released > 40 * MIB);
    const size_t now = info_of(cache).memory; /* the last step may end within a page of the system */
    EXPECT(now >= full - released && now - (full - released) <= 4 * KIB);
    EXPECT(is_pattern(held.bytes, held.length, 1)); /* values that a script holds stay */
    end_request(cache);
    cache_release(cache);
    EXPECT(info_of(cache).memory < 8 * MIB);
    churn(cache, 2); /* and is taken again */
    EXPECT(info_of(cache).memory > 60 * MIB);
    expect_nothing_left(cache);
}

/* A process without a segment deletes keys that other processes have stored since. */
static void deleted_where_there_was_none(void) {
    enum { WAYS = 4, CALLS = 40 };
    for (unsigned way = 0; way < WAYS; way++) {
        struct cache *cache = open_long_lived(8);
        EXPECT(unlink(segment_file()) == 0);
        sleep_ms(1050);
        for (unsigned i = 0; i < CALLS; i++) {
            EXPECT(!is_there(cache, key_of("k")));
        }
        EXPECT_EQUAL(info_of(cache).pages, 0);
        struct cache *other = open_cache(8);
        EXPECT_EQUAL(put(other, key_of("k"), 1, 1000), CACHE_OK);
        const struct cache_key key = key_of("k");
        switch (way) {
            case 0:
                EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
                break;
            case 1:
                EXPECT(cache_clear(cache));
                break;
            case 2:
                EXPECT_EQUAL(cache_delete_prefix(cache, "k", 1), 1);
                break;
            default:
                cache_refuse(cache, &key);
                break;
        }
        EXPECT(!is_there(other, key));
        close_cache(other);
        close_cache(cache);
        EXPECT(unlink(segment_file()) == 0);
    }
}

/* Other processes store and read during releases, on a tmpfs that is full except for the memory that is given back
 * and taken again. */
static void store_all_the_time(void *argument) {
    struct cache *cache = open_cache(8);
    const unsigned base = (unsigned)(uintptr_t)argument * 100000;
    await(0, 1);
    for (unsigned i = 0; atomic_load(&board->number[1]) == 0; i++) {
        const unsigned number = base + i % 2000;
        const enum cache_result result = put(cache, key_of("%u", number), number, i % 50 == 0 ? 200 * KIB : 3000);
        EXPECT(result == CACHE_OK || result == CACHE_NO_ROOM);
        const unsigned other = base + i / 2 % 2000;
        const struct cache_key key = key_of("%u", other);
        struct cache_value value;
        if (cache_find(cache, &key, i % 3 == 0, &value)) {
            EXPECT(is_pattern(value.bytes, value.length, other));
        }
        if (i % 100 == 99) {
            end_request(cache);
        }
        if (i % 1000 == 999) {
            cache_clear(cache);
        }
    }
}
static void gives_back_beside_others(void) {
    struct cache *cache = open_cache(8);
    pid_t children[4];
    for (unsigned i = 0; i < 4; i++) {
        children[i] = start(store_all_the_time, (void *)(uintptr_t)i);
    }
    reached(0, 1);
    size_t released = 0;
    /* As often as the processes need to store something: they may hardly run at first. Otherwise the watchdog ends
     * the test. */
    for (unsigned i = 0; i < 1500 || released <= 8 * MIB; i++) {
        released += cache_release(cache);
        os_yield();
    }
    reached(1, 1);
    finish_all(children, 4);
    expect_nothing_left(cache);
}

/* ---- Huge pages ---- */

/* guards.c replaces this function. */
void *__real_os_map_writable(int description, size_t size);

/* Page faults of a new process that touches each 4 KiB page of the first bytes of a file. */
__attribute__((no_sanitize("address"))) static long faults_of(size_t bytes) {
    const int file = open(segment_file(), O_RDWR);
    volatile char *at = __real_os_map_writable(file, bytes);
    EXPECT(file >= 0 && at);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < bytes; i += 4 * KIB) {
        (void)at[i];
    }
    getrusage(RUSAGE_SELF, &after);
    os_unmap((void *)(uintptr_t)at, bytes);
    close(file);
    return after.ru_minflt - before.ru_minflt;
}

/* Filled memory gets huge pages at a request's end, as far as the kernel can. The control is before that. */
static void huge_pages(void) {
    if (EMULATED) {
        harness_skip("QEMU ignores MADV_COLLAPSE");
    }
    struct cache *cache = open_cache(64);
    os_unmap(cache->map.writable, cache->map.file_size); /* mapped as in a process without guards */
    const int file = open(segment_file(), O_RDWR);
    cache->map.writable = __real_os_map_writable(file, cache->map.file_size);
    geometry_map(&cache->map, (struct header_shared *)(void *)cache->map.writable);
    cache->identity->record = ref_record(&cache->map, cache->number);
    churn(cache, 1);
    bool never = false;
    if (!os_make_huge(cache->map.writable, &never)) {
        harness_skip("this kernel makes no huge pages when it is asked");
    }
    const long few = 16 * MIB / (64 * KIB) / 4;
    EXPECT(faults_of(16 * MIB) > few);
    for (unsigned i = 0; i < 500 && cache->filled_to != 0; i++) {
        cache_request_end(cache, false);
    }
    EXPECT_EQUAL(cache->filled_to, 0);
    EXPECT(faults_of(16 * MIB) <= few);
    expect_sound(cache);
    EXPECT(cache_clear(cache));
    EXPECT(cache_release(cache) > 40 * MIB); /* parts of huge pages are given back, too */
    churn(cache, 1);
    expect_nothing_left(cache);
}

/* ---- Files that are no longer needed ---- */

static void make_old(const char *segment, unsigned layout, time_t seconds, char path[300]) {
    struct cache_options options = options_of(8);
    options.segment = segment;
    options.value_layout = layout;
    close_cache(open_with(&options));
    snprintf(path, 300, "%s", segment_file_of(segment, layout));
    const struct timespec then[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    EXPECT(utimensat(AT_FDCWD, path, then, 0) == 0);
}

static void unused_files_go(void) {
    enum { DAY = 24 * 60 * 60 };
    char outdated[300], renamed[300], idle[300], used[300], leftover[320];
    make_old("test", 99, DAY + 1, outdated);
    make_old("renamed", 1, DAY + 1, renamed);
    make_old("idle-pool", 1, DAY - 100, idle);
    struct cache_options options = options_of(8);
    options.segment = "used";
    struct cache *user = open_with(&options);
    snprintf(used, sizeof used, "%s", segment_file_of("used", 1));
    const struct timespec then[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    EXPECT(utimensat(AT_FDCWD, used, then, 0) == 0);
    snprintf(leftover, sizeof leftover, "%s.new.0123456789abcdef", segment_file());
    close(open(leftover, O_CREAT | O_RDWR, 0600));
    struct cache *cache = open_cache(8);
    EXPECT(access(outdated, F_OK) != 0);
    EXPECT(access(renamed, F_OK) != 0);
    EXPECT(access(leftover, F_OK) != 0);
    EXPECT(access(idle, F_OK) == 0);
    EXPECT(access(used, F_OK) == 0);
    /* The same by cache_release(). A process that leaves a segment sets the file's time. */
    close_cache(user);
    make_old("renamed", 1, DAY + 1, renamed);
    cache_release(cache);
    EXPECT(access(renamed, F_OK) != 0);
    EXPECT(access(used, F_OK) == 0);
}

/* The name of a segment may contain dots, like that of a temporary file. */
static void named_like_a_leftover(void) {
    struct cache_options options = options_of(8);
    options.segment = "site.new.0123456789abcdef";
    struct cache *user = open_with(&options);
    struct cache *cache = open_cache(8);
    EXPECT(access(segment_file_of(options.segment, options.value_layout), F_OK) == 0);
    cache_release(cache);
    EXPECT(access(segment_file_of(options.segment, options.value_layout), F_OK) == 0);
    close_cache(user);
}

/* ---- Limits ---- */

static char tree[200];

static void write_file(const char *name, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", tree, name);
    for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    EXPECT(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void expect_limit(uint64_t limit, uint64_t left) {
    const struct limit found = limit_read();
    EXPECT_EQUAL(found.limit, limit);
    EXPECT_EQUAL(found.left, left);
}

static void begin_tree(const char *membership) {
    static char file[220];
    snprintf(tree, sizeof tree, "%s/cgroups", test_folder);
    EXPECT(mkdir(tree, 0700) == 0 || access(tree, F_OK) == 0);
    write_file("membership", membership);
    snprintf(file, sizeof file, "%s/membership", tree);
    limit_membership = file;
    limit_root = tree;
}

static void version_2(void) {
    begin_tree("0::/machine/pod/container\n");
    expect_limit(UINT64_MAX, UINT64_MAX); /* no file at all */
    write_file("machine/pod/container/memory.max", "max\n");
    write_file("machine/pod/container/memory.current", "1000\n");
    expect_limit(UINT64_MAX, UINT64_MAX);
    write_file("machine/pod/container/memory.max", "50331648\n");
    write_file("machine/pod/container/memory.current", "10000000\n");
    expect_limit(50331648, 40331648);
    /* Page cache, which the kernel would drop, counts as left. Shared memory, which belongs to no file, does not. */
    write_file("machine/pod/container/memory.stat",
               "anon 5000\nfile 7000\nshmem 3000\ninactive_anon 9\nactive_file 100\ninactive_file 200\n");
    expect_limit(50331648, 40331948);
    write_file("machine/pod/memory.max", "20000000\n");
    write_file("machine/pod/memory.current", "19000000\n");
    expect_limit(20000000, 1000000); /* of all cgroups above, the one with the least left */
    write_file("machine/memory.max", "18000000\n");
    write_file("machine/memory.current", "19000000\n");
    expect_limit(18000000, 0);
    /* A container that sees its own cgroup as the root. */
    begin_tree("0::/../elsewhere\n");
    write_file("memory.max", "30000000\n");
    write_file("memory.current", "10000000\n");
    expect_limit(30000000, 20000000);
    begin_tree("0::/\n");
    expect_limit(30000000, 20000000);
}

/* A segment that keeps its entries takes all its memory at once, and at the limit the kernel would kill the process. */
static void keeping_is_refused(void) {
    begin_tree("0::/\n");
    write_file("memory.max", "100000000\n");
    write_file("memory.current", "90000000\n");
    struct cache_options options = options_of(8);
    close_cache(open_with(&options));
    remove(segment_file());
    options.keeps = true;
    expect_refused(&options, "limit");
    write_file("memory.current", "80000000\n");
    close_cache(open_with(&options));
}

static void version_1(void) {
    begin_tree("12:cpu,cpuacct:/a\n4:hugetlb,memory:/docker/x\n0::/b\n");
    write_file("memory/docker/x/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("memory/docker/x/memory.usage_in_bytes", "1000\n");
    write_file("memory.max", "1\n"); /* not read */
    expect_limit(UINT64_MAX, UINT64_MAX);
    write_file("memory/docker/x/memory.limit_in_bytes", "50331648\n");
    write_file("memory/docker/x/memory.usage_in_bytes", "50000000\n");
    write_file("memory/docker/x/memory.stat",
               "inactive_file 5\ntotal_inactive_file 1000\ntotal_active_file 500\n");
    expect_limit(50331648, 331648 + 1500);
    begin_tree("4:memory:/docker/of-the-host\n");
    write_file("memory/memory.limit_in_bytes", "60000000\n");
    write_file("memory/memory.usage_in_bytes", "10000000\n");
    expect_limit(60000000, 50000000);
}

static void no_membership(void) {
    limit_membership = "/nonexistent";
    expect_limit(UINT64_MAX, UINT64_MAX);
    begin_tree("nonsense\n::\n\n4:memory\n");
    expect_limit(UINT64_MAX, UINT64_MAX);
}

/* With a limit of version 2, pages get memory up to three quarters of it, and the cache works with these. */
static void lives_with_a_limit(void) {
    if (EMULATED) {
        harness_skip("QEMU ignores MADV_POPULATE_WRITE");
    }
    begin_tree("0::/c\n");
    write_file("c/memory.max", "50331648\n");
    write_file("c/memory.current", "10000000\n");
    const struct cache_options options = options_of(64);
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache && strstr(reason, "memory limit"));
    EXPECT(info_of(cache).size <= 36 * MIB);
    for (unsigned i = 0; i < 20; i++) {
        EXPECT_EQUAL(put(cache, key_of("%u", i), 1, 1000), CACHE_OK);
    }
    write_file("c/memory.current", "45000000\n"); /* other processes need it */
    sleep_ms(50);
    const size_t before = info_of(cache).memory;
    for (unsigned i = 0; i < 3000; i++) {
        EXPECT_EQUAL(put(cache, key_of("%u", i % 20), i, 20000), CACHE_OK);
    }
    EXPECT_EQUAL(info_of(cache).memory, before);
    EXPECT(info_of(cache).pin_limit < 16); /* half of the usable pages, so readers cannot hold all of them */
    write_file("c/memory.current", "10000000\n");
    sleep_ms(150);
    put_many(cache, "", 3000, 1000);
    EXPECT(info_of(cache).memory > before + 2 * MIB);
    EXPECT(info_of(cache).pin_limit > 100);
    write_file("c/memory.max", "8000000\n");
    EXPECT(unlink(segment_file()) == 0);
    expect_refused(&options, "memory limit");
    EXPECT(access(segment_file(), F_OK) != 0);
}

/* ---- A real cgroup of version 1 ---- */

static char cgroup[600];

static void remove_cgroup(void) {
    for (unsigned i = 0; i < 50 && rmdir(cgroup) != 0; i++) {
        sleep_ms(20);
    }
}

static bool write_to(const char *name, const char *text) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", cgroup, name);
    const int file = open(path, O_WRONLY);
    const bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return done;
}

static void make_cgroup(void) {
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[400];
    const char *own = NULL;
    while (file && !own && fgets(line, sizeof line, file)) {
        char *found = strstr(line, ":memory:");
        own = found ? found + 8 : NULL;
    }
    if (own) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup/memory%s/larder-test-%d", strcmp(own, "/") ? own : "",
                 (int)getpid());
    }
    if (!own || mkdir(cgroup, 0700) != 0) {
        harness_skip("no cgroup with a memory limit can be made here");
    }
    atexit(remove_cgroup);
    EXPECT(write_to("memory.limit_in_bytes", "48M"));
}

static void join_cgroup(void) {
    char id[32];
    snprintf(id, sizeof id, "%d", (int)getpid());
    EXPECT(write_to("cgroup.procs", id));
}

static void store_much(void *argument) {
    join_cgroup();
    const struct cache_options options = options_of(64);
    char reason[CACHE_REASON_MAX] = "";
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache);
    for (unsigned i = 0; i < 40000; i++) {
        const enum cache_result result = put(cache, key_of("%u", i), i, 4000);
        EXPECT(result == CACHE_OK);
        if (i % 100 == 99) {
            end_request(cache);
        }
    }
    EXPECT(info_of(cache).memory > 16 * MIB && info_of(cache).memory <= 37 * MIB);
    cache_detach(cache);
}

/* The control: takes all memory regardless of limits. */
static void take_all(void *argument) {
    join_cgroup();
    char path[200];
    snprintf(path, sizeof path, "%s/all", test_folder);
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    EXPECT(ftruncate(file, 64 * MIB) == 0);
    os_fill(file, 0, 64 * MIB);
}

static void limit_of_the_kernel(void) {
#ifdef __SANITIZE_ADDRESS__
    harness_skip("the sanitizer keeps freed memory, 20 MiB of each process, and that counts too");
#endif
    make_cgroup();
    finish(start(store_much, NULL));
    EXPECT(unlink(segment_file()) == 0);
    char files[300];
    snprintf(files, sizeof files, "%s.", segment_file());
    EXPECT_EQUAL(count_files(files), 0);
    pid_t several[8];
    for (unsigned i = 0; i < 8; i++) {
        several[i] = start(store_much, NULL);
    }
    finish_all(several, 8);
    char reason[CACHE_REASON_MAX];
    const struct cache_options options = options_of(64);
    struct cache *cache = cache_attach(&options, reason);
    EXPECT(cache);
    expect_sound(cache);
    cache_detach(cache);
    EXPECT(unlink(segment_file()) == 0);
    finish_killed(start(take_all, NULL));
    char path[200];
    snprintf(path, sizeof path, "%s/all", test_folder);
    EXPECT(unlink(path) == 0);
    remove_cgroup();
    proof_record_all("neighbours.memory-limit", 9 * 40000,
                     "stores under a cgroup's limit of 48 MiB, by one and by eight processes", 0);
}

static const struct test tests[] = {
    {"a segment takes little memory at first", little_at_first},
    {"a reader creates no segment", reading_makes_none},
    {"after removal a reader creates no segment, a store does", removed_under_a_reader},
    {"memory of dead pages is given back and taken again", gives_back},
    {"memory is given back while others store and read", gives_back_beside_others},
    {"filled memory becomes huge pages", huge_pages},
    {"files without a process for a day are removed", unused_files_go},
    {"a process that had no segment deletes what others stored", deleted_where_there_was_none},
    {"a segment in use is no leftover, whatever its name", named_like_a_leftover},
    {"limits of cgroups of version 2", version_2},
    {"limits of cgroups of version 1", version_1},
    {"a segment that keeps is refused where a limit leaves no memory for it", keeping_is_refused},
    {"without cgroups there is no limit", no_membership},
    {"a memory limit that comes near stops the growth, not the cache", lives_with_a_limit},
    {"under a limit of 48 MiB nobody is killed; control: filling the file", limit_of_the_kernel},
    {0},
};
const struct suite suite_memory = {.name = "memory", .tests = tests};
