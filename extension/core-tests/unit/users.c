/* Segments belong to users: a process that changes its user, and the folder that root creates for a user. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "suites.h"

enum { OTHER = 12345, CALLS = 40, PAUSE_MS = 5 };

/* The leak sanitizer inspects the process when it exits, which only root may do after a change of user. */
static void be_root_at_exit(void) {
    (void)!seteuid(0);
}

static void become(uid_t user) {
    static bool registered;
    if (!registered) {
        registered = atexit(be_root_at_exit) == 0;
    }
    EXPECT(seteuid(user) == 0);
}

static void need_root(void) {
    if (geteuid() != 0) {
        harness_skip("only root can change its user");
    }
    EXPECT(chmod(test_folder, 01777) == 0);
}

static const char *folder_of(uid_t user) {
    static char path[128];
    snprintf(path, sizeof path, "%s/larder-%u/", test_folder, (unsigned)user);
    return path;
}

/* Number of mappings of a user's segment with these rights, such as "rw-s"; without rights, of descriptors. Asked as
 * root: a process that has changed its user may not inspect itself. */
static unsigned mapped(uid_t user, const char *rights) {
    char line[512], where[16];
    unsigned found = 0;
    const uid_t now = geteuid();
    become(0);
    FILE *maps = fopen("/proc/self/maps", "re");
    EXPECT(maps != NULL);
    while (fgets(line, sizeof line, maps)) {
        found +=
            strstr(line, folder_of(user)) && sscanf(line, "%*s %15s", where) == 1 && strcmp(where, rights) == 0;
    }
    fclose(maps);
    become(now);
    return found;
}

static unsigned descriptors_of(uid_t user) {
    char name[64], path[300];
    unsigned found = 0;
    const uid_t now = geteuid();
    become(0);
    for (int i = 0; i < 256; i++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", i);
        const ssize_t length = readlink(name, path, sizeof path - 1);
        if (length > 0) {
            path[length] = '\0';
            found += strncmp(path, folder_of(user), strlen(folder_of(user))) == 0;
        }
    }
    become(now);
    return found;
}

/* A mapping keeps the rights of its descriptor, so mprotect() must not make one of these writable. */
static void expect_none_can_become_writable(uid_t user) {
    char line[512];
    uintptr_t begin, end;
    const uid_t now = geteuid();
    become(0);
    FILE *maps = fopen("/proc/self/maps", "re");
    EXPECT(maps != NULL);
    become(now);
    while (fgets(line, sizeof line, maps)) {
        if (strstr(line, folder_of(user)) && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2) {
            EXPECT(mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0);
        }
    }
    fclose(maps);
}

static void expect_nothing_of(uid_t user) {
    EXPECT_EQUAL(mapped(user, "r--s") + mapped(user, "rw-s") + mapped(user, "---s"), 0);
    EXPECT_EQUAL(descriptors_of(user), 0);
}

static struct cache *with_secret(bool long_lived) {
    need_root();
    struct cache_options options = options_of(8);
    options.long_lived = long_lived;
    struct cache *cache = open_with(&options);
    EXPECT_EQUAL(put(cache, key_of("secret"), 1, 1000), CACHE_OK);
    EXPECT_EQUAL(mapped(0, "rw-s"), 1);
    EXPECT_EQUAL(descriptors_of(0), 1);
    return cache;
}

static void between_requests(void) {
    struct cache *cache = with_secret(false);
    pinned(cache, key_of("secret"));
    cache_request_end(cache, false);
    become(OTHER);
    EXPECT(!cache_request_begin(cache));
    expect_nothing_of(0);
    EXPECT(!is_there(cache, key_of("secret")));
    close_cache(cache);
    cache = open_cache(8);
    EXPECT(!is_there(cache, key_of("secret")));
    EXPECT_EQUAL(put(cache, key_of("other's"), 2, 1000), CACHE_OK);
    cache_request_end(cache, false);
    become(0);
    EXPECT(!cache_request_begin(cache));
    close_cache(cache);
    expect_nothing_of(OTHER);
    cache = open_cache(8);
    EXPECT(has(cache, key_of("secret"), 1, 1000));
    EXPECT(!is_there(cache, key_of("other's")));
    expect_nothing_left(cache);
}

/* Another process overwrites all of root's segment. */
static void churn_roots(void *argument) {
    become(0);
    struct cache *cache = open_cache(8);
    churn(cache, 3);
    expect_sound(cache);
}

/* The held value stays, and nothing else. */
static void expect_held_only(const struct cache_value *held) {
    EXPECT(is_pattern(held->bytes, held->length, 1));
    EXPECT_EQUAL(mapped(0, "r--s"), 1);
    EXPECT_EQUAL(mapped(0, "rw-s"), 0);
    EXPECT_EQUAL(descriptors_of(0), 0);
    expect_none_can_become_writable(0);
}

static void within_a_request(long told) {
    struct cache *cache = with_secret(!told);
    const struct cache_value held = pinned(cache, key_of("secret"));
    become(OTHER);
    if (told) {
        cache_user_changed(cache);
        expect_held_only(&held);
    } else {
        sleep_ms(PAUSE_MS);
        for (unsigned i = 0; i < CALLS; i++) {
            const struct cache_key key = key_of("anything");
            cache_exists(cache, &key);
        }
    }
    EXPECT(!is_there(cache, key_of("secret")));
    EXPECT_EQUAL(put(cache, key_of("other's"), 2, 1000), CACHE_OK);
    EXPECT(strstr(info_of(cache).path, folder_of(OTHER)));
    expect_held_only(&held);
    finish(start(churn_roots, NULL));
    EXPECT(is_pattern(held.bytes, held.length, 1));
    expect_held_only(&held);
    EXPECT(has(cache, key_of("other's"), 2, 1000));
    cache_request_end(cache, false);
    expect_nothing_of(0);
    expect_nothing_left(cache);
}

static void there_and_back(void) {
    struct cache *cache = with_secret(false);
    for (unsigned i = 0; i < 20; i++) {
        const struct cache_value held = pinned(cache, key_of("secret"));
        become(OTHER);
        cache_user_changed(cache);
        EXPECT(!is_there(cache, key_of("secret")));
        EXPECT_EQUAL(put(cache, key_of("other's"), 2, 1000), CACHE_OK);
        pinned(cache, key_of("other's"));
        become(0);
        cache_user_changed(cache);
        EXPECT(!is_there(cache, key_of("other's")));
        EXPECT(has(cache, key_of("secret"), 1, 1000));
        EXPECT(is_pattern(held.bytes, held.length, 1));
        cache_request_end(cache, i % 2);
        EXPECT(cache_request_begin(cache));
        EXPECT_EQUAL(mapped(0, "r--s"), 1);
        expect_nothing_of(OTHER);
    }
    expect_nothing_left(cache);
}

/* The segment is left a second time, while values of the first time are still held. */
static void back_and_away_again(long holds_again) {
    struct cache *cache = with_secret(false);
    const struct cache_value held = pinned(cache, key_of("secret"));
    become(OTHER);
    cache_user_changed(cache);
    become(0);
    if (holds_again) {
        pinned(cache, key_of("secret"));
    } else {
        const struct cache_key key = key_of("secret");
        EXPECT(cache_exists(cache, &key));
    }
    EXPECT_EQUAL(mapped(0, "rw-s"), 1);
    become(OTHER);
    cache_user_changed(cache);
    expect_held_only(&held);
    cache_request_end(cache, false);
    expect_nothing_of(0);
}

/* A daemon that serves one user after the other, and holds what it fetched. Each return takes over the earlier
 * record's pins. */
static void again_and_again(void) {
    struct cache *cache = with_secret(true);
    struct cache_value held = pinned(cache, key_of("secret"));
    const size_t pages = info_of(cache).pages_held_by_me;
    for (unsigned i = 0; i < 40; i++) {
        become(OTHER);
        cache_user_changed(cache);
        EXPECT_EQUAL(put(cache, key_of("other's"), 2, 1000), CACHE_OK);
        const struct cache_value others = pinned(cache, key_of("other's"));
        expect_held_only(&held);
        become(0);
        cache_user_changed(cache);
        EXPECT(is_there(cache, key_of("secret")));
        EXPECT_EQUAL(info_of(cache).processes, 1);
        EXPECT_EQUAL(info_of(cache).pages_held_by_me, pages);
        EXPECT_EQUAL(mapped(0, "---s"), 1); /* the one that keeps the record's lock */
        EXPECT_EQUAL(mapped(OTHER, "rw-s"), 0);
        EXPECT_EQUAL(descriptors_of(0), 1);
        EXPECT(is_pattern(others.bytes, others.length, 2));
    }
    finish(start(churn_roots, NULL));
    EXPECT(is_pattern(held.bytes, held.length, 1));
    cache_request_end(cache, false);
    expect_nothing_of(OTHER);
    expect_nothing_left(cache);
}

/* As in a server: its workers change their user after the fork, without a call that reports it. */
static const struct cache_value *held_before_fork;
static void forked_child(void *argument) {
    struct cache *cache = argument;
    become(OTHER);
    EXPECT(!is_there(cache, key_of("secret")));
    EXPECT_EQUAL(put(cache, key_of("other's"), 2, 1000), CACHE_OK);
    EXPECT(has(cache, key_of("other's"), 2, 1000));
    expect_held_only(held_before_fork);
    cache_request_end(cache, false);
    expect_nothing_of(0);
}
static void forked(void) {
    struct cache *cache = with_secret(true);
    const struct cache_value value = pinned(cache, key_of("secret"));
    held_before_fork = &value;
    finish(start_fork(forked_child, cache));
    EXPECT(!is_there(cache, key_of("other's")));
    EXPECT(has(cache, key_of("secret"), 1, 1000));
    cache_request_end(cache, false);
    expect_nothing_left(cache);
}

static void without_a_cache(void) {
    struct cache *cache = with_secret(true);
    const struct cache_value held = pinned(cache, key_of("secret"));
    EXPECT(mkdir(folder_of(OTHER), 0700) == 0);
    become(OTHER);
    cache_user_changed(cache);
    EXPECT(!is_there(cache, key_of("secret")));
    EXPECT_EQUAL(put(cache, key_of("secret"), 3, 1000), CACHE_UNAVAILABLE);
    EXPECT(strstr(cache_reason(cache), "belongs to user 0"));
    expect_held_only(&held);
}

/* A refusal to one user, a moment ago, says nothing about the next user. */
static void after_without_a_cache(void) {
    struct cache *cache = with_secret(true);
    EXPECT(mkdir(folder_of(OTHER), 0700) == 0);
    become(OTHER);
    cache_user_changed(cache);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_UNAVAILABLE);
    become(0);
    become(OTHER + 1);
    cache_user_changed(cache);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    EXPECT(has(cache, key_of("a"), 1, 1000));
}

/* ---- The folder that root creates ---- */

static void provide(mode_t above, uid_t user, mode_t mode) {
    char path[128];
    snprintf(path, sizeof path, "%s/larder", test_folder);
    EXPECT(mkdir(path, 0700) == 0 && chmod(path, above) == 0);
    snprintf(path, sizeof path, "%s/larder/%u", test_folder, OTHER);
    EXPECT(mkdir(path, mode) == 0 && chmod(path, mode) == 0 && chown(path, user, (gid_t)-1) == 0);
}

static const char *path_of_attached(char reason[CACHE_REASON_MAX]) {
    static char path[300];
    const struct cache_options options = options_of(8);
    struct cache *cache = cache_attach(&options, reason);
    path[0] = '\0';
    if (cache) {
        strcpy(path, info_of(cache).path);
        close_cache(cache);
    }
    return path;
}

static bool is_in_provided(const char *path) {
    char start_of_it[128];
    snprintf(start_of_it, sizeof start_of_it, "%s/larder/%u/", test_folder, OTHER);
    return strncmp(path, start_of_it, strlen(start_of_it)) == 0;
}

enum above { ABSENT, ROOTS, SQUATTED };

/* Another user has the user's folder, and perhaps the one that root is to create, with a link for root to follow. */
static void squat(long what) {
    char above[128], precious[128], link[160];
    need_root();
    EXPECT(mkdir(folder_of(OTHER), 0755) == 0);
    EXPECT(chown(folder_of(OTHER), 54321, (gid_t)-1) == 0);
    snprintf(above, sizeof above, "%s/larder", test_folder);
    snprintf(precious, sizeof precious, "%s/precious", test_folder);
    snprintf(link, sizeof link, "%s/%u", above, OTHER);
    EXPECT(mkdir(precious, 0711) == 0);
    EXPECT(what == ABSENT || mkdir(above, 0755) == 0);
    EXPECT(what != SQUATTED || (symlink(precious, link) == 0 && chown(above, 54321, (gid_t)-1) == 0));
    become(OTHER);
    char reason[CACHE_REASON_MAX];
    EXPECT_EQUAL(path_of_attached(reason)[0], '\0');
    EXPECT(strstr(reason, "belongs to user 54321, not to 12345"));
    char *command = strstr(reason, "cd /");
    EXPECT(command != NULL);
    become(0);
    EXPECT(system(command) == 0);
    struct stat status;
    EXPECT(stat(precious, &status) == 0 && status.st_uid == 0 && (status.st_mode & 0777) == 0711);
    become(OTHER);
    EXPECT(is_in_provided(path_of_attached(reason)));
    EXPECT_EQUAL(reason[0], '\0');
}

static void expect_distrusted(void) {
    char reason[CACHE_REASON_MAX];
    become(OTHER);
    const char *path = path_of_attached(reason);
    EXPECT(path[0] && !is_in_provided(path));
    EXPECT(strstr(reason, "is not used"));
}

static void above_writable(void) {
    need_root();
    provide(0777, OTHER, 0700);
    expect_distrusted();
}
static void above_of_another(void) {
    need_root();
    char path[128];
    snprintf(path, sizeof path, "%s/larder", test_folder);
    provide(0755, OTHER, 0700);
    EXPECT(chown(path, OTHER, (gid_t)-1) == 0);
    expect_distrusted();
}
static void far_above_writable(void) {
    need_root();
    EXPECT(chmod(test_folder, 0777) == 0); /* without the sticky bit */
    provide(0755, OTHER, 0700);
    expect_distrusted();
}
static void open_to_others(void) {
    need_root();
    provide(0755, OTHER, 0750);
    expect_distrusted();
}
static void of_another(void) {
    need_root();
    provide(0755, 54321, 0700);
    expect_distrusted();
}
static void link_to_another(void) {
    need_root();
    provide(0755, OTHER, 0700);
    char path[128], other[128];
    snprintf(path, sizeof path, "%s/larder/%u", test_folder, OTHER);
    snprintf(other, sizeof other, "%s/larder/other", test_folder);
    EXPECT(rename(path, other) == 0 && symlink(other, path) == 0);
    expect_distrusted();
}

static void provided_later(void) {
    need_root();
    become(OTHER);
    struct cache *cache = open_cache(8);
    EXPECT(!is_in_provided(info_of(cache).path));
    become(0);
    provide(0755, OTHER, 0700);
    become(OTHER);
    cache_request_end(cache, false);
    sleep_ms(1050);
    EXPECT(!cache_request_begin(cache)); /* nothing has been stored there yet */
    close_cache(cache);
    cache = open_cache(8);
    EXPECT(is_in_provided(info_of(cache).path));
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    cache_request_end(cache, false);
    sleep_ms(1050);
    EXPECT(cache_request_begin(cache));
    EXPECT(has(cache, key_of("a"), 1, 1000));
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"a request of another user sees nothing of the one before", between_requests},
    {"a reported change of user closes the segment at once, and held values stay", .run_with = within_a_request,
     .argument = true},
    {"an unreported change of user is noticed within some calls", .run_with = within_a_request, .argument = false},
    {"a user that comes back finds everything", there_and_back},
    {"nothing can be written to a segment that was left a second time", .run_with = back_and_away_again,
     .argument = false},
    {"nothing can be written to a left segment in which a value was held again", .run_with = back_and_away_again,
     .argument = true},
    {"a process that switches back and forth between users takes up what it holds", again_and_again},
    {"a fork that changes its user has a cache of its own", forked},
    {"a new user without access has no cache", without_a_cache},
    {"the user after one without access has a cache at once", after_without_a_cache},
    {"a squatted folder is reported with the command that helps", .run_with = squat, .argument = ABSENT},
    {"the command suits where root has a folder for others", .run_with = squat, .argument = ROOTS},
    {"the command is safe where a stranger's link waits for root", .run_with = squat, .argument = SQUATTED},
    {"root's folder is not used below one that others may write to", above_writable},
    {"root's folder is not used below one of another user", above_of_another},
    {"root's folder is not used where others may rename one far above", far_above_writable},
    {"root's folder is not used if it is open to others", open_to_others},
    {"root's folder is not used if it is another user's", of_another},
    {"root's folder is not used if it is a link", link_to_another},
    {"processes move to a folder that root makes later", provided_later},
    {0},
};
const struct suite suite_users = {.name = "users", .tests = tests};
