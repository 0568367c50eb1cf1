#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commit.h"
#include "failpoint.h"
#include "geometry.h"
#include "limit.h"
#include "os.h"

enum { NAME_MAX_BYTES = 160, FOLDER_MAX_BYTES = 512, ATTEMPTS = 16 };
#define REPLACE_WAIT_NS (UINT64_C(20) * 1000 * 1000)
#define TEMPORARY ".new."

struct segment {
    struct map map;
    size_t file_size;
    struct stat file;
    unsigned users;   /* caches that are attached or hold values; the last one unmaps it */
    unsigned writers; /* attached ones, for which it is mapped writable */
    struct segment *next;
    bool provided;
    size_t directory_length; /* of larder.path, the beginning of `path` */
    char path[FOLDER_MAX_BYTES + NAME_MAX_BYTES];
};

/* All segments mapped by this process; guarded by process_lock(). */
static struct segment *segments;

/* An attempt to attach. */
struct attempt {
    const struct cache_options *options;
    char *reason;
    uint64_t layout;
    char folder[FOLDER_MAX_BYTES];
    char name[NAME_MAX_BYTES];
    int directory;
    bool provided; /* the folder was created by root */
    bool absent;   /* there is no segment, and it may not be created */
    uintptr_t
        avoid;     /* the address of a replaced segment: processes that keep it could not map the new one there */
    bool replaced; /* the segment with other settings is gone */
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct attempt *attempt, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(attempt->reason, CACHE_REASON_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* What to do about a system error; `otherwise` for all others. */
static const char *advice(int error, const char *otherwise) {
    switch (error) {
        case EMFILE:
            return "raise ulimit -n";
        case ENFILE:
            return "raise fs.file-max";
        case ENOMEM:
            return "raise ulimit -v or set larder.size smaller";
        case ENOSPC:
            return "free some memory there or set larder.path";
        default:
            return otherwise;
    }
}

static size_t plan_size(struct attempt *attempt);

static bool refuse_large_file(struct attempt *attempt, size_t size) {
    return refuse(attempt,
                  "no process has made the segment, and this one may not write files of %zu MiB; raise ulimit -f "
                  "or set larder.size smaller",
                  size >> 20);
}

static bool refuse_new_file(struct attempt *attempt) {
    const int error = errno;
    char command[FOLDER_MAX_BYTES + sizeof "chmod 700 "];
    snprintf(command, sizeof command, "chmod 700 %s", attempt->folder);
    return refuse(attempt, "cannot create a file in %s: %s; %s", attempt->folder, strerror(error),
                  advice(error, error == EACCES ? command : "set larder.path to a folder that can be written"));
}

/* Whether this process may create something in the open folder. Any other failure says nothing about that: filters of
 * system calls in containers refuse the question itself. */
static bool is_writable(const struct attempt *attempt) {
    return faccessat(attempt->directory, ".", W_OK | X_OK, AT_EACCESS) == 0 || (errno != EACCES && errno != EROFS);
}

/* There is no segment, and this call does not create one. It is absent only if a store could create one; else the
 * reason says why not. */
static bool report_absent(struct attempt *attempt) {
    const size_t size = plan_size(attempt);
    if (!size) {
        return false;
    }
    if (!os_may_grow(size)) {
        return refuse_large_file(attempt, size);
    }
    attempt->absent = true;
    return refuse(attempt, "nothing has been stored yet: the first store makes the segment");
}

static void close_if_open(int fd) {
    if (fd >= 0) {
        close(fd);
    }
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Of a path that may name anything. */
enum { FILE_ACCESS = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK };

/* ---- The folder ---- */

static bool is_private(const struct stat *status, uid_t user) {
    return status->st_uid == user && (status->st_mode & 077) == 0;
}

/* Whether only root can replace what lies in this folder: it and all folders above are root's, and others may not
 * write there, or not rename and remove root's files (the sticky bit of /dev/shm). Closes it. */
static bool is_out_of_reach(int folder) {
    struct stat status, below = {0};
    bool safe = false;
    while (folder >= 0 && fstat(folder, &status) == 0 && status.st_uid == 0 &&
           ((status.st_mode & 022) == 0 || (status.st_mode & S_ISVTX) != 0)) {
        safe = same_file(&status, &below); /* / is its own parent */
        if (safe) {
            break;
        }
        below = status;
        const int above = openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(folder);
        folder = above;
    }
    close_if_open(folder);
    return safe;
}

enum { FOLDER_ACCESS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* The folder that root created for the user, <larder.path>/larder/<uid>, whose name nobody else can take. -1 if there
 * is none; or if it cannot be trusted: then `distrusted` is set. */
static int open_provided(const char *directory, uid_t user, bool *distrusted) {
    char name[FOLDER_MAX_BYTES];
    struct stat status;
    snprintf(name, sizeof name, "%s/larder", directory);
    *distrusted = false;
    const int above = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (above < 0) {
        return -1;
    }
    snprintf(name, sizeof name, "%u", (unsigned)user);
    int folder = openat(above, name, FOLDER_ACCESS);
    *distrusted = folder < 0 ? errno != ENOENT : fstat(folder, &status) != 0 || !is_private(&status, user);
    if (folder < 0) {
        close(above);
    } else if (!is_out_of_reach(above) || *distrusted) {
        *distrusted = true;
        close(folder);
        folder = -1;
    }
    return folder;
}

/* Says what is wrong, and how root creates the folder. Another user may have created <larder.path>/larder, with links
 * that a command of root would follow: so one that is not root's is removed first, and mkdir, unlike install, fails
 * where something is. */
static bool refuse_unprovided(struct attempt *attempt, const char *wrong) {
    const char *const directory = attempt->options->directory;
    const unsigned user = (unsigned)geteuid();
    char name[FOLDER_MAX_BYTES];
    struct stat status;
    snprintf(name, sizeof name, "%s/larder", directory);
    const char *make = "mkdir -m 755 larder && ";
    if (lstat(name, &status) == 0) {
        const bool roots = S_ISDIR(status.st_mode) && status.st_uid == 0 && (status.st_mode & 022) == 0;
        make = roots ? "" : "rm -rf larder && mkdir -m 755 larder && ";
    }
    return refuse(attempt, "%s; as root: cd %s && %sinstall -d -m 700 -o %u larder/%u", wrong, directory, make,
                  user, user);
}

static bool refuse_folder(struct attempt *attempt) {
    const int error = errno;
    char wrong[CACHE_REASON_MAX];
    snprintf(wrong, sizeof wrong, "cannot create the folder %s: %s", attempt->folder, strerror(error));
    if (error == EACCES) {
        return refuse_unprovided(attempt, wrong);
    }
    return refuse(attempt, "%s; %s", wrong,
                  advice(error, "set larder.path to an existing directory on a tmpfs, such as /dev/shm"));
}

static bool is_in_memory(const char *directory) {
    const int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const bool in_memory = folder < 0 || os_in_memory(folder);
    close_if_open(folder);
    return in_memory;
}

static bool refuse_disk(struct attempt *attempt) {
    return refuse(attempt, "%s is not in memory: mount a tmpfs there, or set larder.path to a folder on one",
                  attempt->options->directory);
}

/* The user's own folder, <larder.path>/larder-<uid>. */
static bool open_own(struct attempt *attempt, uid_t user) {
    const char *const directory = attempt->options->directory;
    struct stat status;
    snprintf(attempt->folder, sizeof attempt->folder, "%s/larder-%u", directory, (unsigned)user);
    attempt->directory = open(attempt->folder, FOLDER_ACCESS);
    const bool missing = attempt->directory < 0 && errno == ENOENT;
    if (missing && !is_in_memory(directory)) {
        return refuse_disk(attempt);
    }
    if (missing) {
        if (attempt->options->joins_only) {
            attempt->directory = open(attempt->options->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            return attempt->directory >= 0 && is_writable(attempt) ? report_absent(attempt)
                                                                   : refuse_folder(attempt);
        }
        if (mkdir(attempt->folder, 0700) != 0 && errno != EEXIST) {
            return refuse_folder(attempt);
        }
        attempt->directory = open(attempt->folder, FOLDER_ACCESS);
    }
    if (attempt->directory >= 0 && fstat(attempt->directory, &status) == 0 && is_private(&status, user)) {
        return true;
    }
    const int error = errno;
    if (lstat(attempt->folder, &status) == 0 && status.st_uid != user) {
        char wrong[CACHE_REASON_MAX];
        snprintf(wrong, sizeof wrong, "the folder %s belongs to user %u, not to %u, who has no cache",
                 attempt->folder, (unsigned)status.st_uid, (unsigned)user);
        return refuse_unprovided(attempt, wrong);
    }
    if (attempt->directory < 0) {
        return refuse(attempt, "cannot open the folder %s: %s; %s", attempt->folder, strerror(error),
                      advice(error, "remove it or set larder.path"));
    }
    return refuse(attempt, "the folder %s is open to other users: chmod 700 %s", attempt->folder, attempt->folder);
}

static bool open_folder(struct attempt *attempt) {
    const char *const directory = attempt->options->directory;
    const uid_t user = geteuid();
    bool distrusted;
    attempt->directory = open_provided(directory, user, &distrusted);
    attempt->provided = attempt->directory >= 0;
    if (attempt->provided) {
        snprintf(attempt->folder, sizeof attempt->folder, "%s/larder/%u", directory, (unsigned)user);
    } else if (!open_own(attempt, user)) {
        return false;
    }
    if (!os_in_memory(attempt->directory)) {
        return refuse_disk(attempt);
    }
    if (distrusted) {
        char wrong[CACHE_REASON_MAX];
        snprintf(wrong, sizeof wrong,
                 "%s/larder/%u is not used: it must be of user %u with mode 0700, and all above it of root",
                 directory, (unsigned)user, (unsigned)user);
        refuse_unprovided(attempt, wrong);
    }
    return true;
}

/* ---- Looking at a file ---- */

enum finding { USABLE, NONE, REPLACE, FOREIGN };

/* Whether the file is one of ours: it may be used, or replaced if its content is damaged. */
static enum finding look(struct attempt *attempt, int *fd, struct stat *status, struct header_shared *header) {
    *fd = openat(attempt->directory, attempt->name, FILE_ACCESS);
    if (*fd < 0) {
        if (errno == ENOENT) {
            return NONE;
        }
        const int error = errno;
        refuse(attempt, "cannot open %s/%s: %s; %s", attempt->folder, attempt->name, strerror(error),
               advice(error, "remove it"));
        return FOREIGN;
    }
    if (fstat(*fd, status) != 0 || !S_ISREG(status->st_mode) || status->st_uid != geteuid() ||
        status->st_nlink != 1 || (status->st_mode & 077) != 0) {
        refuse(attempt, "%s/%s is not a private file of user %u with one link and mode 0600; remove it",
               attempt->folder, attempt->name, (unsigned)geteuid());
        return FOREIGN;
    }
    if (pread(*fd, header, sizeof *header, 0) != (ssize_t)sizeof *header ||
        !geometry_valid(header, (uint64_t)status->st_size, attempt->layout)) {
        return REPLACE;
    }
    if ((header->keeps != 0) != attempt->options->keeps) {
        refuse(attempt, "%s/%s is a segment %s sessions; choose another larder.segment", attempt->folder,
               attempt->name, header->keeps ? "of" : "without");
        return FOREIGN;
    }
    return word_load(&header->retired) ? REPLACE : USABLE;
}

static bool settings_differ(const struct attempt *attempt, const struct header_shared *header) {
    return header->size_asked != attempt->options->size || header->record_count != attempt->options->processes ||
           header->pin_share != geometry_pin_share(attempt->options);
}

/* ---- Files that nobody needs ---- */

/* Locked bytes of a file: one for each record, and one for its creator or replacer. */
enum { BYTE_OF_MAKER = RECORDS_MAX };

/* Closes what may be the last reference to a file. The system then frees its memory, which can take seconds: not under
 * the lock. The number stays taken meanwhile, since a forked child closes it. */
static void close_last(const struct attempt *attempt, int fd, int also_open) {
    struct open_files open = {3, {attempt->directory, fd, also_open}, NULL};
    process_unlock_with(&open);
    dup3(attempt->directory, fd, O_CLOEXEC);
    process_lock_again(&open);
    close(fd);
}

/* Removes a file whose `count` bytes from `first` on nobody has locked. */
static void remove_if_free(const struct attempt *attempt, int list, const char *name, off_t first, off_t count) {
    const int fd = openat(attempt->directory, name, FILE_ACCESS);
    if (fd >= 0 && os_lock(fd, first, count)) {
        unlinkat(attempt->directory, name, 0);
        os_unlock(fd, first, count); /* a forked child may share the description */
        close_last(attempt, fd, list);
    } else {
        close_if_open(fd);
    }
}

enum { DIGITS = 16, UNUSED_SECONDS = 24 * 60 * 60, KEPT_SECONDS = 30 * UNUSED_SECONDS };

/* Whether a name ends in this text and a number of ours. What comes before may be anybody's segment name. */
static bool ends_in_number(const char *name, const char *text) {
    const size_t length = strlen(name), before = strlen(text);
    return length > before + DIGITS && memcmp(name + length - DIGITS - before, text, before) == 0 &&
           strspn(name + length - DIGITS, "0123456789abcdef") == DIGITS;
}

static bool is_named_as_segment(const char *name) {
    return ends_in_number(name, "-");
}

static bool is_named_as_temporary(const char *name) {
    return ends_in_number(name, TEMPORARY);
}

static bool keeps_entries(const struct attempt *attempt, const char *name) {
    struct header_shared header;
    const int fd = openat(attempt->directory, name, FILE_ACCESS);
    const bool keeps = fd >= 0 && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                       memcmp(header.magic, SEGMENT_MAGIC, sizeof header.magic) == 0 && header.keeps;
    close_if_open(fd);
    return keeps;
}

static bool is_unused_for_long(const struct attempt *attempt, const char *name) {
    struct stat status;
    if (fstatat(attempt->directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    const time_t seconds = time(NULL) - status.st_mtime;
    return seconds >= KEPT_SECONDS || (seconds >= UNUSED_SECONDS && !keeps_entries(attempt, name));
}

/* The same segment for another PHP, left behind by an upgrade. */
static bool is_of_another_layout(const struct attempt *attempt, const char *name) {
    const size_t length = strlen(attempt->name);
    return strlen(name) == length && strncmp(name, attempt->name, length - DIGITS) == 0;
}

/* Removes files that no process is attached to: temporary files of dead creators, segments unused for a day, and if
 * memory is short those of another PHP at once. Nothing else: an idle pool's cache is warm. */
static void remove_unused(const struct attempt *attempt, bool short_of_memory) {
    const int copy = openat(attempt->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    if (!list) {
        close_if_open(copy);
        return;
    }
    for (const struct dirent *file = readdir(list); file; file = readdir(list)) {
        const char *name = file->d_name;
        if (strcmp(name, attempt->name) == 0) {
            continue;
        }
        if (is_named_as_temporary(name)) {
            remove_if_free(attempt, copy, name, BYTE_OF_MAKER, 1);
        } else if (is_named_as_segment(name) && (is_unused_for_long(attempt, name) ||
                                                 (short_of_memory && is_of_another_layout(attempt, name)))) {
            remove_if_free(attempt, copy, name, 0, RECORDS_MAX);
        }
    }
    closedir(list);
}

/* ---- Creating ---- */

/* An address that is free in most processes: far from where Linux puts binaries, heap, libraries and stacks, also
 * under sanitizers. The low ones are for small address spaces. */
static uintptr_t choose_address(size_t size, uintptr_t avoid) {
    static const uintptr_t stride = UINT64_C(64) << 30;
    uint64_t random = 0;
    os_random(&random, sizeof random);
    for (unsigned i = 0; i < 64; i++) {
        const uintptr_t address = UINT64_C(0x200000000000) + ((random + i) & 63) * stride;
        if (address != avoid && os_address_free(address, size)) {
            return address;
        }
    }
    for (unsigned i = 0; i < 16; i++) {
        const uintptr_t address = UINT64_C(0x1000000000) + ((random + i) & 15) * (UINT64_C(4) << 30);
        if (address != avoid && os_address_free(address, size)) {
            return address;
        }
    }
    return 0;
}

/* The segment's size: as asked for, or what the file system and the cgroups can give and leave others their part. 0:
 * too little. */
static size_t plan_size(struct attempt *attempt) {
    enum { SPARE_PART = 16, LIMIT_PART = 4 };
    size_t size = attempt->options->size;
    struct os_space space = os_space(attempt->directory);
    if (space.free < size && !attempt->options->joins_only) {
        remove_unused(attempt, true);
        space = os_space(attempt->directory);
    }
    if (space.total - space.total / SPARE_PART < CACHE_SIZE_MIN) {
        refuse(attempt,
               "the file system of %s has %llu MiB, too few for a segment of %d MiB and a sixteenth for "
               "others; make it larger or set larder.path",
               attempt->folder, (unsigned long long)space.total >> 20, (int)(CACHE_SIZE_MIN >> 20));
        return 0;
    }
    if (space.free < CACHE_SIZE_MIN) {
        refuse(attempt, "%s has %llu MiB free, the least for a segment is %d MiB; free some or set larder.path",
               attempt->folder, (unsigned long long)space.free >> 20, (int)(CACHE_SIZE_MIN >> 20));
        return 0;
    }
    const char *const setting = attempt->options->keeps ? "larder.session_size" : "larder.size";
    if (size > space.total - space.total / SPARE_PART) {
        size = (size_t)(space.total - space.total / SPARE_PART);
        refuse(attempt, "%s has room for %zu of the %zu MiB that %s asks for", attempt->folder, size >> 20,
               attempt->options->size >> 20, setting);
    }
    const struct limit least = limit_read();
    const uint64_t limit = least.limit;
    if (size > limit - limit / LIMIT_PART) {
        size = (size_t)(limit - limit / LIMIT_PART);
        refuse(attempt, "the memory limit of this process leaves room for %zu of the %zu MiB that %s asks for",
               size >> 20, attempt->options->size >> 20, setting);
        if (size < CACHE_SIZE_MIN) {
            refuse(attempt,
                   "the memory limit of this process is %llu MiB, too little for a segment: 11 MiB are the least",
                   (unsigned long long)limit >> 20);
            return 0;
        }
    }
    /* All of its memory is taken now. At the limit the kernel would kill this process. */
    if (attempt->options->keeps && (space.free < size || least.left < size + limit / SPARE_PART)) {
        const bool full = space.free < size;
        refuse(attempt, "%s%s%llu MiB free, and %s asks for %zu; free some or lower the setting",
               full ? attempt->folder : "the memory limit of this process", full ? " has " : " leaves ",
               (unsigned long long)(full ? space.free : least.left) >> 20, setting, size >> 20);
        return 0;
    }
    return size & ~(size_t)((1 << PAGE_SHIFT_MIN) - 1);
}

/* Gives a new file its length, its tables' memory and its header; an errno on failure. Slow, so without the lock. */
static int write_tables(const struct attempt *attempt, int fd, size_t size, uintptr_t base) {
    struct header_shared header;
    memset(&header, 0, sizeof header);
    geometry_plan(&header, attempt->options, size);
    header.base = base;
    header.created = os_milliseconds();
    if (!os_random(&header.seed, sizeof header.seed) || ftruncate(fd, (off_t)size) != 0) {
        return errno;
    }
    const int error = os_fill(fd, 0, header.keeps ? size : geometry_tables(&header));
    if (error) {
        return error;
    }
    geometry_sign(&header);
    FAILPOINT(segment_filled);
    return pwrite(fd, &header, sizeof header, 0) == (ssize_t)sizeof header ? 0 : errno ? errno : EIO;
}

/* Creates a segment under a temporary name and renames it into place. Of several creators the first wins; the
 * others discard theirs and look again. The lock on a temporary file only shows that its creator is alive. True:
 * look again. */
static bool create(struct attempt *attempt, uintptr_t avoid) {
    const size_t size = plan_size(attempt);
    if (!size) {
        return false;
    }
    if (!os_may_grow(size)) {
        return refuse_large_file(attempt, size);
    }
    remove_unused(attempt, false);
    uint64_t unique = 0;
    os_random(&unique, sizeof unique);
    char name[NAME_MAX_BYTES + 32];
    snprintf(name, sizeof name, "%s" TEMPORARY "%016llx", attempt->name, (unsigned long long)unique);
    const int fd = openat(attempt->directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return refuse_new_file(attempt);
    }
    FAILPOINT(segment_temporary_made);
    int error = 0;
    /* If this fails, another process takes it for a leftover, and the rename fails. */
    (void)os_lock(fd, BYTE_OF_MAKER, 1);
    /* Under the lock: an address is tried by mapping it, and a forked child would keep that. */
    const uintptr_t base = choose_address(size, avoid);
    if (!base) {
        error = ENOMEM;
    } else if (fchmod(fd, 0600) != 0) {
        error = errno;
    } else {
        struct open_files open = {2, {attempt->directory, fd}, NULL};
        process_unlock_with(&open);
        error = write_tables(attempt, fd, size, base);
        process_lock_again(&open);
    }
    if (!error) {
        error = os_rename_new(attempt->directory, name, attempt->name);
    }
    FAILPOINT(segment_renamed);
    if (error) {
        unlinkat(attempt->directory, name, 0);
    }
    os_unlock(fd, BYTE_OF_MAKER, 1);
    close(fd);
    if (error && error != EEXIST && error != ENOENT) {
        return refuse(attempt, "cannot make the segment %s/%s of %zu MiB: %s; %s", attempt->folder, attempt->name,
                      size >> 20, strerror(error), advice(error, "set larder.path"));
    }
    return true;
}

static void retire(int fd) {
    const uint64_t retired = 1;
    (void)!pwrite(fd, &retired, sizeof retired, offsetof(struct header_shared, retired));
}

/* So that one of many replaces a bad file. The wait is bounded, since its holder may be stopped; correctness does not
 * rely on it. `seen` is another description of the file. */
static void lock_replacing(const struct attempt *attempt, int fd, int seen) {
    struct open_files open = {3, {attempt->directory, fd, seen}, NULL};
    process_unlock_with(&open);
    const uint64_t begun = os_nanoseconds();
    while (!os_lock(fd, BYTE_OF_MAKER, 1) && os_nanoseconds() - begun < REPLACE_WAIT_NS) {
        os_yield();
    }
    process_lock_again(&open);
}

/* Unlinks a damaged, retired or unwanted file. It is moved aside and checked there: if another process was faster, it
 * is moved back; if there is a third one by then, it is retired, and its users move to that one. Unless processes are
 * stopped in between, the lock prevents both. */
static void discard(const struct attempt *attempt, const struct stat *seen, int seen_fd) {
    const int old = openat(attempt->directory, attempt->name, FILE_ACCESS);
    if (old < 0) {
        return;
    }
    char aside[NAME_MAX_BYTES + 32];
    uint64_t unique = 0;
    os_random(&unique, sizeof unique);
    snprintf(aside, sizeof aside, "%s" TEMPORARY "%016llx", attempt->name, (unsigned long long)unique);
    struct stat status;
    lock_replacing(attempt, old, seen_fd);
    if (fstatat(attempt->directory, attempt->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        same_file(&status, seen)) {
        FAILPOINT(segment_looked_at);
        if (os_rename_new(attempt->directory, attempt->name, aside) == 0) {
            FAILPOINT(segment_moved_aside);
            const int moved = openat(attempt->directory, aside, FILE_ACCESS);
            const bool meant = moved >= 0 && fstat(moved, &status) == 0 && same_file(&status, seen);
            if (meant || os_rename_new(attempt->directory, aside, attempt->name) != 0) {
                if (moved >= 0 && status.st_size >= (off_t)sizeof(struct header_shared)) {
                    retire(moved);
                }
                FAILPOINT(segment_retired);
                unlinkat(attempt->directory, aside, 0);
            }
            close_if_open(moved);
        }
    }
    os_unlock(old, BYTE_OF_MAKER, 1);
    close(old);
}

/* ---- Mapping ---- */

/* Another description of the same file; -1 if the path names another by now. */
static int open_same(const struct attempt *attempt, const struct stat *status, int access) {
    const int fd = openat(attempt->directory, attempt->name, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat again;
    if (fd >= 0 && (fstat(fd, &again) != 0 || !same_file(&again, status))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Not from the record's description: a mapping keeps its description open, and with it the record's lock after a fork
 * or detach. */
static bool map_writable(struct segment *segment, const struct attempt *attempt, const struct stat *status) {
    const int writable = open_same(attempt, status, O_RDWR);
    if (writable >= 0) {
        segment->map.writable = os_map_writable(writable, segment->file_size);
        close(writable);
    }
    return segment->map.writable != NULL;
}

static struct segment *map_file_locked(const struct attempt *attempt, const struct stat *status,
                                       const struct header_shared *header) {
    for (struct segment *segment = segments; segment; segment = segment->next) {
        if (same_file(&segment->file, status)) {
            if (!segment->map.writable) {
                if (!map_writable(segment, attempt, status)) {
                    return NULL;
                }
                geometry_map(&segment->map, header);
            }
            segment->users++;
            segment->writers++;
            return segment;
        }
    }
    struct segment *segment = calloc(1, sizeof *segment);
    if (!segment) {
        return NULL;
    }
    segment->file_size = (size_t)status->st_size;
    segment->file = *status;
    segment->provided = attempt->provided;
    segment->directory_length = strlen(attempt->options->directory);
    snprintf(segment->path, sizeof segment->path, "%s/%s", attempt->folder, attempt->name);
    map_writable(segment, attempt, status);
    /* From a read-only descriptor, or mprotect() could make it writable. */
    const int readable = open_same(attempt, status, O_RDONLY);
    if (readable >= 0) {
        segment->map.readonly = os_map_readonly(readable, segment->file_size, header->base);
        close(readable);
    }
    if (!segment->map.writable || !segment->map.readonly) {
        if (segment->map.writable) {
            os_unmap(segment->map.writable, segment->file_size);
        }
        if (segment->map.readonly) {
            os_unmap((void *)(uintptr_t)segment->map.readonly, segment->file_size);
        }
        free(segment);
        return NULL;
    }
    segment->map.fixed = (uintptr_t)segment->map.readonly == header->base;
    geometry_map(&segment->map, header);
    segment->users = segment->writers = 1;
    segment->next = segments;
    segments = segment;
    return segment;
}

static bool is_retired(const struct segment *segment) {
    const struct header_shared *header = (const struct header_shared *)(const void *)segment->map.readonly;
    return word_load(&header->retired) != 0;
}

/* A segment that another thread may attach to again is unmapped under the lock, or its address would still be taken.
 * The file of a retired one is gone, and unmapping it may free its memory, which can take seconds. */
void segment_release(struct segment *segment) {
    process_lock();
    const bool last = --segment->users == 0;
    bool retired = false;
    if (last) {
        for (struct segment **link = &segments; *link; link = &(*link)->next) {
            if (*link == segment) {
                *link = segment->next;
                break;
            }
        }
        retired = is_retired(segment);
        if (!retired) {
            os_unmap((void *)(uintptr_t)segment->map.readonly, segment->file_size);
        }
    }
    process_unlock();
    if (retired) {
        os_unmap((void *)(uintptr_t)segment->map.readonly, segment->file_size);
    }
    if (last) {
        free(segment);
    }
}

void segment_close_writable(struct segment *segment) {
    process_lock();
    if (--segment->writers == 0) {
        os_unmap(segment->map.writable, segment->file_size);
        segment->map.writable = NULL;
    }
    process_unlock();
}

/* Whether root created the folder meanwhile: all processes move there. */
static bool is_provided_now(const struct segment *segment) {
    char directory[SEGMENT_DIRECTORY_MAX + 1];
    bool distrusted;
    snprintf(directory, sizeof directory, "%.*s", (int)segment->directory_length, segment->path);
    const int folder = open_provided(directory, geteuid(), &distrusted);
    close_if_open(folder);
    return folder >= 0;
}

/* Whether its path still names it. */
static bool is_in_place(const struct segment *segment) {
    struct stat status;
    return !word_load(&segment->map.header->retired) && lstat(segment->path, &status) == 0 &&
           same_file(&status, &segment->file);
}

bool segment_is_current(const struct segment *segment) {
    return is_in_place(segment) && (segment->provided || !is_provided_now(segment));
}

const char *segment_path(const struct segment *segment) {
    return segment->path;
}

const struct map *segment_map(const struct segment *segment) {
    return &segment->map;
}

int segment_open_locked(const struct segment *segment, int known) {
    int fd = known >= 0 ? os_open_again(known, true) : -1;
    if (fd < 0) {
        fd = open(segment->path, FILE_ACCESS);
    }
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) != 0 || !same_file(&status, &segment->file))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- Attaching ---- */

/* Maps the file, claims a record, and only then trusts that the path still names it. */
static enum finding enter(struct attempt *attempt, struct cache *cache, int fd, const struct stat *status,
                          const struct header_shared *header) {
    struct segment *segment = map_file_locked(attempt, status, header);
    if (!segment) {
        const int error = errno;
        struct stat now;
        close(fd);
        if (fstatat(attempt->directory, attempt->name, &now, AT_SYMLINK_NOFOLLOW) != 0 ||
            !same_file(&now, status)) {
            return REPLACE; /* replaced meanwhile: look again */
        }
        refuse(attempt, "cannot map %s/%s: %s; %s", attempt->folder, attempt->name, strerror(error),
               advice(error, "set larder.path"));
        return FOREIGN;
    }
    cache->segment = segment;
    cache->map = segment->map;
    commit_check_index(&cache->map);
    /* A process that checks for users locks all bytes for a moment: try twice. */
    if (!process_claim_locked(cache, fd) && (os_yield(), !process_claim_locked(cache, fd))) {
        close(fd);
        if (!segment_is_current(segment)) {
            return REPLACE; /* being removed: all bytes are locked */
        }
        refuse(attempt, "all %u process records of %s are taken; raise larder.processes", cache->map.record_count,
               segment->path);
        return FOREIGN;
    }
    os_touch(fd);
    return is_in_place(segment) ? USABLE : REPLACE;
}

static void leave(struct cache *cache) {
    process_leave_locked(cache);
    process_unlock();
    segment_close_writable(cache->segment);
    segment_release(cache->segment);
    process_lock();
    cache->segment = NULL;
}

static void report_differences(struct attempt *attempt, const struct header_shared *header) {
    const struct cache_options *options = attempt->options;
    char size[64] = "", processes[64] = "", share[64] = "";
    if (header->size_asked != options->size) {
        snprintf(size, sizeof size, " larder.%s=%lluM (here %zuM)", options->keeps ? "session_size" : "size",
                 (unsigned long long)header->size_asked >> 20, options->size >> 20);
    }
    if (header->record_count != options->processes) {
        snprintf(processes, sizeof processes, " larder.processes=%llu (here %u)",
                 (unsigned long long)header->record_count, options->processes);
    }
    if (header->pin_share != geometry_pin_share(options)) {
        snprintf(share, sizeof share, " larder.pin_share=%g (here %g)", (double)header->pin_share / 1e6,
                 options->pin_share);
    }
    if (options->keeps) {
        refuse(attempt,
               "the segment was made with%s%s%s; to end all sessions and replace it, stop PHP and remove %s/%s",
               size, processes, share, attempt->folder, attempt->name);
    } else {
        refuse(attempt, "the segment was made with%s%s%s; larder resize replaces it", size, processes, share);
    }
}

/* One try; USABLE: attached, REPLACE: look again, FOREIGN: failed. */
static enum finding attempt_once(struct attempt *attempt, struct cache *cache) {
    int fd;
    struct stat status;
    struct header_shared header;
    memset(&header, 0, sizeof header);
    enum finding finding = look(attempt, &fd, &status, &header);
    const bool differs = finding == USABLE && settings_differ(attempt, &header);
    if (differs && attempt->options->replaces && !attempt->replaced) {
        attempt->replaced = true;
        finding = REPLACE;
    }
    switch (finding) {
        case USABLE:
            if (differs) {
                report_differences(attempt, &header);
            }
            finding = enter(attempt, cache, fd, &status, &header);
            if (finding != USABLE && cache->segment) {
                leave(cache);
            }
            return finding;
        case REPLACE:
            if (!attempt->options->joins_only) {
                discard(attempt, &status, fd);
                attempt->avoid = header.base;
            }
            close_last(attempt, fd, -1);
            /* fall through */
        case NONE:
            if (attempt->options->joins_only) {
                (void)(is_writable(attempt) ? report_absent(attempt) : refuse_new_file(attempt));
                return FOREIGN;
            }
            return create(attempt, attempt->avoid) ? REPLACE : FOREIGN;
        case FOREIGN:
            close_if_open(fd);
            break;
    }
    return FOREIGN;
}

static void name_segment(struct attempt *attempt) {
    attempt->layout = geometry_layout(attempt->options->value_layout);
    snprintf(attempt->name, sizeof attempt->name, "%s-%016llx", attempt->options->segment,
             (unsigned long long)attempt->layout);
}

void segment_tidy(const struct cache *cache) {
    char reason[CACHE_REASON_MAX];
    struct attempt attempt = {.options = &cache->options, .reason = reason, .directory = -1};
    name_segment(&attempt);
    process_lock();
    if (open_folder(&attempt)) {
        remove_unused(&attempt, false);
    }
    close_if_open(attempt.directory);
    process_unlock();
}

bool segment_attach(struct cache *cache, char reason[CACHE_REASON_MAX]) {
    struct attempt attempt = {.options = &cache->options, .reason = reason, .directory = -1};
    name_segment(&attempt);
    reason[0] = '\0';
    process_lock();
    enum finding finding = FOREIGN;
    if (open_folder(&attempt)) {
        finding = REPLACE;
        for (unsigned i = 0; i < ATTEMPTS && finding == REPLACE; i++) {
            finding = attempt_once(&attempt, cache);
        }
        if (finding == REPLACE) {
            refuse(&attempt, "the segment %s/%s changes all the time; try again", attempt.folder, attempt.name);
        }
    }
    close_if_open(attempt.directory);
    process_unlock();
    errno = attempt.absent ? ENOENT : 0;
    return finding == USABLE;
}
